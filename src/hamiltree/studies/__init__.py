"""Many runs of one problem with other numbers: `ht.study`, and what its arguments are made of."""

from hamiltree.studies.reductions import Reduction
from hamiltree.studies.sampling import grid, normal, uniform
from hamiltree.studies.study import Study, load, study

__all__ = ["Reduction", "Study", "grid", "load", "normal", "study", "uniform"]
