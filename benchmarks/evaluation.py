"""One evaluation called from Python, and a thousand in one call, against Pinocchio's
articulated-body algorithm.
"""

from collections.abc import Callable

import numpy as np
import pinocchio as pin

import hamiltree as ht
from benchmarks.measure import Row, agree, best, microseconds
from benchmarks.peers import Pinocchio, to_pinocchio

STATES = 1000
GOALS = {10: 5, 100: 6}  # of one evaluation
SHARE = {"evaluate": 0.8}  # of the goal: a Python function finds the evaluator of a model
SMALL = {"STATES": 20, "GOALS": {2: 5}}
CONVENTIONS = (pin.Convention.LOCAL, pin.Convention.WORLD)


def run() -> list[Row]:
    return [row for n in GOALS for row in rows_for(n)]


def rows_for(n: int) -> list[Row]:
    """Check both against each other on random states, then time one state and many."""
    model = ht.library.chain(n)  # in a chain both have the coordinates in the same order
    peer, f = to_pinocchio(model), ht.evaluator(model)
    rng = np.random.default_rng(1)
    Q, V = rng.normal(size=(2, STATES, n))
    P = np.array([mass_matrix(peer, q) @ v for q, v in zip(Q, V, strict=True)])
    for q, p in zip(Q[:10], P[:10], strict=True):
        agree(f"velocities of chain({n})", velocity_error(peer, f, q, p), 1e-12)
        agree(f"accelerations of chain({n})", acceleration_error(peer, f, q, p), 1e-10)
    alone = np.array([f(q, p) for q, p in zip(Q, P, strict=True)]).swapaxes(0, 1)
    agree(
        f"{STATES} states of chain({n}) in one call and one by one",
        abs(np.array(f(Q, P)) - alone).max(),
        0.0,
    )

    q, v, p, pairs = Q[0], V[0], P[0], list(zip(Q, V, strict=True))
    aba = fastest_aba(peer, q, v)
    one = best(one_state(model, f, aba, (q, v, p)))
    many = best(
        {
            "evaluator": lambda k: [f(Q, P) for _ in range(k)],
            "pin.aba": lambda k: [aba(*pair) for _ in range(k) for pair in pairs],
        }
    )
    return [
        *(
            Row(
                f"chain({n}), ht.{name}",
                microseconds({name: one[name], "pin.aba": one["pin.aba"]}),
                one["pin.aba"] / one[name],
                at_least=GOALS[n] * SHARE.get(name, 1.0),
            )
            for name in one
            if name != "pin.aba"
        ),
        Row(
            f"chain({n}), {STATES} states in one call",
            microseconds(many),
            many["pin.aba"] / many["evaluator"],
            at_least=8,
        ),
    ]


def one_state(model: ht.Model, f, aba, state: tuple) -> dict[str, Callable[[int], object]]:
    """The same state again and again by each; what is returned is let go, as in a loop of one's
    own.
    """
    (q, v, p), out = state, (np.empty_like(state[0]), np.empty_like(state[2]))

    def evaluate(k: int) -> None:
        for _ in range(k):
            ht.evaluate(model, q, p)

    def evaluator(k: int) -> None:
        for _ in range(k):
            f(q, p)

    def evaluator_with_out(k: int) -> None:
        for _ in range(k):
            f(q, p, out)

    def pinocchio(k: int) -> None:
        for _ in range(k):
            aba(q, v)

    return {
        "evaluate": evaluate,
        "evaluator": evaluator,
        "evaluator, out": evaluator_with_out,
        "pin.aba": pinocchio,
    }


def mass_matrix(peer: Pinocchio, q) -> np.ndarray:
    M = np.triu(pin.crba(peer.model, peer.data, q))
    return M + np.triu(M, 1).T


def acceleration_error(peer: Pinocchio, f, q, p) -> float:
    """q̈ of both at the same (q, p), relative, at our q̇.

    Ours follows from ṗ = M q̈ + Ṁ q̇ with Ṁ = C + Cᵀ: it is what the effort ṗ − Ṁ q̇ + (C q̇ +
    gravity) gives.
    The speeds v of p = M v would not do: rounding p moves them by cond(M) = 1e6 roundings in a
    hundred bodies.
    """
    qdot, pdot = f(q, p)
    C = pin.computeCoriolisMatrix(peer.model, peer.data, q, qdot).copy()
    bias = pin.nonLinearEffects(peer.model, peer.data, q, qdot).copy()
    ours = pin.aba(peer.model, peer.data, q, qdot, pdot - (C + C.T) @ qdot + bias).copy()
    theirs = pin.aba(peer.model, peer.data, q, qdot, np.zeros_like(q)).copy()
    return abs(ours - theirs).max() / abs(theirs).max()


def velocity_error(peer: Pinocchio, f, q, p) -> float:
    """M q̇ = p, relative."""
    return abs(mass_matrix(peer, q) @ f(q, p)[0] - p).max() / abs(p).max()


def fastest_aba(peer: Pinocchio, q, v):
    """pin.aba with everything bound that can be, in the convention that is the faster one here."""
    model, data, aba, tau = peer.model, peer.data, pin.aba, np.zeros(len(v))
    calls = {str(c): (lambda q, v, c=c: aba(model, data, q, v, tau, c)) for c in CONVENTIONS}
    seconds = best(
        {
            name: (lambda k, call=call: [call(q, v) for _ in range(k)])
            for name, call in calls.items()
        },
        rounds=20,
    )
    return calls[min(seconds, key=seconds.__getitem__)]
