"""What is asked of a model or an H without a run: services of a tree, and rates."""

from typing import Any

import numpy as np

import hamiltree as ht
from tests.recorded import models
from tests.recorded.entries import Numbers, Question
from tests.recorded.trees import EVERY_FORCE, MIXED, arm_with


def ask_dynamics(model: ht.Model, q: np.ndarray, u: np.ndarray) -> Numbers:
    """All that a tree can be asked."""
    d, x, body = ht.dynamics(model), 0.3 * u + 0.2, model.bodies[-1].name
    kinetic, potential = d.energies(q, u)
    answers = {
        "inverse_dynamics": d.inverse_dynamics(q, u, x),
        "forward_dynamics": d.forward_dynamics(q, u, x),
        "without_forces": d.forward_dynamics(q, u, x, forces=False),
        "mass_matrix": d.mass_matrix(q),
        "factor_d": d.factor(q).d,
        "solve": d.solve(q, x),
        "bias": d.bias(q, u),
        "gravity": d.gravity(q),
        "forces": d.forces(q, u),
        "centre_of_mass": d.centre_of_mass(q),
        "momentum": d.momentum(q, u).about_centre,
        "momentum_matrix": d.momentum_matrix(q),
        "kinetic": kinetic,
        "potential": potential,
        "powers": d.powers(q, u),
        "dissipations": d.dissipations(q, u),
        "potentials": d.potentials(q),
        "poses": d.poses(q),
        "twists": d.twists(q, u),
        "jacobian": d.jacobian(q, body, (0.1, 0.0, 0.2)),
        "jacobian_rate": d.jacobian_rate(q, u, body, axes="body"),
    }
    return {name: np.asarray(values, dtype=float) for name, values in answers.items()}


def ask_derivatives(model: ht.Model, q: np.ndarray, u: np.ndarray) -> Numbers:
    d, x = ht.dynamics(model), 0.3 * u + 0.2
    inverse, forward = d.inverse_derivatives(q, u, x), d.forward_derivatives(q, u, x)
    return {
        **{f"inverse_by_{name}": part for name, part in zip(inverse._fields, inverse, strict=True)},
        **{f"forward_by_{name}": part for name, part in zip(forward._fields, forward, strict=True)},
    }


def ask_rates(problem: Any, q: np.ndarray, p: np.ndarray) -> Numbers:
    qdot, pdot = ht.evaluate(problem, q, p)
    return {"qdot": qdot, "pdot": pdot}


def ask_kane(problem: Any, q: np.ndarray, u: np.ndarray) -> Numbers:
    qdot, udot = ht.evaluator(problem, "kane_relative")(q, u)
    return {"qdot": qdot, "udot": udot}


def damped_chain() -> ht.Model:
    forces = [ht.JointSpring("j1", 2.0, 0.1), ht.JointDamper("j2", 0.3), ht.JointEffort("j3", 0.5)]
    return ht.library.chain(4).with_(forces=forces)


ASKED = (
    ("dynamics of a tree", MIXED, ask_dynamics),
    ("dynamics of a damped chain", damped_chain, ask_dynamics),
    ("dynamics of an arm with every force", arm_with(EVERY_FORCE), ask_dynamics),
    ("derivatives of a damped chain", damped_chain, ask_derivatives),
    ("derivatives of a tree", MIXED, ask_derivatives),
    ("rates of a chain", lambda: ht.library.chain(4), ask_rates),
    ("rates of henon", models.henon_heiles, ask_rates),
    ("rates of a pendulum", models.coupled_pendulum, ask_rates),
    ("rates by kane_relative", lambda: ht.library.chain(4), ask_kane),
)
QUESTIONS = [
    Question(f"{name}, {count}", make, ask, many, has_momenta=ask is ask_rates)
    for name, make, ask in ASKED
    for count, many in (("one state", 0), ("six states", 6))
]
