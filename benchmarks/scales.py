"""What holds at which scale: the same models from the size of an atom to that of an orbit, as a
Markdown table.

    python -m benchmarks.scales                   print the table
    python -m benchmarks.scales docs/accuracy.md  write it into that page
    python -m benchmarks scales                   as rows with goals, among the other benchmarks

Every number of a model is multiplied by powers of two for its length, mass and time: gravity,
stiffnesses and speeds follow, so that the motion is exactly similar, and its roundings too. The
boosts of the free body are the same km/s at every scale.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import hamiltree as ht
from benchmarks.long_runs import relative_residual
from benchmarks.measure import Row
from hamiltree.errors import FileError, HamiltreeError

BEGIN, CLOSE = "<!-- scales: begin -->", "<!-- scales: end -->"
# what is measured, and how large it may be
GOALS = {
    "spark6: energy error": 1e-12,
    "spark6: residual": 1e-13,
    "spark6: off 1 m": 0.0,
    "dop853: energy error": 1e-9,
    "dop853: residual": 1e-13,
    "dop853: off 1 m": 1e-12,
    "radau5: energy error": 1e-7,
    "radau5: off 1 m": 1e-12,
    "`compare`": 1e-7,
    "hinge at 7.5 km/s": 1e-9,
    "hinge at 30 km/s": 1e-9,
}
COLUMNS = ("scale", "length, mass, time", *GOALS)
SECONDS = 10.0  # of every run, at human scale


class Scale(NamedTuple):
    """What the numbers of a model at human scale are multiplied by, as powers of two."""

    name: str
    length: int = 0
    mass: int = 0
    time: int = 0

    @property
    def units(self) -> ht.units.Units:
        return ht.units.Units(2.0**self.length, 2.0**self.mass, 2.0**self.time)

    @property
    def powers(self) -> str:
        return f"2^{self.length} m, 2^{self.mass} kg, 2^{self.time} s"

    def enlarge(self, model: ht.Model) -> ht.Model:
        """The similar model at this scale."""
        return ht.units.nondimensionalise(model, self.units, back=True)

    def simulate(self, model: ht.Model, step: float, seconds: float = SECONDS, **options):
        """A run of a model at this scale; its times are those at human scale."""
        time = self.units.time
        return ht.simulate(model, seconds * time, step * time, progress=False, **options)


HUMAN = Scale("1 m")
SCALES = (
    Scale("an atom, 1e-10 m", -33, -88, -40),
    Scale("a cell, 10 µm", -17, -40, -10),
    Scale("1 mm", -10, -20, -5),
    HUMAN,
    Scale("1 km", 10, 30, 5),
    Scale("a planet, 1e7 m", 23, 82, 10),
    Scale("an orbit, 1e11 m", 37, 100, 22),
)
SMALL = {"SCALES": SCALES[2:3]}


# ---- runs ----------------------------------------------------------------------------------------
@cache
def fixed_run(scale: Scale) -> ht.Trajectory:
    """A four-bar linkage with fixed steps."""
    model = scale.enlarge(ht.library.four_bar())
    options = {"formulation": "hamiltonian_loops", "integrator": "spark6"}
    return scale.simulate(model, 2e-3, save_every=50, **options)


@cache
def adaptive_run(scale: Scale) -> ht.Trajectory:
    """The same linkage in absolute coordinates, projected, with error control."""
    model = scale.enlarge(ht.library.four_bar())
    options = {"formulation": "cartesian_3", "integrator": "dop853", "rtol": 1e-10}
    return scale.simulate(model, 0.1, **options)


@cache
def implicit_run(scale: Scale) -> ht.Trajectory:
    """Three boxes on hinges by an implicit method with error control."""
    model = scale.enlarge(ht.library.chain(3))
    options = {"formulation": "hamiltonian_tree", "integrator": "radau5", "rtol": 1e-8}
    return scale.simulate(model, 0.1, **options)


def angle_error(run: Callable[[Scale], ht.Trajectory], scale: Scale) -> float:
    """rad: how far the joints are from those of the run at human scale, at the end."""
    return float(np.abs(run(scale).q.values[-1] - run(HUMAN).q.values[-1]).max())


def largest_difference(scale: Scale) -> float:
    """Of all formulations of a four-bar linkage, at the start and at the end of runs, relative;
    infinite if they do not agree.
    """
    found = ht.compare(scale.enlarge(ht.library.four_bar()), progress=False)
    if not found.agree:
        return np.inf
    return max(row.relative for row in found.disagreements)


# ---- a free body ---------------------------------------------------------------------------------
def satellite(scale: Scale, speed: float) -> ht.Model:
    """A heavy bus with a light boom on a stiff hinge, free in space; the speed is in m/s at every
    scale.
    """
    bus = ht.Body("bus", mass=1000.0, inertia=(500.0, 500.0, 500.0))
    boom = ht.Body("boom", mass=1.0, com=(0.5, 0, 0), inertia=(1e-3, 0.1, 0.1))
    free = ht.Free("free", "ground", "bus", qdot=(0, 0, 0, 0, 0, 0.05))
    hinge = ht.Revolute("hinge", "bus", "boom", axis=(0, 0, 1), on_parent=(1, 0, 0), q=0.5)
    spring = ht.JointSpring("hinge", stiffness=400.0)
    model = ht.Model([bus, boom], [free, hinge], forces=[spring], gravity=(0, 0, 0))
    free, hinge = scale.enlarge(model).joints
    boosted = replace(free, qdot=(speed, 0.3 * speed, -0.1 * speed, *free.qdot[3:]))
    return scale.enlarge(model).with_(joints=(boosted, hinge))


@cache
def hinge_angles(scale: Scale, speed: float) -> np.ndarray:
    """Over 2 s at human scale, by gauss8."""
    done = scale.simulate(satellite(scale, speed), 1e-2, 2.0, save_every=10)
    return done.q.sel(coordinate="hinge").values


def hinge_error(scale: Scale, speed: float) -> float:
    """rad: the largest difference from the body at rest."""
    return float(np.abs(hinge_angles(scale, speed) - hinge_angles(scale, 0.0)).max())


# ---- the table -----------------------------------------------------------------------------------
def measure(scale: Scale) -> dict[str, float]:
    """Each of the goals at one scale; infinite where a run fails."""
    questions: dict[str, Callable[[], float]] = {
        "spark6: energy error": lambda: fixed_run(scale).energy_error,
        "spark6: residual": lambda: relative_residual(fixed_run(scale)),
        "spark6: off 1 m": partial(angle_error, fixed_run, scale),
        "dop853: energy error": lambda: adaptive_run(scale).energy_error,
        "dop853: residual": lambda: relative_residual(adaptive_run(scale)),
        "dop853: off 1 m": partial(angle_error, adaptive_run, scale),
        "radau5: energy error": lambda: implicit_run(scale).energy_error,
        "radau5: off 1 m": partial(angle_error, implicit_run, scale),
        "`compare`": partial(largest_difference, scale),
        "hinge at 7.5 km/s": partial(hinge_error, scale, 7.5e3),
        "hinge at 30 km/s": partial(hinge_error, scale, 3e4),
    }
    return {column: finite_or_infinite(questions[column]) for column in GOALS}


def finite_or_infinite(question: Callable[[], float]) -> float:
    try:
        return question()
    except HamiltreeError as error:
        print(error, file=sys.stderr)
        return np.inf


def run() -> list[Row]:
    return [
        Row(f"{scale.name}, {column}", scale.powers, figure, "", at_most=GOALS[column])
        for scale in SCALES
        for column, figure in measure(scale).items()
    ]


def cells(scale: Scale, found: dict[str, float]) -> tuple[str, ...]:
    """One row of the table."""
    texts = {column: figure_text(figure) for column, figure in found.items()}
    if np.isfinite(found["`compare`"]):
        texts["`compare`"] = f"agree, {texts['`compare`']}"
    return scale.name, scale.powers, *texts.values()


def figure_text(figure: float) -> str:
    if figure == 0.0:
        return "0"
    return f"{figure:.0e}" if np.isfinite(figure) else "fails"


def as_markdown(scales: tuple[Scale, ...] = SCALES) -> str:
    """The whole table."""
    lines = [COLUMNS, ("---",) * len(COLUMNS), *(cells(scale, measure(scale)) for scale in scales)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_table(path: Path, table: str) -> None:
    """Into a page, between the two comments that enclose it."""
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(CLOSE) != 1:
        raise FileError(
            f"{path}: no place for the table; write {BEGIN} and {CLOSE} on lines of their own"
        )
    before, rest = text.split(BEGIN)
    path.write_text(f"{before}{BEGIN}\n{table}{CLOSE}{rest.split(CLOSE)[1]}", encoding="utf-8")


def main() -> None:
    """Print the table, or write it into the page that is given."""
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if page is None:
        print(as_markdown(), end="")
    elif page.is_file():
        write_table(page, as_markdown())
    else:
        sys.exit(f"there is no page {page}; try: python -m benchmarks.scales docs/accuracy.md")


if __name__ == "__main__":
    main()
