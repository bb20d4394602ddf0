"""Kane's equations as the documents print them: partial velocities, connection arrays."""

from hamiltree.analysis.kane.partials import Partials, partials

__all__ = ["Partials", "partials"]
