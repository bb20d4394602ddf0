"""What the catalogue claims, measured."""

from hamiltree.analysis.measured import Measured, as_markdown, measure, measure_all

__all__ = ["Measured", "as_markdown", "measure", "measure_all"]
