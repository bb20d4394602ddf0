"""What is asked of a model without a run, in a scale: services of a tree, accelerations, an
equilibrium and its modes, reactions, a comparison of formulations.

Each function gives numbers in the scale of one, and words.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import hamiltree as ht
from hamiltree.model.units import SI, Units
from tests.recorded import models
from tests.recorded.outcomes import states
from tests.recorded.questions import damped_chain
from tests.recorded.trees import FORCES_OF_ARM, MIXED
from tests.similarity.outcomes import Outcome, without_numbers
from tests.similarity.scaling import Scaled, coordinate_sizes, enlarge, speed_sizes

SIX = ("angular_momentum", "momentum")
WITH_FORMULAS = ("joint_potential", "joint_law", "body_law")


class Question(NamedTuple):
    """ask(model in a scale, units) gives numbers of the scale of one."""

    name: str
    make: Callable[[], ht.Model]
    ask: Callable[[ht.Model, Units], Scaled]
    is_exact: bool = True


def outcome_of(question: Question, units: Units) -> Outcome:
    """The numbers, or the words of a refusal."""
    try:
        return Outcome(question.ask(enlarge(question.make(), units), units), {}, {}, [])
    except ht.HamiltreeError as error:
        return Outcome({}, {}, {}, [without_numbers(type(error).__name__, str(error))])


# ---- services of a tree --------------------------------------------------------------------------
def states_in(model: ht.Model, units: Units) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, speeds, and numbers between −1 and 1 for each speed: the same in every scale."""
    bare = ht.units.nondimensionalise(model, units) if units != SI else model
    q, u = states(bare, 1, has_momenta=False)
    x = 0.3 * u[0] + 0.2
    return q[0] * coordinate_sizes(model, units, "coordinate"), u[0] * speed_sizes(model, units), x


class Sizes:
    """Sizes of efforts, rates and accelerations, one for each speed."""

    def __init__(self, model: ht.Model, units: Units):
        self.time = units.time
        self.effort = speed_sizes(model, units, "effort")
        self.rate = speed_sizes(model, units, "rate")
        self.acceleration = self.rate / units.time
        self.momentum = self.effort * units.time
        self.six_momentum = np.repeat([units.size(word) for word in SIX], 3)
        self.twist = np.repeat([1.0 / units.time, units.size("velocity")], 3)
        self.pose = np.array([units.length] * 3 + [1.0] * 4)


def ask_dynamics(model: ht.Model, units: Units) -> Scaled:
    """Inverse and forward dynamics, the mass matrix and its factors."""
    d, s = ht.dynamics(model), Sizes(model, units)
    q, u, x = states_in(model, units)
    acceleration, effort = x * s.acceleration, x * s.effort
    return {
        "inverse_dynamics": d.inverse_dynamics(q, u, acceleration) / s.effort,
        "forward_dynamics": d.forward_dynamics(q, u, effort) / s.acceleration,
        "without_forces": d.forward_dynamics(q, u, effort, forces=False) / s.acceleration,
        "mass_matrix": d.mass_matrix(q) / np.outer(s.momentum, 1.0 / s.rate),
        "factor_d": d.factor(q).d / (s.momentum / s.rate),
        "solve": d.solve(q, effort) / s.acceleration,
        "bias": d.bias(q, u) / s.effort,
        "gravity": d.gravity(q) / s.effort,
        "forces": d.forces(q, u) / s.effort,
    }


def ask_frames(model: ht.Model, units: Units) -> Scaled:
    """Poses, momenta, energies and Jacobians."""
    d, s = ht.dynamics(model), Sizes(model, units)
    q, u, _x = states_in(model, units)
    body, at = model.bodies[-1].name, np.array([0.1, 0.0, 0.2]) * units.length
    kinetic, potential = d.energies(q, u)
    momentum = d.momentum(q, u)
    by_rate = 1.0 / s.rate
    return {
        "centre_of_mass": d.centre_of_mass(q) / units.length,
        "about_centre": momentum.about_centre / units.size("angular_momentum"),
        "momentum_matrix": d.momentum_matrix(q) / np.outer(s.six_momentum, by_rate),
        "energies": np.array([kinetic, potential]) / units.energy,
        "powers": np.atleast_1d(d.powers(q, u)) / units.size("power"),
        "dissipations": np.atleast_1d(d.dissipations(q, u)) / units.size("power"),
        "potentials": np.atleast_1d(d.potentials(q)) / units.energy,
        "poses": d.poses(q) / s.pose,
        "twists": d.twists(q, u) / s.twist,
        "jacobian": d.jacobian(q, body, at) / np.outer(s.twist, by_rate),
        "jacobian_rate": d.jacobian_rate(q, u, body, at) / np.outer(s.twist / s.time, by_rate),
    }


def ask_constrained_dynamics(model: ht.Model, units: Units) -> Scaled:
    """Forward and inverse dynamics of a mechanism, and what is on the manifold of its
    constraints.
    """
    d, s = ht.dynamics(model), Sizes(model, units)
    q, u = model.start()
    effort = np.linspace(-1.0, 1.0, len(u)) * s.effort
    a = d.forward_dynamics(q, u, effort)
    rows = [model.speeds.index(speed) for speed in d.independent_speeds]
    own = s.effort[rows]
    mobility = d.inverse_operational_inertia(q, model.bodies[-1].name)
    wrench = np.repeat([units.energy, units.force], 3)
    return {
        "forward_dynamics": a / s.acceleration,
        "constraint_forces": d.constraint_forces(q, u, effort).efforts / s.effort,
        "drive_efforts": d.drive_efforts(q, u, effort) / units.energy,
        "inverse_dynamics": d.inverse_dynamics(q, u, a) / s.effort,
        "every_actuated": d.inverse_dynamics(q, u, a, actuated=model.speeds) / s.effort,
        "solve": d.solve(q, effort) / s.acceleration,
        "null_space": d.null_space(q) / np.outer(s.rate, 1.0 / s.rate[rows]),
        "mass_matrix": d.projected_mass_matrix(q) / np.outer(own, 1.0 / s.acceleration[rows]),
        "bias": d.projected_bias(q, u) / own,
        "gravity": d.projected_gravity(q) / own,
        "mobility": mobility / np.outer(s.twist / units.time, 1.0 / wrench),
    }


def ask_derivatives(model: ht.Model, units: Units) -> Scaled:
    """Of inverse and forward dynamics by position, speed and the third argument."""
    d, s = ht.dynamics(model), Sizes(model, units)
    q, u, x = states_in(model, units)
    inverse = d.inverse_derivatives(q, u, x * s.acceleration)
    forward = d.forward_derivatives(q, u, x * s.effort)
    by_step, by_rate = 1.0 / (s.rate * s.time), 1.0 / s.rate
    return {
        "inverse_by_q": inverse.q / np.outer(s.effort, by_step),
        "inverse_by_qdot": inverse.qdot / np.outer(s.effort, by_rate),
        "inverse_by_qddot": inverse.third / np.outer(s.effort, 1.0 / s.acceleration),
        "forward_by_q": forward.q / np.outer(s.acceleration, by_step),
        "forward_by_qdot": forward.qdot / np.outer(s.acceleration, by_rate),
        "forward_by_tau": forward.third / np.outer(s.acceleration, 1.0 / s.effort),
    }


def ask_rates(model: ht.Model, units: Units) -> Scaled:
    """(q̇, ṗ) of a state with momenta."""
    efforts = coordinate_sizes(model, units, "effort")
    q, _u, _x = states_in(model, units)
    p = 0.1 * np.arange(1, len(q) + 1) * efforts * units.time
    qdot, pdot = ht.evaluate(model, q, p)
    return {"qdot": qdot / coordinate_sizes(model, units, "rate"), "pdot": pdot / efforts}


# ---- statics, reactions, comparisons -------------------------------------------------------------
def ask_statics(model: ht.Model, units: Units) -> Scaled:
    """An equilibrium, its lowest frequencies, and waves of the rod that it is."""
    rest = ht.equilibrium(model)
    waves = ht.modes(rest, 10)
    elastic = ht.rod(model)
    return {
        "positions": rest.poses.positions / units.length,
        "energy": np.array([rest.energy / units.energy]),
        "frequencies": waves.frequencies * units.time,
        "rigid": np.array([1.0 * waves.rigid, 1.0 * rest.unstable]),
        "dispersion": elastic.dispersion(np.array([0.1, 0.5]) / units.length) * units.time,
    }


def ask_reactions(model: ht.Model, units: Units) -> Scaled:
    """Force and moment of every joint along a short run."""
    step = 5e-3 * units.time
    run = ht.simulate(model, 10 * step, step, progress=False)
    found = [run.reactions(joint.name) for joint in model.joints]
    return {
        "force": np.array([x["force"].values for x in found]) / units.force,
        "moment": np.array([x["moment"].values for x in found]) / units.energy,
    }


def ask_comparison(model: ht.Model, units: Units) -> Scaled:
    """Whether all formulations agree, and how far they are from what is allowed."""
    found = ht.compare(model, until=0, progress=False)
    rows = sorted(found.disagreements, key=lambda row: row.quantity)
    return {
        "agree": np.array([float(found.agree), float(len(found.formulations))]),
        "allowed": np.array([row.allowed / row.scale for row in rows]),
    }


def ask_compared_runs(model: ht.Model, units: Units) -> Scaled:
    """Where the runs of a comparison end, with error control, and how well that is known."""
    names = ["hamiltonian_tree", "cartesian_3", "kane_relative"]
    found = ht.compare(model, formulations=names, progress=False).trajectories
    assert found is not None
    return {
        "pose": found.pose.values / Sizes(model, units).pose,
        "energy_change": found.energy_change.values / units.energy,
        "errors": found.error.values / np.array([units.length, 1.0, units.energy]),
    }


def arm_without_formulas() -> ht.Model:
    """An arm with every force whose numbers have units."""
    forces = [force for given in FORCES_OF_ARM.values() for force in given]
    return models.arm(*(force for force in forces if force.kind not in WITH_FORMULAS))


SERVICES: Mapping[str, Callable[[], Any]] = {
    "a tree": MIXED,
    "a damped chain": damped_chain,
    "an arm with forces": arm_without_formulas,
}
QUESTIONS = [
    *(
        Question(f"{ask.__name__[4:]} of {name}", make, ask)
        for name, make in SERVICES.items()
        for ask in (ask_dynamics, ask_frames, ask_derivatives)
    ),
    *(
        Question(f"constrained dynamics of {name}", make, ask_constrained_dynamics, is_exact)
        for name, make, is_exact in (
            ("a four-bar", ht.library.four_bar, True),
            ("a suspension", ht.library.double_wishbone, True),
            ("bricard", ht.library.bricard, True),
        )
    ),
    Question("rates of a chain", lambda: ht.library.chain(4), ask_rates),
    Question("rates of a tree", MIXED, ask_rates),
    Question("statics of a particle chain", ht.library.particle_chain, ask_statics, False),
    *(
        Question(f"reactions of {name}", make, ask_reactions, False)
        for name, make in {
            "a four-bar": ht.library.four_bar,
            "bricard": ht.library.bricard,
            "a governor": ht.library.governor,
            "a tree": MIXED,
        }.items()
    ),
    *(
        Question(f"comparison of {name}", make, ask_comparison, False)
        for name, make in {
            "a slider-crank": ht.library.spatial_slider_crank,
            "a satellite": lambda: ht.library.satellite(2, 2),
            "a tree": MIXED,
        }.items()
    ),
    Question("compared runs of a chain", lambda: ht.library.chain(5), ask_compared_runs, False),
]
