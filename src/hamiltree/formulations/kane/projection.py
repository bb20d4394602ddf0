"""Projection of a state of kane_absolute onto its constraints, by the steps of
absolute/projection.py. Quaternions are normalised after every step that is projected.

The least change in the metric of the masses is δ = A⁻¹ Bᵀ W⁻¹ (−Φ): a rotation of every body in its
own axes, and changes of slides.
"""

from hamiltree.algebra.rows import add_vector, quat_at, store_quat, vector_at
from hamiltree.assembly.independence import INDEPENDENCE, VOLUME, WEAKEST_ROW, log_of_volume
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, root, store
from hamiltree.formulations.absolute.projection import (
    MIN_PIVOT_RATIO,
    apply_least_change,
    factor_constraint_matrix,
    last_volume,
    least_row_volume,
    normalise_quaternions,
    project_state,
    record_weakest_rows,
    row_independence,
    weakest_group,
)
from hamiltree.formulations.absolute.quaternions import l_transpose_times, quaternion_dot
from hamiltree.formulations.kane.constraint_rows import (
    add_constraint_response,
    assemble_and_factor_rows,
    row_share,
    row_volume,
    solve_row_matrix,
)

# the whole of it, with this file
from hamiltree.formulations.kane.kane_absolute import FORMULATION as FORMULATION
from hamiltree.formulations.kane.kane_absolute import (
    KaneAbsolute,
    assemble_mass_matrix,
    propagate_columns,
    slide_offsets,
)
from hamiltree.formulations.kane.partial_velocities import clear_equations
from hamiltree.verbs import independence, least_volume, project, volume, weakest_row


@normalise_quaternions.method(KaneAbsolute)
def normalise_absolute(system, y):
    """‖ε‖ = 1 of every body; ω' does not depend on ε."""
    for b in range(system.body.shape[0]):
        p = quat_at(y, 4 * b)
        store_quat(y, 4 * b, p * (1.0 / root(quaternion_dot(p, p))))


@factor_constraint_matrix.method(KaneAbsolute)
def factor_mass_and_row_matrix(system, work, t, y):
    """A, B and W."""
    propagate_columns(system, work)
    clear_equations(system.columns, work.columns)
    assemble_mass_matrix(system, work)
    assemble_and_factor_rows(system, work)


@apply_least_change.method(KaneAbsolute)
def apply_absolute_change(system, work, y, values, is_position):
    """A⁻¹ Bᵀ W⁻¹ (−values)"""
    for row in range(system.rows.row.shape[0]):
        store(work.multipliers, row, -load(values, row))
    for i in range(system.layout.momenta):
        store(work.columns.side, i, 0.0)
    solve_row_matrix(system, work)
    add_constraint_response(system, work)
    if is_position:
        correct_positions(system, work, y)
    else:
        correct_velocities(system, work, y)


@inlined
def add_slides(system, work, y, first, b):
    """Changes of the slides of body b, in the rows of y from `first` on."""
    at = system.first_angular_speed[b] + 3 - system.first_slide[b]
    for k in range(system.first_slide[b], system.first_slide[b + 1]):
        add(y, first + k, load(work.columns.side, at + k))


@inlined
def correct_positions(system, work, y):
    """ε + ½ ε ∘ (0, δ'), normalised; s + δ"""
    first, _ = slide_offsets(system)
    for b in range(system.body.shape[0]):
        p = quat_at(y, 4 * b)
        change = vector_at(work.columns.side, system.first_angular_speed[b])
        store_quat(y, 4 * b, p + l_transpose_times(p, change * 0.5))
        add_slides(system, work, y, first, b)
    normalise_quaternions(system, y)


@inlined
def correct_velocities(system, work, y):
    """ω' + δ', ṡ + δ"""
    _, first = slide_offsets(system)
    for b in range(system.body.shape[0]):
        change = vector_at(work.columns.side, system.first_angular_speed[b])
        add_vector(y, system.layout.positions + 3 * b, change)
        add_slides(system, work, y, first, b)


@record_weakest_rows.method(KaneAbsolute)
def record_weakest_row(system, work):
    """The row that is most nearly dependent on those before it, and how nearly."""
    volume, log_volume = row_volume(system, work)
    work.trouble[INDEPENDENCE], work.trouble[VOLUME] = 1.0, log_of_volume(volume, log_volume)
    for row in range(system.rows.row.shape[0]):
        share = row_share(system, work, row)
        if not share >= work.trouble[INDEPENDENCE]:
            work.trouble[INDEPENDENCE], work.trouble[WEAKEST_ROW] = share, system.group[row]
    return work.trouble[INDEPENDENCE] > MIN_PIVOT_RATIO


independence.method(KaneAbsolute)(row_independence)
least_volume.method(KaneAbsolute)(least_row_volume)
volume.method(KaneAbsolute)(last_volume)
weakest_row.method(KaneAbsolute)(weakest_group)


@project.method(KaneAbsolute)
def project_absolute(system, work, t, y, compensation):
    """Where joints lock no rotation there are no constraints to project onto: rotations do not
    depend on ‖ε‖.
    """
    return system.facts.constraints == 0 or project_state(system, work, t, y, compensation)
