"""Constraint rows evaluated from Python, at one state or at the samples of a run."""

from hamiltree.assembly.rows import evaluate_row_rate, evaluate_row_rates, evaluate_rows
from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.pointer import unpack


@kernel
def evaluate_rows_and_rates(handle, t):
    """Φ, Φ̇, γ# and Jacobians of all rows into work; handle = (rows, work, bodies)."""
    table, work, bodies = unpack(handle)
    evaluate_rows(table, work, bodies, t)
    evaluate_row_rates(table, work, bodies)


@inlined
def set_known_angles(work, turns, sample):
    """Angles that are known, with their turns."""
    for k in range(turns.shape[1]):
        if turns[sample, k] == turns[sample, k]:
            work.angle[k] = turns[sample, k]


@kernel
def evaluate_samples(handle, times, turns, rotation, position, twist, value, rate):
    """|Φ| and |Φ̇| of all rows at every sample: (samples, bodies, …) → (samples, rows);
    handle = (rows, work, bodies).

    turns: (samples, terms) angles as far as they are known; NaN: turns are counted on from the last
    sample.
    """
    table, work, bodies = unpack(handle)
    for k in range(times.shape[0]):
        set_known_angles(work, turns, k)
        for b in range(position.shape[1]):
            for j in range(9):
                bodies.rotation[b, j] = rotation[k, b, j]
            for j in range(3):
                bodies.position[b, j] = position[k, b, j]
            for j in range(6):
                bodies.twist[b, j] = twist[k, b, j]
        evaluate_rows(table, work, bodies, times[k])
        for row in range(table.row.shape[0]):
            evaluate_row_rate(table, work, bodies, row)
            value[k, row], rate[k, row] = abs(work.value[row]), abs(work.rate[row])
