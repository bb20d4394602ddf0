"""Bodies in absolute coordinates with Euler parameters, joints as constraint rows: seed 001,
chapter 11, formulations I, II and III.

r is the centre of mass, p the Euler parameters (scalar first, body to world), ω' = 2 L(p) ṗ the
angular velocity in body axes.
  III  [M  Bᵀ; B  0] [ḣ; −λ] = [g − b; γ#],  h = (ṙ, ω'),  B = [Φ_r, ½ Φ_p Lᵀ] (11.49)
  II   the same with q̈ = (r̈, p̈): 2 J' L p̈ for J' ω̇', pᵀp̈ = −ṗᵀṗ, the unmodified Φ_q below
       and γ (11.45, ERRATA 1-7)
  I    J* p̈ + p σ with J* = 4 Lᵀ J' L, moments n* = 2 Lᵀ n', Φ_q above and below (11.42)
Systems are solved by blocks, a body or a joint at a time, from the leaves to the ground
(blocks.py). To do without pivots, II takes its rotational rows in the components of Lᵀ and p, and I
adds κ p (pᵀp̈ + ṗᵀṗ) = 0; neither changes the solution.
Constraint forces are +Φ_qᵀ λ (ERRATA 1-15); the unknown of the systems is −λ.
"""

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import quaternion_from_matrix
from hamiltree.algebra.spatial import Pose, Twist, Wrench
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.rows import (
    Drive,
    evaluate_row_rate,
    evaluate_rows,
)
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, read_only, store
from hamiltree.compiled.user_code import HAS_CODE
from hamiltree.errors import OptionError
from hamiltree.forces.dispatch import (
    add_all_load_wrenches,
    dissipated_power_of_joints,
    potential_energy_of_bodies,
    potential_energy_of_joints,
)
from hamiltree.formulations.absolute.augmented_matrix import multiplier_index, solve_accelerations
from hamiltree.formulations.absolute.bodies import (
    CartesianI,
    CartesianII,
    CartesianIII,
    body_angular_velocity,
    body_constants,
    cartesian_workspace,
    clear_wrenches,
    compute_body_frames,
    evaluate_joint_coordinates,
    l_transpose_times,
    owner,
    quat_at,
    speed_offset,
    store_quat,
    store_vector,
    vector_at,
    write_body_rates,
)
from hamiltree.formulations.absolute.sparse_block_plan import symmetric_plan
from hamiltree.formulations.absolute.tables import (
    BodyStates,
    CartesianTables,
    constraint_names,
    winding_angles,
)
from hamiltree.formulations.formulation import (
    JOINTS,
    ROWS,
    Coordinates,
    Formulation,
    Traits,
    feature_set,
)
from hamiltree.verbs import (
    Energies,
    Layout,
    constraint,
    constraint_rate,
    energies,
    poses,
    power,
    rates,
)


def cartesian_rates(system, work, t, y, ydot):
    """ẏ by the system of the formulation."""
    solve_accelerations(system, work, t, y)
    for i in range(system.body.shape[0]):
        write_body_rates(system, work, y, ydot, i)


@write_body_rates.method(CartesianIII)
def write_body_rates_3(system, work, y, ydot, i):
    """ṗ = ½ Lᵀ ω'"""
    at, from_row = speed_offset(system, i), system.plan.at[i]
    store_vector(ydot, 7 * i, vector_at(y, at))
    store_quat(
        ydot, 7 * i + 3, l_transpose_times(quat_at(y, 7 * i + 3), vector_at(y, at + 3) * 0.5)
    )
    for k in range(6):
        store(ydot, at + k, load(work.solution, from_row + k))


@write_body_rates.method(CartesianI)
@write_body_rates.method(CartesianII)
def write_body_rates_1_and_2(system, work, y, ydot, i):
    at, from_row = speed_offset(system, i), system.plan.at[i]
    for k in range(7):
        store(ydot, 7 * i + k, load(y, at + k))
        store(ydot, at + k, load(work.solution, from_row + k))


def cartesian_energies(system, work, t, y):
    """T = ½ Σ m v² + ω'ᵀ J' ω'; V of gravity and laws."""
    compute_body_frames(system, work, y)
    kinetic, potential, gravity = 0.0 * t, 0.0 * t, load(system.gravity, 0, Vec3)
    for i in range(system.body.shape[0]):
        body, w, v = (
            body_constants(system, i),
            body_angular_velocity(system, y, i),
            vector_at(y, speed_offset(system, i)),
        )
        kinetic = fma(0.5, fma(body.mass, dot(v, v), dot(w, body.inertia @ w)), kinetic)
        potential = fma(-body.mass, dot(gravity, vector_at(y, 7 * i)), potential)
    if system.joint_laws.has_any:
        evaluate_joint_coordinates(system, work, t)
        potential = potential + potential_energy_of_joints(
            system.joint_laws, t, work.along, work.total
        )
    if system.body_laws.has_any:
        potential = potential + potential_energy_of_bodies(
            system.body_laws, t, work.bodies, work.total
        )
    return Energies(kinetic, potential)


@inlined
def nonconservative_power(system, work, t):
    """Of dampers and loads."""
    total = 0.0 * t
    if system.joint_laws.has_any:
        total = total + dissipated_power_of_joints(
            system.joint_laws, t, work.along, work.rate, work.total
        )
    if system.body_laws.has_any:
        clear_wrenches(system, work)
        add_all_load_wrenches(system.body_laws, t, work.bodies)
        for i in range(system.body.shape[0]):
            total = total + dot(
                load(work.bodies.wrench, i, Wrench), load(work.bodies.twist, i, Twist)
            )
    return total


def cartesian_power(system, work, t, y, ydot):
    """Of dampers and loads, and of drives: λ f'(t)."""
    total = nonconservative_power(system, work, t)
    for row in range(system.rows.row.shape[0]):
        if system.rows.code[row, HAS_CODE] != 0:
            total = fma(
                -load(work.solution, multiplier_index(system, row)),
                load(work.rows.drive, row, Drive).rate,
                total,
            )
    return total


def cartesian_poses(system, work, t, y, pose, twist):
    """Of the bodies' origins, from the frames that `rates` left in work."""
    for i in range(system.body.shape[0]):
        R, V = load(work.bodies.rotation, i, Mat3), load(work.bodies.twist, i, Twist)
        arm = R @ body_constants(system, i).com
        store(pose, i, Pose(load(work.bodies.position, i, Vec3) - arm, quaternion_from_matrix(R)))
        store(twist, i, Twist(V.w, V.v - cross(V.w, arm)))


def cartesian_constraint(system, work, t, y, out):
    compute_body_frames(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    for row in range(system.rows.row.shape[0]):
        store(out, row, load(work.rows.value, row))


def cartesian_constraint_rate(system, work, t, y, ydot, out):
    """Φ̇ at the speeds of y."""
    compute_body_frames(system, work, y)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    for row in range(system.rows.row.shape[0]):
        evaluate_row_rate(system.rows, work.rows, work.bodies, row)
        store(out, row, load(work.rows.rate, row))


for _kind in (CartesianI, CartesianII, CartesianIII):
    rates.method(_kind)(cartesian_rates)
    energies.method(_kind)(cartesian_energies)
    power.method(_kind)(cartesian_power)
    poses.method(_kind)(cartesian_poses)
    constraint.method(_kind)(cartesian_constraint)
    constraint_rate.method(_kind)(cartesian_constraint_rate)


# ---- assembly ------------------------------------------------------------------------------------
# size of a body's block, speeds of a body
KINDS = {1: (CartesianI, 8, 7), 2: (CartesianII, 7, 7), 3: (CartesianIII, 6, 6)}


def assembler_of(number: int):
    kind, block, speeds = KINDS[number]

    def assemble(assembly):
        """The tables of a mechanism at its start."""
        model, tables = assembly.model, CartesianTables(assembly, f"cartesian_{number}")
        n, m = len(model.bodies), len(tables.specs)
        coordinates, of_joints, of_bodies = tables.laws()
        plan, group, place, slot = tables.blocks(block)
        return kind(
            Layout(7 * n, speeds * n),
            tables.facts(
                coordinates,
                of_joints,
                of_bodies,
                constraints=m,
                multipliers=m + n if number == 1 else m,
                balanced=7 * n if number == 1 else 6 * n,
                projects=True,
            ),
            tables.body_table(),
            read_only([model.gravity]),
            tables.rows,
            group,
            place,
            slot,
            plan if number == 2 else symmetric_plan(plan),
            coordinates,
            of_joints,
            of_bodies,
            read_only([[0.0, 0.0]]),
        )

    return assemble


def initial_state_of(number: int):
    """Centres of mass and Euler parameters, and their rates or ω'."""

    def state(system, assembly, pointer=None):
        body_states = BodyStates(assembly)
        body_angular_velocity = body_states.w if number == 3 else body_states.rate
        return np.concatenate(
            [
                np.column_stack([body_states.r, body_states.p]).ravel(),
                np.column_stack([body_states.v, body_angular_velocity]).ravel(),
            ]
        )

    return state


def formulation(number: int, summary: str, use: str, cost: str) -> Formulation:
    return Formulation(
        name=f"cartesian_{number}",
        system=KINDS[number][0],
        coordinates=Coordinates.BODIES,
        supports=feature_set(JOINTS, ROWS),
        assemble=assembler_of(number),
        workspace=cartesian_workspace,
        initial_state=initial_state_of(number),
        owner=owner,
        reference=(
            f"seed 001, formulation {'I' * number} ({(0, '11.42', '11.45', '11.49')[number]})"
        ),
        summary=summary,
        traits=Traits(
            use,
            "r and Euler parameters of every body; ṙ and "
            + ("their rates" if number < 3 else "ω' in body axes"),
            "joints, loops and ‖p‖ to rounding, by projection after every step",
            cost,
        ),
        is_default_candidate=number == 3,
        default_integrator="dop853",
        options=STABILISATION_OPTIONS,
        trouble=lambda work: work.trouble,
        constraint_names=constraint_names,
        winding_angles=winding_angles(f"cartesian_{number}"),
        multipliers=multipliers,
    )


def multipliers(system, work) -> np.ndarray:
    """λ of all rows, of floats or of the first lane."""
    solution = work.solution if work.solution.ndim == 1 else work.solution[..., 0]
    return -solution[
        [multiplier_index(system, row) for row in range(len(system.rows.row))]
    ].reshape(-1)


def with_baumgarte(system, value):
    """Option `baumgarte`: α = β, 1/s, instead of projections; γ − 2 α Φ̇ − β² Φ."""
    pair = (
        (value, value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value
    )
    if (
        not isinstance(pair, (tuple, list))
        or len(pair) != 2
        or not all(isinstance(x, (int, float)) and x >= 0 for x in pair)
    ):
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
    "O(N): 1.3 to 1.5 µs a body",
)
CARTESIAN_2 = formulation(
    2,
    "bodies in absolute coordinates: Euler parameters, moments in body axes, λ; loops",
    "the equations between I and III: to learn from, and to check",
    "O(N): 1.3 to 1.5 µs a body",
)
CARTESIAN_3 = formulation(
    3,
    "bodies in absolute coordinates: Euler parameters and angular velocities, λ; loops; near O(N)",
    "machines with loops, friction, damping and stiff parts (generalised-α, radau5, adaptive "
    "steps); reactions of joints",
    "O(N): 1.0 to 1.3 µs a body",
)
FORMULATIONS = (CARTESIAN_1, CARTESIAN_2, CARTESIAN_3)
