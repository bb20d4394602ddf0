"""Typed-in Hamiltonians: steps a second on the galactic orbit, Kepler over 1000 periods against
SciPy at equal error, and getting ready.
"""

import subprocess
import sys
import time
from math import pi

import numpy as np

import hamiltree as ht
from benchmarks.measure import Row, agree, best
from hamiltree.formulations import phase_space
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import find_integrator
from hamiltree.integrators.event_monitor import empty_monitor

GALACTIC = (
    "(p1**2+p2**2+p3**2)/2 + W*(p1*q2 - p2*q1) + A*log(C + q1**2/a**2 + q2**2/b**2 + q3**2/c**2)"
)
NUMBERS = {"W": 0.25, "A": 1.0, "C": 1.0, "a": 1.25, "b": 1.0, "c": 0.75}
START = np.array([2.5, 0.0, 0.0, 0.0, 1.6888370059044757, 0.2])
STEPS = {("gauss6", 0.2): 6e5, ("rk4", 0.025): 6e6}
KEPLER = "(px**2 + py**2)/2 - 1/sqrt(x**2 + y**2)"
PERIODS, ECCENTRICITY, ROUNDS = 1000, 0.6, 5
SIX = (
    "(p1**2+p2**2+p3**2+p4**2+p5**2+p6**2)/2 + cos(q1-q2)*{0!r} + log(2+q3**2+q4**2)"
    " + exp(-q5**2)*q6**2 + q1**2/2 + sqrt(1+q6**2)"
)
PROCESSES = 5
# its expression is in the cache from the second time on
SMALL = {"PERIODS": 20, "ROUNDS": 1, "PROCESSES": 1, "SIX": "p1**2/2 + cos(q1)"}


def own_rows() -> list[Row]:
    return [
        *(steps_row(name, step, goal) for (name, step), goal in STEPS.items()),
        *ready_rows(),
    ]


def steps_row(name: str, step: float, goal: float) -> Row:
    """Million steps per second of one method on the galactic orbit."""
    seconds = best({name: galactic_steps(name, step)})[name]
    return Row(
        f"galactic orbit, {name}",
        f"{seconds * 1e9:.0f} ns per step",
        1e-6 / seconds,
        "million steps/s",
        at_least=goal / 1e6,
    )


def galactic_steps(name: str, step: float):
    """f(steps): so many steps of a method on the galactic orbit."""
    method, system = (
        find_integrator(name),
        phase_space.assemble(phase_space.PhaseStart(ht.hamiltonian(GALACTIC, **NUMBERS))),
    )
    works = (phase_space.workspace(system, width) for width in (method.width, 1))
    handle = indirect(system, *works, method.needs, method.width)
    state, monitor, nothing = (
        method.initial_state(START, method.method),
        empty_monitor(6),
        np.empty((0, 8)),
    )
    return lambda steps: method.advance(
        handle, method.method, state, monitor, 0.0, 0, step, steps, steps + 1, nothing
    )


def kepler_rows() -> list[Row]:
    """Time to a given error over whole periods, against SciPy."""
    start, until = (
        [1 - ECCENTRICITY, 0.0, 0.0, np.sqrt((1 + ECCENTRICITY) / (1 - ECCENTRICITY))],
        2 * pi * PERIODS,
    )
    theirs = min((scipy_run(start, until) for _ in range(2)), key=lambda pair: pair[1])
    rows = []
    for name, more in (
        ("dop853", {"rtol": 1e-10, "atol": 1e-12, "step": until / 1000}),
        ("gauss8", {"step": until / PERIODS / 64}),
    ):
        ours = min(
            (our_run(start, until, name, more) for _ in range(ROUNDS)), key=lambda pair: pair[1]
        )
        agree(f"the error of {name} against that of SciPy", ours[0] / theirs[0], 1.0)
        text = f"error {ours[0]:.1e} in {ours[1]:.3f} s; SciPy {theirs[0]:.1e} in {theirs[1]:.2f} s"
        rows.append(
            Row(
                f"Kepler, {PERIODS} periods, {name} against solve_ivp(DOP853)",
                text,
                theirs[1] / ours[1],
                at_least=50,
            )
        )
    return rows


def scipy_run(start, until) -> tuple[float, float]:
    """Distance from the start after whole periods, and seconds."""

    from scipy.integrate import solve_ivp

    def rates(t, y):
        cube = (y[0] * y[0] + y[1] * y[1]) ** 1.5
        return (y[2], y[3], -y[0] / cube, -y[1] / cube)

    began = time.perf_counter()
    done = solve_ivp(
        rates, (0.0, until), start, method="DOP853", rtol=1e-9, atol=1e-11, t_eval=[until]
    )
    return float(np.abs(done.y[:, -1] - start).max()), time.perf_counter() - began


def our_run(start, until, name, more) -> tuple[float, float]:
    """Distance from the start after whole periods, and seconds."""
    H = ht.hamiltonian(KEPLER, q="x y", p="px py", name="kepler")
    began = time.perf_counter()
    done = ht.simulate(
        H, until=until, integrator=name, q=start[:2], p=start[2:], progress=False, **more
    )
    seconds = time.perf_counter() - began
    return float(
        np.abs(np.concatenate([done.q.values[-1], done.p.values[-1]]) - start).max()
    ), seconds


def ready_rows() -> list[Row]:
    """Each in a process of its own: from after the import of hamiltree until the Hamiltonian is
    there.
    """
    text = SIX.format(time.time())  # one that no cache has seen
    cold, cached = ready_seconds(text), min(ready_seconds(text) for _ in range(PROCESSES))
    return [
        Row(
            "a new expression of six coordinates",
            "cold, with SymPy and the compiler",
            cold,
            "s",
            at_most=3,
        ),
        Row("the same from the cache", "another process", cached, "s", at_most=0.7),
    ]


def ready_seconds(text: str) -> float:
    """Seconds from the import of hamiltree to the Hamiltonian, in a process of its own."""
    code = (
        f"import hamiltree, time; t = time.perf_counter(); hamiltree.hamiltonian({text!r}); "
        "print(time.perf_counter() - t)"
    )
    return float(
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout
    )
