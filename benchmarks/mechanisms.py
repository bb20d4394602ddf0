"""Mechanisms with loops: what an evaluation costs, a race against Exudyn at equal error, a million
steps, a minute of a strandbeest.

Exudyn (Gerstmayr 2023, doi:10.1007/s11044-023-09937-1) solves the spatial slider-crank of
"Spatial Dynamics" as it does such systems: bodies with Euler parameters, joints by multipliers,
generalised-α for index 3. Only its call of the solver is timed, with all output off, in its build
without range checks and with Newton's matrix kept as long as it serves, which is fastest.
pip install exudyn
"""

import json
import os
import time
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

import hamiltree as ht
from benchmarks.cost import repeat
from benchmarks.long_runs import energy_rows, loop_rows, title_rows
from benchmarks.measure import Row, agree, best
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.number import rows
from hamiltree.formulations import find_formulation

# bodies of a chain; at most so many times the cost for ten times the bodies
SIZES, GROWTH = (
    (10, 100, 1000),
    12,
)
ORACLE = Path(__file__).parents[1] / "tests" / "data" / "seed001_slidercrank_a.json"
QUIET = {"progress": False, "save_every": 10**9}
SMALL = {"SIZES": (2, 3), "REPEATS": 1, "STEPS": 100, "SAMPLES": 10, "WALK": 0.05}


def own_rows() -> list[Row]:
    return [*chain_rows(), *evaluation_rows(), *long_rows(), *walking_rows()]


# ---- one evaluation ------------------------------------------------------------------------------
def started(model: ht.Model, formulation):
    """The system of a formulation and its state at the model's start."""
    assembly = assemble_at_start(model)
    system = formulation.assemble(assembly)
    return system, formulation.initial_state(system, assembly, None)


def chain_rows() -> list[Row]:
    """A chain of balls by formulation III, inside compiled code."""
    seconds = best({str(n): evaluations(ht.library.spherical_chain(n)) for n in SIZES})
    detail = {n: f"{1e6 * seconds[str(n)] / n:.2f} µs per body" for n in SIZES}
    return [
        Row(
            f"cartesian_3, chain of {n} to {m}",
            f"{detail[n]} to {detail[m]}",
            seconds[str(n)] / seconds[str(m)],
            at_most=GROWTH,
        )
        for m, n in pairwise(SIZES)
    ]


def evaluations(model: ht.Model) -> Callable[[int], object]:
    """f(times): so many evaluations of cartesian_3 at the start."""
    formulation = find_formulation("cartesian_3")
    system, start = started(model, formulation)
    work, y, ydot = (
        formulation.workspace(system, 1),
        *(rows(float, len(start), 1) for _ in range(2)),
    )
    y[:] = start
    return lambda times: repeat(system, work, y, ydot, times)


def evaluation_rows() -> list[Row]:
    """From Python: accelerations and multipliers of three bodies and sixteen constraints."""
    model, given = ht.library.spatial_slider_crank(), oracle()
    system, y = started(model, find_formulation("cartesian_3"))
    q, v = np.split(y, [system.layout.positions])
    f = ht.evaluator(model, "cartesian_3")
    agree(
        "accelerations of the slider-crank",
        abs(f(q, v)[1] - given["accel_rdd_omegadot"]).max(),
        1e-11,
    )
    seconds = best({"one": lambda k: [f(q, v) for _ in range(k)]})["one"]
    return [
        Row(
            "cartesian_3, spatial slider-crank, one evaluation from Python",
            "",
            1e6 * seconds,
            "µs",
            at_most=10,
        )
    ]


@cache
def oracle() -> dict:
    return json.loads(ORACLE.read_text())


# ---- against Exudyn ------------------------------------------------------------------------------
PEER_STEPS = (1e-2, 3.125e-3, 1e-3, 3.125e-4)
ERRORS = (1e-4, 1e-5, 1e-6)  # m, at which both are compared
REPEATS = 7
COARSE = (0.05, 0.025, 0.0125, 0.00625, 0.003125)
# formulation, integrator: values of an option; the first pair is what the goal is set on
CANDIDATES = {
    ("cartesian_3", "dop853"): [
        {"rtol": tolerance, "atol": tolerance} for tolerance in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
    ],
    ("cartesian_3", "rk4"): [{"step": step} for step in COARSE],
    ("hamiltonian_loops", "spark6"): [{"step": step} for step in COARSE],
    ("hamiltonian_loops", "spark4"): [{"step": step} for step in COARSE],
    ("hamiltonian_loops", "rattle"): [{"step": step} for step in PEER_STEPS],
}
GOAL = 10


class Timed(NamedTuple):
    error: float  # m
    seconds: float  # of the solver
    wall: float  # of the whole call, all compiled


def race_rows() -> list[Row]:
    """Time at equal error against Exudyn, for each pair of formulation and integrator."""
    solve = slider_crank_of_exudyn()
    tasks: dict[tuple, Callable[[], Timed]] = {
        ("exudyn", step): (lambda step=step: solve(step)) for step in PEER_STEPS
    }
    for pair, options in CANDIDATES.items():
        tasks |= {
            (pair, k): (lambda pair=pair, given=given: our_run(*pair, **given))
            for k, given in enumerate(options)
        }
    found = in_turn(tasks)
    lines = {
        name: [timed for (whose, _), timed in found.items() if whose == name]
        for name in ("exudyn", *CANDIDATES)
    }
    for name, line in lines.items():
        agree(f"{name} and the oracle after 1 s", min(line).error, 1e-5)
    return [
        row
        for pair in CANDIDATES
        for error in ERRORS
        for row in compared(pair, error, lines["exudyn"], lines[pair])
    ]


def in_turn(tasks: dict[tuple, Callable[[], Timed]]) -> dict[tuple, Timed]:
    """The fastest of several repeats of each; the first, which may compile, is not counted."""
    found = {key: task()._replace(seconds=np.inf, wall=np.inf) for key, task in tasks.items()}
    for _ in range(REPEATS):
        for key, task in tasks.items():
            error, seconds, wall = task()
            found[key] = Timed(error, min(seconds, found[key].seconds), min(wall, found[key].wall))
    return found


def compared(
    pair: tuple[str, str], error: float, theirs: list[Timed], ours: list[Timed]
) -> list[Row]:
    """Work–precision lines at one error; nothing where one of them does not get there."""
    peer, seconds, wall = (
        at_error(theirs, error, "seconds"),
        at_error(ours, error, "seconds"),
        at_error(ours, error, "wall"),
    )
    if np.isnan(peer * seconds):
        return []
    detail = (
        f"Exudyn {1e3 * peer:.1f}, ours {1e3 * seconds:.2f} ms; "
        f"the whole call of simulate {1e3 * wall:.0f} ms"
    )
    goal = GOAL if pair == next(iter(CANDIDATES)) else None
    return [
        Row(
            f"slider-crank for 1 s to {error:.0e} m, {pair[0]} with {pair[1]}",
            detail,
            peer / seconds,
            at_least=goal,
        )
    ]


def at_error(line: list[Timed], error: float, what: str) -> float:
    """The least time to an error at most so large: log t over log e, straight between the
    points.
    """
    line = sorted(line)
    cheapest = np.minimum.accumulate([getattr(timed, what) for timed in line])
    return float(
        np.exp(
            np.interp(
                np.log(error),
                np.log([timed.error for timed in line]),
                np.log(cheapest),
                left=np.nan,
            )
        )
    )


def position_error(positions: np.ndarray) -> float:
    """Of the centres of mass after 1 s."""
    return float(abs(positions - np.reshape(oracle()["q_end"], (3, 7))[:, :3]).max())


def our_run(formulation: str, integrator: str, **options) -> Timed:
    model, given = ht.library.spatial_slider_crank(), {"step": 0.1} | options
    began = time.perf_counter()
    done = ht.simulate(
        model, until=1.0, formulation=formulation, integrator=integrator, **given, **QUIET
    )
    wall = time.perf_counter() - began
    return Timed(position_error(done.poses.values[-1, :, :3]), done.statistics["seconds"], wall)


def slider_crank_of_exudyn() -> Callable[[float], Timed]:
    """f(step): 1 s of the mechanism that the oracle describes."""
    os.environ["EXUDYN_MODULE"] = "fast"  # read when it is imported
    import exudyn

    container = exudyn.SystemContainer()
    peer = container.AddSystem()
    ground, bodies = peer.CreateGround(), bodies_of_exudyn(peer, exudyn)
    join_bodies(peer, ground, bodies)
    peer.Assemble()

    def solve(step: float) -> Timed:
        """One run of a second; only the solver is timed."""
        settings = settings_of_exudyn(exudyn, step)
        began = time.perf_counter()
        peer.SolveDynamic(settings, solverType=exudyn.DynamicSolverType.GeneralizedAlpha)
        seconds = time.perf_counter() - began
        return Timed(
            position_error(
                np.array(
                    [
                        peer.GetObjectOutputBody(b, exudyn.OutputVariableType.Position)
                        for b in bodies
                    ]
                )
            ),
            seconds,
            0.0,
        )

    return solve


def start_of_bodies() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(centre of mass, rotation matrix, twist (ṙ, ω')) of each body."""
    q, v = np.reshape(oracle()["q"], (3, 7)), np.reshape(oracle()["v_rdot_omegabody"], (3, 6))
    return [
        (row[:3], ht.Frame((0, 0, 0), tuple(row[3:])).matrix, speed)
        for row, speed in zip(q, v, strict=True)
    ]


def bodies_of_exudyn(peer, exudyn) -> list:
    """The three bodies of the slider-crank in Exudyn, with their starts."""
    from exudyn.utilities import RigidBodyInertia

    given, made = oracle()["params"], []
    for mass, inertia, (at, turn, speed) in zip(
        given["m"], given["J_body"], start_of_bodies(), strict=True
    ):
        made.append(
            peer.CreateRigidBody(
                inertia=RigidBodyInertia(mass, np.array(inertia)),
                nodeType=exudyn.NodeType.RotationEulerParameters,
                referencePosition=at,
                referenceRotationMatrix=turn,
                initialVelocity=speed[:3],
                initialAngularVelocity=turn @ speed[3:],
                gravity=given["gravity"],
            )
        )
    return made


def join_bodies(peer, ground, bodies: list) -> None:
    """A hinge, two balls and a guide: sixteen equations."""
    given, ((r1, A1, _), (r2, A2, _), (r3, A3, _)) = oracle()["params"], start_of_bodies()
    crank, coupler, slider = bodies
    points = (
        r1 + A1 @ given["crank_ground_pt_sA"],
        r1 + A1 @ given["crank_pin_sP"],
        r2 + A2 @ given["coupler_S"],
        r3 + A3 @ given["slider_pin_sS"],
    )
    peer.CreateRevoluteJoint(
        itemNumbers=[ground, crank], position=points[0], axis=given["crank_axis_body"]
    )
    peer.CreateSphericalJoint(itemNumbers=[crank, coupler], position=points[1])
    peer.CreateSphericalJoint(itemNumbers=[coupler, slider], position=points[2])
    peer.CreatePrismaticJoint(
        itemNumbers=[ground, slider], position=points[3], axis=given["line_dir"]
    )


def settings_of_exudyn(exudyn, step: float):
    """Generalised-α for index 3, modified Newton, no output."""
    settings = exudyn.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.verboseMode = (
        round(1 / step),
        1.0,
        0,
    )
    integration.generalizedAlpha.useIndex2Constraints = integration.generalizedAlpha.useNewmark = (
        False
    )
    integration.newton.useModifiedNewton = True
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = 2.0
    return settings


# ---- a million steps -----------------------------------------------------------------------------
STEPS, STEP, SAMPLES = 1_000_000, 2e-3, 1000
LONG = {
    "four_bar": ht.library.four_bar,  # its crank swings
    "four_bar, turning": partial(
        ht.library.four_bar, angle=0.9
    ),  # 17,000 rad in the end, where doubles lie 3.6e-12 apart
    "spatial_slider_crank": ht.library.spatial_slider_crank,
}


def long_rows() -> list[Row]:
    return [
        row
        for name in LONG
        for integrator in ("rattle", "spark6")
        for row in long_run_rows(name, integrator)
    ]


def long_run_rows(name: str, integrator: str) -> list[Row]:
    """Samples, a thousand of them, are looked at."""
    options = {
        "step": STEP,
        "formulation": "hamiltonian_loops",
        "integrator": integrator,
        "progress": False,
    }
    done = ht.simulate(LONG[name](), until=STEPS * STEP, save_every=STEPS // SAMPLES, **options)
    took = f"{STEPS:.0e} steps of {STEP} s in {done.statistics['seconds']:.0f} s"
    return title_rows(f"{name}, {integrator}", took, [*loop_rows(done), *energy_rows(done)])


# ---- strandbeest ---------------------------------------------------------------------------------
WALK = 60.0  # s


def walking_rows(step: float = 1e-2) -> list[Row]:
    """Twelve legs on the spot: 73 bodies, 36 loops."""
    options = {
        "step": step,
        "formulation": "hamiltonian_loops",
        "integrator": "spark4",
        "progress": False,
    }
    model = ht.library.strandbeest()
    ht.simulate(model, until=step, **options)  # compiles
    done = ht.simulate(model, until=WALK, save_every=10, **options)
    detail = f"{WALK:g} s in {done.statistics['seconds']:.1f} s, spark4, steps of {step} s"
    return [
        Row(
            "strandbeest, largest constraint residual",
            detail,
            done.constraint_error,
            "m",
            at_most=1e-12,
        )
    ]
