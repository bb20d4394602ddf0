"""Rigid-body algorithms of two robots against Pinocchio, one state and a thousand; what derivatives
and balls cost; a million steps of a free body.

Pinocchio is called in a loop over the states, as it is from Python, by the fastest of its functions
for the same answer.
pip install example-robot-data
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

import hamiltree as ht
from benchmarks.cost import cost
from benchmarks.measure import Row, agree, best, repeated
from hamiltree.compiled.number import WIDTH

# where wheels and conda put it: beside Pinocchio
INSTALLED = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
STATES, COMPARED, REPEATS, ROUNDS = 1000, 5, 5, 12
OPTIONS = {"floating_base": True, "inertia": "repair", "mimic": "ignore", "dynamics": "drop"}
ROBOTS = {
    "talos": ("talos_data/robots/talos_reduced.urdf", "arm_left_7_link"),
    "solo12": ("solo_description/robots/solo12.urdf", "FL_FOOT"),
}
STEP, STEPS = 0.01, 1_000_000  # of the free body, which turns at 2 rad/s
HINGES, BALLS = 30, 1000  # bodies of the chains
SMALL = {
    **{"STATES": 5, "COMPARED": 2, "REPEATS": 1, "ROBOTS": {"solo12": ROBOTS["solo12"]}},
    **{"STEPS": 1000, "HINGES": 3, "BALLS": 3},
}
HALVES = [3, 4, 5, 0, 1, 2]  # Pinocchio has the linear half first


def robot_rows() -> list[Row]:
    return [row for name in ROBOTS for row in rows_of_robot(name)]


def own_rows() -> list[Row]:
    return [*derivative_rows(HINGES), *ball_rows(BALLS), *free_body_rows()]


# ---- the same robot in Pinocchio -----------------------------------------------------------------
class Peer:
    """The file as Pinocchio reads it.

    Its velocity of the free joint is in the child's axes: v = T(q) q̇.
    """

    def __init__(self, path: str, model: ht.Model):
        self.model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        numbers = [self.model.getJointId(label) for label in model.speeds[6:]]
        self.at_q = np.array([self.model.joints[number].idx_q for number in numbers])
        self.at_v = np.array([*range(6), *(self.model.joints[number].idx_v for number in numbers)])

    def positions(self, q) -> np.ndarray:
        out = np.zeros(self.model.nq)
        out[:7], out[self.at_q] = q[[0, 1, 2, 4, 5, 6, 3]], q[7:]
        return out

    def turn(self, q) -> np.ndarray:
        return pin.Quaternion(*q[3:7]).matrix()

    def T(self, q) -> np.ndarray:
        out = np.zeros((self.model.nv, self.model.nv))
        out[self.at_v, np.arange(self.model.nv)] = 1.0
        out[:3, :3] = self.turn(q).T
        return out

    def drift(self, q, u) -> np.ndarray:
        """Ṫ q̇"""
        return np.concatenate(
            [-np.cross(u[3:6], self.turn(q).T @ u[:3]), np.zeros(self.model.nv - 3)]
        )


class Algorithm(NamedTuple):
    """The same question to both, of (q, speeds, third vector); functions of Pinocchio, whose answer
    is translated(answer, T) in our speeds.
    """

    ours: Callable[..., Any]
    theirs: tuple[Callable[..., Any], ...]
    translated: Callable[..., Any]


def algorithms(d, peer: Peer, body: str) -> dict[str, Algorithm]:
    """Every algorithm that is compared, by name."""
    m, data, conventions = peer.model, peer.data, (pin.Convention.LOCAL, pin.Convention.WORLD)
    frame, axes = m.getFrameId(body), pin.LOCAL_WORLD_ALIGNED
    return {
        "inverse dynamics": Algorithm(d.inverse_dynamics, (partial(pin.rnea, m, data),), vector),
        "forward dynamics": Algorithm(
            d.forward_dynamics,
            tuple(lambda q, v, x, w=w: pin.aba(m, data, q, v, x, w) for w in conventions),
            vector,
        ),
        "mass matrix": Algorithm(
            lambda q, u, x: d.mass_matrix(q),
            tuple(lambda q, v, x, w=w: pin.crba(m, data, q, w) for w in conventions),
            matrix,
        ),
        "M⁻¹x": Algorithm(lambda q, u, x: d.solve(q, x), solvers(m, data), vector),
        "gravity": Algorithm(
            lambda q, u, x: d.gravity(q),
            (lambda q, v, x: pin.computeGeneralizedGravity(m, data, q),),
            vector,
        ),
        "Jacobian": Algorithm(
            lambda q, u, x: d.jacobian(q, body),
            (lambda q, v, x: pin.computeFrameJacobian(m, data, q, frame, axes),),
            six_rows,
        ),
        "centroidal matrix": Algorithm(
            lambda q, u, x: d.momentum_matrix(q),
            (lambda q, v, x: pin.computeCentroidalMap(m, data, q),),
            six_rows,
        ),
        "derivatives of inverse": Algorithm(
            d.inverse_derivatives, (partial(pin.computeRNEADerivatives, m, data),), derivatives
        ),
        "derivatives of forward": Algorithm(
            d.forward_derivatives, (partial(pin.computeABADerivatives, m, data),), derivatives
        ),
    }


def solvers(m, data) -> tuple[Callable[..., Any], ...]:
    """M⁻¹x by factors, by the inverse, and by the articulated-body algorithm without gravity and at
    rest.
    """
    weightless = m.copy()
    weightless.gravity.linear = np.zeros(3)
    other, rest = weightless.createData(), np.zeros(m.nv)

    def by_factors(q, v, x):
        pin.crba(m, data, q)
        pin.cholesky.decompose(m, data)
        return pin.cholesky.solve(m, data, x)

    return (
        by_factors,
        lambda q, v, x: symmetric(pin.computeMinverse(m, data, q)) @ x,
        lambda q, v, x: pin.aba(weightless, other, q, rest, x),
    )


def symmetric(upper) -> np.ndarray:
    """Of which Pinocchio may have filled only the upper half."""
    return np.triu(upper) + np.triu(upper, 1).T


# T is orthogonal: accelerations and forces translate alike
def vector(answer, T) -> np.ndarray:
    return T.T @ answer


def matrix(answer, T) -> np.ndarray:
    return T.T @ symmetric(answer) @ T


def six_rows(answer, T) -> np.ndarray:
    return (answer @ T)[HALVES]


def derivatives(answer, T) -> np.ndarray:
    """By q, by the speeds, and M or M⁻¹, of the joints' rows and columns: those of the free joint
    contain derivatives of T.
    """
    return np.array([T.T @ answer[0] @ T, T.T @ answer[1] @ T, matrix(answer[2], T)])[:, 6:, 6:]


def asked_of(peer: Peer, name: str, q, u, x) -> tuple:
    """(q, v, third vector) of Pinocchio for ours; accelerations have Ṫ q̇ more than forces."""
    T = peer.T(q)
    return peer.positions(q), T @ u, T @ x + (peer.drift(q, u) if "inverse" in name else 0.0)


def check(name: str, algorithm: Algorithm, peer: Peer, q, u, x) -> None:
    """All functions of Pinocchio give our answer."""
    ours, T = np.array(algorithm.ours(q, u, x)), peer.T(q)
    ours = ours[:, 6:, 6:] if "derivatives" in name else ours
    for function in algorithm.theirs:
        given, past = (
            asked_of(peer, name, q, u, x),
            peer.drift(q, u) if name == "forward dynamics" else 0.0,
        )
        answer = function(*given)
        answer = algorithm.translated(answer if isinstance(answer, tuple) else answer - past, T)
        agree(name, abs(ours - answer).max() / abs(answer).max(), 1e-9)


# ---- robots --------------------------------------------------------------------------------------
def rows_of_robot(name: str) -> list[Row]:
    """Compare all answers on some states, then time one state and many."""
    path, body = str(INSTALLED / ROBOTS[name][0]), ROBOTS[name][1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # meshes that are elsewhere
        model = ht.load(path, **OPTIONS)
    d, peer, rng = ht.dynamics(model), Peer(path, model), np.random.default_rng(1)
    n = len(model.speeds)
    Q = d.integrate(np.tile(model.start()[0], (STATES, 1)), rng.normal(size=(STATES, n)))
    U, X = rng.normal(size=(2, STATES, n))
    rows = []
    for what, algorithm in algorithms(d, peer, body).items():
        for q, u, x in zip(Q[:COMPARED], U[:COMPARED], X[:COMPARED], strict=True):
            check(what, algorithm, peer, q, u, x)
        rows += algorithm_rows(f"{name}, {what}", what, algorithm, peer, (Q, U, X))
    return rows


def algorithm_rows(
    title: str, what: str, algorithm: Algorithm, peer: Peer, states: tuple
) -> list[Row]:
    """Time of many states per state, and of one state."""
    ours, pairs = algorithm.ours, [asked_of(peer, what, *row) for row in zip(*states, strict=True)]
    first, theirs, endless = (
        tuple(array[0] for array in states),
        fastest(algorithm.theirs, pairs[0]),
        cycle(pairs),
    )
    one = medians(
        {
            "ours": repeated(ours, *first),
            "pin": repeated(theirs, *pairs[0]),
        }
    )
    # Pinocchio state after state, as many as fill a slice: a loop over all of them would more often
    # be interrupted than our call
    many = medians(
        {
            "ours": repeated(ours, *states),
            "pin": lambda k: [theirs(*pair) for pair in islice(endless, k)],
        }
    )
    many["ours"] /= STATES
    return [
        Row(
            f"{title}, {STATES} states",
            f"{times(many)} per state",
            many["pin"] / many["ours"],
            at_least=1,
        ),
        Row(f"{title}, one", times(one), one["pin"] / one["ours"], at_least=1.5),
    ]


def fastest(functions: tuple, arguments: tuple) -> Callable[..., Any]:
    """The fastest of several functions of Pinocchio."""
    if len(functions) == 1:
        return functions[0]
    seconds = best(
        {str(i): repeated(function, *arguments) for i, function in enumerate(functions)},
        rounds=10,
    )
    return functions[int(min(seconds, key=seconds.__getitem__))]


def medians(candidates: dict[str, Callable[[int], object]]) -> dict[str, float]:
    """Seconds of each, the median over repeats of the best of a few rounds taken in turn."""
    repeats = [best(candidates, rounds=ROUNDS) for _ in range(REPEATS)]
    return {name: median(seconds[name] for seconds in repeats) for name in candidates}


def times(seconds: dict[str, float]) -> str:
    return ", ".join(f"{name} {1e6 * value:.2f} µs" for name, value in seconds.items())


# ---- costs of our own ----------------------------------------------------------------------------
def derivative_rows(n: int) -> list[Row]:
    """∂a/∂(q, q̇, τ), three n × n matrices, in units of one evaluation."""
    model, rng = ht.library.chain(n), np.random.default_rng(2)
    d, f = ht.dynamics(model), ht.evaluator(model)
    Q, U, X = rng.normal(size=(3, STATES, n))
    rows = []
    for title, (q, u, x), count in (
        ("one", (Q[0], U[0], X[0]), 1),
        (f"{STATES} states", (Q, U, X), STATES),
    ):
        seconds = medians(
            {
                "derivatives": repeated(d.forward_derivatives, q, u, x),
                "(q̇, ṗ)": repeated(f, q, x),
                "accelerations": repeated(d.forward_dynamics, q, u, x),
            }
        )
        goal = 12 if count == 1 else None
        for unit in ("(q̇, ṗ)", "accelerations"):
            pair = {name: seconds[name] / count for name in ("derivatives", unit)}
            rows.append(
                Row(
                    f"chain({n}), derivatives to {unit}, {title}",
                    times(pair),
                    pair["derivatives"] / pair[unit],
                    at_most=goal,
                )
            )
    return rows


def ball_rows(n: int) -> list[Row]:
    """Cost of a chain of balls relative to a chain of hinges."""
    models = {"ball": ht.library.spherical_chain(n), "hinge": ht.library.chain(n)}
    rows = []
    for width, name in ((1, "alone"), (WIDTH, "in lanes")):
        ns = cost(models, width)
        detail = f"{ns['ball']:.1f} to {ns['hinge']:.1f} ns per body"
        rows.append(
            Row(
                f"spherical_chain({n}) to chain({n}), {name}",
                detail,
                ns["ball"] / ns["hinge"],
                at_most=3,
            )
        )
    return rows


def free_body_rows() -> list[Row]:
    """Gauss-8: L = ½ Im(g ∘ q̄) in space, ‖q‖ and the energy, at a thousand samples of a body that
    tumbles about its middle axis.
    """
    model, options = (
        ht.library.free_body(),
        {"step": STEP, "integrator": "gauss8", "progress": False},
    )
    ht.simulate(model, until=STEP, **options)  # compiles
    began = time.perf_counter()
    done = ht.simulate(model, until=STEPS * STEP, save_every=STEPS // 1000, **options)
    seconds = time.perf_counter() - began
    q, g = done.q.values[:, 3:], done.p.values[:, 3:]
    spin = 0.5 * (q[:, :1] * g[:, 1:] - g[:, :1] * q[:, 1:] - np.cross(g[:, 1:], q[:, 1:]))
    errors = {
        "angular momentum": np.linalg.norm(spin - spin[0], axis=1).max() / np.linalg.norm(spin[0]),
        "‖q‖ − 1": abs(np.linalg.norm(q, axis=1) - 1.0).max(),
        "energy": done.energy_error,
    }
    detail = f"{STEPS:.0e} steps of {STEP} s in {seconds:.1f} s"
    return [
        Row(f"free body, gauss8, {what}", detail, float(error), "", at_most=1e-13)
        for what, error in errors.items()
    ]
