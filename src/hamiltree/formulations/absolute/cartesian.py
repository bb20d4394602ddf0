"""Bodies in absolute coordinates with Euler parameters, joints as constraint rows: formulations I,
II and III of the chapter "Spatial Dynamics".

r is the centre of mass, p the Euler parameters (scalar first, body to world), ω' = 2 L(p) ṗ the
angular velocity in body axes.
  III  [M  Bᵀ; B  0] [ḣ; −λ] = [g − b; γ#],  h = (ṙ, ω'),  B = [Φ_r, ½ Φ_p Lᵀ] (11.49)
  II   the same with q̈ = (r̈, p̈): 2 J' L p̈ for J' ω̇', pᵀp̈ = −ṗᵀṗ, the unmodified Φ_q below
       and γ (11.45, ERRATA 1-7)
  I    J* p̈ + p σ with J* = 4 Lᵀ J' L, moments n* = 2 Lᵀ n', Φ_q above and below (11.42)
Systems are solved by blocks, one body or joint after the other, from the leaves to the ground
(sparse_block_lu.py); augmented_matrix.py says how they do without pivots.
Constraint forces are +Φ_qᵀ λ (ERRATA 1-15); the unknown of the systems is −λ.
"""

from typing import NamedTuple

import numpy as np

from hamiltree import verbs
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.rows import quat_at, store_quat, store_vector, vector_at
from hamiltree.algebra.values import dot
from hamiltree.assembly.rows import Drive, evaluate_row_rate, evaluate_rows
from hamiltree.assembly.scales import body_row_scales
from hamiltree.assembly.windings import follow_angles_of_bodies
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, read_only, store
from hamiltree.compiled.user_code import HAS_CODE
from hamiltree.errors import OptionError
from hamiltree.forces.dispatch import dissipated_power_of_joints

# these two answer verbs for the Systems of this file
from hamiltree.formulations.absolute import index3, projection  # noqa: F401
from hamiltree.formulations.absolute.augmented_matrix import multiplier_index, solve_accelerations
from hamiltree.formulations.absolute.bodies import (
    CartesianI,
    CartesianII,
    CartesianIII,
    body_angular_velocity,
    body_constants,
    cartesian_workspace,
    compute_body_frames,
    owner,
    potential_energy,
    speed_offset,
    write_body_rates,
)
from hamiltree.formulations.absolute.quaternions import l_transpose_times
from hamiltree.formulations.absolute.record import absolute_formulation
from hamiltree.formulations.absolute.tables import BodyStates, CartesianTables, pack_body_state
from hamiltree.formulations.absolute.world_frames import add_power_of_loads, store_pose_of_origin
from hamiltree.formulations.formulation import Formulation, Traits, answers
from hamiltree.verbs import Energies, Layout


@answers(verbs.rates, CartesianI, CartesianII, CartesianIII)
def cartesian_rates(system, work, t, y, ydot):
    """ẏ by the system of the formulation."""
    solve_accelerations(system, work, t, y)
    for i in range(system.body.shape[0]):
        write_body_rates(system, work, y, ydot, i)


@write_body_rates.method(CartesianIII)
def write_body_rates_3(system, work, y, ydot, i):
    """ṗ = ½ Lᵀ ω'"""
    at, from_row = speed_offset(system, i), system.plan.at[i]
    p, w = quat_at(y, 7 * i + 3), vector_at(y, at + 3)
    store_vector(ydot, 7 * i, vector_at(y, at))
    store_quat(ydot, 7 * i + 3, l_transpose_times(p, w * 0.5))
    for k in range(6):
        store(ydot, at + k, load(work.solution, from_row + k))


@write_body_rates.method(CartesianI)
@write_body_rates.method(CartesianII)
def write_body_rates_1_and_2(system, work, y, ydot, i):
    """(ṙ, ṗ) from the state, (r̈, p̈) from the solution."""
    at, from_row = speed_offset(system, i), system.plan.at[i]
    for k in range(7):
        store(ydot, 7 * i + k, load(y, at + k))
        store(ydot, at + k, load(work.solution, from_row + k))


@answers(verbs.energies, CartesianI, CartesianII, CartesianIII)
def cartesian_energies(system, work, t, y):
    """T = ½ Σ m v² + ω'ᵀ J' ω'; V of gravity and laws."""
    compute_body_frames(system, work, y)
    kinetic = 0.0 * t
    for i in range(system.body.shape[0]):
        body = body_constants(system, i)
        w = body_angular_velocity(system, y, i)
        v = vector_at(y, speed_offset(system, i))
        kinetic = fma(0.5, fma(body.mass, dot(v, v), dot(w, body.inertia @ w)), kinetic)
    return Energies(kinetic, potential_energy(system, work, t))


@inlined
def nonconservative_power(system, work, t):
    """Power of dampers along joints and of loads on bodies."""
    total = 0.0 * t
    if system.joint_laws.has_any:
        total = total + dissipated_power_of_joints(
            system.joint_laws, t, work.along, work.rate, work.total
        )
    return add_power_of_loads(system, work, t, total)


@answers(verbs.power, CartesianI, CartesianII, CartesianIII)
def cartesian_power(system, work, t, y, ydot):
    """Power of dampers and loads, and of drives: λ f'(t)."""
    total = nonconservative_power(system, work, t)
    for row in range(system.rows.row.shape[0]):
        if system.rows.code[row, HAS_CODE] != 0:
            minus_multiplier = load(work.solution, multiplier_index(system, row))
            total = fma(-minus_multiplier, load(work.rows.drive, row, Drive).rate, total)
    return total


@answers(verbs.poses, CartesianI, CartesianII, CartesianIII)
def cartesian_poses(system, work, t, y, pose, twist):
    """Poses and twists of the bodies' origins, from the frames that `rates` left in work."""
    for i in range(system.body.shape[0]):
        R = load(work.bodies.rotation, i, Mat3)
        arm = R @ body_constants(system, i).com
        store_pose_of_origin(work.bodies, i, R, arm, pose, twist)


@answers(verbs.constraint, CartesianI, CartesianII, CartesianIII)
def cartesian_constraint(system, work, t, y, out):
    """Constraint residuals Φ."""
    compute_body_frames(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    for row in range(system.rows.row.shape[0]):
        store(out, row, load(work.rows.value, row))


@answers(verbs.constraint_rate, CartesianI, CartesianII, CartesianIII)
def cartesian_constraint_rate(system, work, t, y, ydot, out):
    """Φ̇ at the speeds of y."""
    compute_body_frames(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    for row in range(system.rows.row.shape[0]):
        evaluate_row_rate(system.rows, work.rows, work.bodies, row)
        store(out, row, load(work.rows.rate, row))


@answers(verbs.follow_angles, CartesianI, CartesianII, CartesianIII)
def follow_cartesian_angles(system, work, t, y):
    """Joint angles from frames and twists."""
    compute_body_frames(system, work, y)
    follow_angles_of_bodies(system.followed, work.windings, work.bodies, t)


# ---- assembly ------------------------------------------------------------------------------------
class Kind(NamedTuple):
    """What differs between the records of I, II and III."""

    system: type
    block_size: int  # unknowns of a body in the linear system
    speeds: int  # per body
    equation: str

    @property
    def has_parameter_rates(self) -> bool:
        """Speeds are ṗ, not ω'."""
        return self.speeds == 7


KINDS = {
    1: Kind(CartesianI, 8, 7, "I (11.42)"),
    2: Kind(CartesianII, 7, 7, "II (11.45)"),
    3: Kind(CartesianIII, 6, 6, "III (11.49)"),
}


def assembler_of(number: int):
    """(assembly) -> System of formulation I, II or III."""
    kind = KINDS[number]

    def assemble(assembly):
        """The tables of a mechanism at its start."""
        tables = CartesianTables(assembly, f"cartesian_{number}")
        n, m = len(assembly.model.bodies), len(tables.specs)
        shared = tables.shared_fields(
            kind.block_size,
            is_symmetric=number != 2,
            constraints=m,
            multipliers=m + n if number == 1 else m,
            balanced=7 * n if number == 1 else 6 * n,
            projects=True,
        )
        no_stabilisation = read_only([[0.0, 0.0]])
        return kind.system(
            Layout(7 * n, kind.speeds * n), *shared, no_stabilisation, *tables.residual_scales()
        )

    return assemble


def initial_state_of(number: int):
    """(system, assembly, pointer) -> (r, p; ṙ, and ṗ or ω')."""

    def state(system, assembly, pointer=None):
        """Centres of mass and Euler parameters, and their rates or ω'."""
        start = BodyStates(assembly)
        rotation_speeds = start.rate if KINDS[number].has_parameter_rates else start.w
        return pack_body_state(start.r, start.p, start.v, rotation_speeds)

    return state


def formulation(number: int, summary: str, use: str, cost: str) -> Formulation:
    """The record of formulation I, II or III."""
    kind = KINDS[number]
    rotation_speeds = "their rates" if kind.has_parameter_rates else "ω' in body axes"
    return absolute_formulation(
        f"cartesian_{number}",
        system=kind.system,
        assemble=assembler_of(number),
        workspace=cartesian_workspace,
        initial_state=initial_state_of(number),
        row_scales=lambda system, assembly: body_row_scales(assembly, 4, kind.speeds - 3, False),
        owner=owner,
        reference=f"Spatial Dynamics, formulation {kind.equation}",
        summary=summary,
        traits=Traits(
            use,
            f"r and Euler parameters of every body; ṙ and {rotation_speeds}",
            "joints, loops and ‖p‖ to rounding, by projection after every step",
            cost,
        ),
        is_default_candidate=number == 3,
        default_integrator="dop853",
        options=STABILISATION_OPTIONS,
        multipliers=multipliers,
    )


def multipliers(system, work) -> np.ndarray:
    """λ of all rows, of floats or of the first lane."""
    solution = work.solution if work.solution.ndim == 1 else work.solution[..., 0]
    places = [multiplier_index(system, row) for row in range(len(system.rows.row))]
    return -solution[places].reshape(-1)


def with_baumgarte(system, value):
    """Option `baumgarte`: α = β, 1/s, instead of projections; γ − 2 α Φ̇ − β² Φ."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    pair = (value, value) if is_number else value
    is_pair = isinstance(pair, (tuple, list)) and len(pair) == 2
    if not is_pair or not all(isinstance(x, (int, float)) and x >= 0 for x in pair):
        raise OptionError(f"baumgarte = {value!r}; give α = β in 1/s, or the two numbers (α, β)")
    return system._replace(
        stabilisation=read_only([[float(pair[0]), float(pair[1])]]),
        facts=system.facts._replace(projects=False),
    )


def with_projection(system, value):
    """Option `projection`: whether each step ends on the constraints."""
    if not isinstance(value, bool):
        raise OptionError(f"projection = {value!r}; give True or False")
    return system._replace(facts=system.facts._replace(projects=value))


STABILISATION_OPTIONS = {"baumgarte": with_baumgarte, "projection": with_projection}
CARTESIAN_1 = formulation(
    1,
    "bodies in absolute coordinates: Euler parameters, their second derivatives, σ and λ; loops",
    "the equations with σ, the multiplier of ‖p‖ = 1: to learn from, and to check",
    "O(N): 1.3 to 1.5 µs per body",
)
CARTESIAN_2 = formulation(
    2,
    "bodies in absolute coordinates: Euler parameters, moments in body axes, λ; loops",
    "the equations between I and III: to learn from, and to check",
    "O(N): 1.3 to 1.5 µs per body",
)
CARTESIAN_3 = formulation(
    3,
    "bodies in absolute coordinates: Euler parameters and angular velocities, λ; loops; near O(N)",
    "machines with loops, friction, damping and stiff parts (generalised-α, radau5, adaptive "
    "steps); reactions of joints",
    "O(N): 1.0 to 1.3 µs per body",
)
FORMULATIONS = (CARTESIAN_1, CARTESIAN_2, CARTESIAN_3)
