"""What a step costs in two versions of the package, in turn:
python -m benchmarks.steps_between BASE [word …], BASE a worktree of the other version.

Each version runs in a process of its own; they take turns in short rounds, so that what disturbs
one disturbs both, and the best of each counts. Both run the same steps from the same start. Words
choose the cases whose names hold all of them. Where its memory lies makes a process faster or
slower by some per cent all its life: --processes N begins N pairs one after the other, and the pair
with the median ratio counts.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

SLICE = 8e-3  # seconds of a round
ROUNDS = 40
HERE = Path(__file__).parents[1]


class Case(NamedTuple):
    model: str  # the name of a library model, or an H(q, p)
    arguments: list
    formulation: str
    integrator: str
    step: float  # s
    is_free: bool = False  # of particles: the first body too

    def __str__(self) -> str:
        given = f"({', '.join(map(str, self.arguments))})" if self.arguments else ""
        return f"{self.model}{given} {self.formulation} {self.integrator}"


def cases() -> list[Case]:
    return [*tree_cases(), *loop_cases(), *absolute_cases(), *free_cases(), *typed_cases()]


def tree_cases() -> list[Case]:
    """Trees, by the families that fit any first-order system and by pairs."""
    models = (
        ("n_pendulum", [2, 1.0, 1.0, [1.0, 2.0]], 5e-3),
        ("chain", [10], 1e-3),
        ("tree", [10], 1e-3),
        ("floating_tree", [10], 1e-3),
        ("spherical_chain", [10], 1e-3),
    )
    methods = ("rk4", "gauss4", "gauss8", "radau_iia5", "radau5", "dop853", "stormer_verlet")
    methods += ("lobatto_pair4", "suzuki4(implicit_midpoint)")
    return [
        Case(name, given, "hamiltonian_tree", method, step)
        for name, given, step in models
        for method in methods
    ]


MECHANISMS = (
    ("four_bar", [], 2e-3),
    ("slider_crank", [], 2e-3),
    ("spatial_slider_crank", [], 2e-3),
    ("stewart", [], 2e-3),
    ("double_wishbone", [], 1e-3),
    ("bricard", [], 2e-3),
    ("andrews", [], 1e-5),
)


def loop_cases() -> list[Case]:
    """Mechanisms, by methods that keep constraints."""
    return [
        Case(name, given, formulation, method, step)
        for formulation, methods in (
            ("hamiltonian_loops", ("rattle", "spark4", "spark6", "suzuki4(rattle)")),
            ("cartesian_hamiltonian", ("rattle", "spark6")),
        )
        for name, given, step in MECHANISMS
        for method in methods
    ]


def absolute_cases() -> list[Case]:
    """Mechanisms and a chain, in absolute coordinates and by Kane's equations."""
    names = ("cartesian_1", "cartesian_2", "cartesian_3", "kane_absolute")
    models = (*MECHANISMS, ("chain", [5], 1e-3))
    found = [
        Case(name, given, formulation, method, step)
        for formulation in names
        for name, given, step in models
        for method in ("rk4", "dop853")
    ]
    alpha = [Case(*each, "cartesian_3", "generalised_alpha", step) for *each, step in MECHANISMS]
    kane = [
        Case(name, given, "kane_relative", method, 1e-3)
        for name, given in (("chain", [5]), ("spherical_chain", [5]))
        for method in ("rk4", "dop853", "gauss8")
    ]
    return [*found, *alpha, *kane]


def free_cases() -> list[Case]:
    """Free bodies with forces between them."""
    methods = {
        "free_bodies_quaternion": ("splitting2", "splitting4", "splitting6", "gauss8", "quat_em"),
        "free_bodies_rotation": ("rattle", "suzuki4(rattle)"),
    }
    return [
        Case("particle_chain", [n], formulation, method, 2e-3, True)
        for n in (3, 20)
        for formulation, names in methods.items()
        for method in names
    ]


def typed_cases() -> list[Case]:
    """An H(q, p) that is typed in, separable and not."""
    separable = ("stormer_verlet", "blanes_moan6", "kahan_li8", "rk4", "gauss8")
    return [
        *(Case("p**2/2 - cos(q)", [], "", method, 2e-2) for method in separable),
        *(Case("p**2/2 - cos(q)*(1 - p/6)", [], "", m, 2e-2) for m in ("gauss8", "tao4", "rk4")),
    ]


# ---- the process of one version ------------------------------------------------------------------
def serve() -> None:
    """Answer lines of standard input: a case makes it ready, a number runs it for so many steps."""
    import hamiltree as ht

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    run = None
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if isinstance(asked, list):
                run = prepare(ht, Case(*asked))
                answer = run(1)
            else:
                assert run is not None
                answer = run(asked)
        except (ht.HamiltreeError, AssertionError) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), file=answers, flush=True)


def prepare(ht: Any, case: Case) -> Callable[[int], dict[str, float]]:
    """run(steps) of a case: what it took."""
    start = {}
    if case.formulation:
        options = {"first": "free"} if case.is_free else {}
        problem = ht.library.build(case.model, *case.arguments, **options)
        names = {"formulation": case.formulation, "integrator": case.integrator}
    else:
        problem, names = ht.hamiltonian(case.model), {"integrator": case.integrator}
        start = {"q": {"q": 1.0}, "p": {"p": 0.3}}
    simulator = ht.simulator(problem, case.step, **names)

    def run(steps: int) -> dict[str, float]:
        done = simulator.run(steps * case.step, save_every=10**9, **start)
        counted = done.statistics
        return {
            "seconds": counted["seconds"],
            "steps": counted["steps"],
            "calls": counted.get("calls", 0),
            "end": float(done.energy.values[-1]),
        }

    return run


class Version:
    """The process of one version of the package."""

    def __init__(self, root: Path):
        given = {**os.environ, "PYTHONPATH": str(root / "src")}
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--serve"],
            env=given,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, what: Any) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(what), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())

    def end(self) -> None:
        """Its standard input ends, and so does it."""
        self.process.communicate()


# ---- the table -----------------------------------------------------------------------------------
def measure(versions: list[Version], case: Case, rounds: int) -> list[dict[str, Any]]:
    """Of each version the answer of its fastest round, or its error."""
    first = [version.ask(list(case)) for version in versions]
    if any("error" in found for found in first):
        return first
    steps = 1
    while versions[0].ask(steps)["seconds"] < SLICE / 2 and steps < 10**6:
        steps *= 2
    best = [version.ask(steps) for version in versions]
    for _ in range(rounds):
        for k, version in enumerate(versions):
            found = version.ask(steps)
            if "error" in found or found["seconds"] < best[k].get("seconds", 0.0):
                best[k] = found
    return best


def median_pair(pairs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The pair with the median ratio; one with an error, where there is one."""
    broken = [pair for pair in pairs if any("error" in each for each in pair)]
    if broken:
        return broken[0]
    ranked = sorted(pairs, key=lambda pair: pair[1]["seconds"] / pair[0]["seconds"])
    return ranked[len(ranked) // 2]


def line_of(case: Case, found: list[dict[str, Any]]) -> str:
    """One line of the table."""
    errors = [each["error"] for each in found if "error" in each]
    if errors:
        return f"| {case} | {'; '.join(dict.fromkeys(errors))} |||||"
    before, now = found
    cost = [1e6 * each["seconds"] / each["steps"] for each in found]
    calls = [each["calls"] / each["steps"] for each in found]
    moved = abs(now["end"] - before["end"]) / max(abs(before["end"]), 1e-300)
    return (
        f"| {case} | {cost[0]:.3f} | {cost[1]:.3f} | {cost[1] / cost[0]:.3f} | "
        f"{calls[0]:.2f} | {calls[1]:.2f} | {moved:.0e} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", type=Path)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--processes", type=int, default=1, help="pairs of processes; odd")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        return serve()
    chosen = [case for case in cases() if all(word in str(case) for word in given.words)]
    found: list[list[list[dict[str, Any]]]] = [[] for _ in chosen]
    print("| case | µs per step before | now | ratio | calls per step | now | energies differ |")
    print("|---|---|---|---|---|---|---|")
    for number in range(given.processes):
        versions = [Version(given.base.resolve()), Version(HERE)]
        for case, pairs in zip(chosen, found, strict=True):
            pairs.append(measure(versions, case, given.rounds))
            if number == given.processes - 1:
                print(line_of(case, median_pair(pairs)), flush=True)
        for version in versions:
            version.end()


if __name__ == "__main__":
    main()
