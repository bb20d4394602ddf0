"""What the catalogue claims, measured."""

from hamiltree.analysis.verification import Measured, measure, measure_all

__all__ = ["Measured", "measure", "measure_all"]
