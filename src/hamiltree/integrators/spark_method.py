"""What SPARK methods (spark.py) are made of: coefficients of Lobatto IIIA–IIIB, and the scratch of
their steps.
"""

from decimal import localcontext
from typing import NamedTuple

import numpy as np

from hamiltree.integrators import constraint_impulses as impulses
from hamiltree.integrators import convergence
from hamiltree.integrators import singular_crossing as crossing
from hamiltree.integrators.compositions import Substeps, ratios_of, substeps_of
from hamiltree.integrators.integrator import array
from hamiltree.integrators.quadrature_nodes import inverse
from hamiltree.integrators.stages import constant_guess_matrix, exact_mu, extrapolation_matrix
from hamiltree.integrators.tableau import DIGITS, PartitionedTableau
from hamiltree.integrators.tableaus import lobatto_pair


class SparkMethod(NamedTuple):
    mu_q: np.ndarray  # (stages, stages) a / b
    mu_p: np.ndarray  # (stages, stages) â / b
    # (stages, stages) C⁻¹: to the impulse of a stage from the residual of a stage
    correction: np.ndarray
    # (substeps, stages, stages) to the first guess of the next substep's increments
    guess: np.ndarray
    b: np.ndarray  # (stages,)
    c: np.ndarray  # (stages,)
    substeps: Substeps
    stages: int
    constraints: int
    crossing: int  # rows that are normalised near singular positions
    recorded: int  # singular positions whose times are kept
    gap: crossing.Gap
    limits: convergence.IterationLimits
    has_projection: bool  # of the momenta at the end; SHAKE has none


class SparkScratch(NamedTuple):
    increments: array("stages", "m")  # L: the first guess of the next step
    impulses: array("stages", "constraints")  # l: the first guess of the next step
    stages: array("stages", "m")  # Y
    slopes: array("stages", "m")  # h b f(Y), then the increments that follow from it
    forces: array("stages", "m")  # h b F of the last sweep, in its momentum rows
    powers: array("stages")  # of dampers and loads
    residuals: array("stages", "constraints")  # of the constraints, then what they change
    total: array("m")  # Σ L
    end: array("m")  # y + Σ L
    constraint_impulse: array("m")  # Gᵀ δl of the projection, and velocities at the end
    zero_velocity: array("m")  # zeros
    multipliers: array("constraints")  # Λ_s of the last step; of SHAKE that at its beginning
    factors: impulses.MultiplierFactors
    crossing: crossing.SingularCrossing


# ---- coefficients --------------------------------------------------------------------------------
def correction_matrix(pair: PartitionedTableau) -> np.ndarray:
    """C⁻¹ of C_ij = Σ_k a_ik â_kj / b_j (i = 2 … s, j = 1 … s − 1), in rows j and columns i of a
    matrix of all stages.
    """
    a, hat_a = pair.q.a, pair.p.a
    stages = range(pair.stages)
    products = [[sum(a[i][k] * hat_a[k][j] for k in stages) for j in stages] for i in stages]
    moved = [[products[i][j] / pair.q.b[j] for j in stages[:-1]] for i in stages[1:]]
    return np.pad(np.array(inverse(moved), dtype=float), ((0, 1), (1, 0)))


def spark_method(stages: int, factors=(1,), has_projection: bool = True) -> SparkMethod:
    """Lobatto IIIA–IIIB over substeps of these parts of a step; `bind` adds how many constraints
    there are. Λ_s of SHAKE stays zero.
    """
    with localcontext(prec=DIGITS):
        pair, ratios = lobatto_pair(stages), ratios_of(factors)
        guesses = (
            [extrapolation_matrix(pair.q, ratio) for ratio in ratios]
            if has_projection
            else [constant_guess_matrix(stages, ratio) for ratio in ratios]
        )
        mu, correction = exact_mu(pair.q, pair.p), correction_matrix(pair)
    arrays = (np.array(values, dtype=float) for values in (guesses, pair.q.b, pair.q.c))
    fixed = (
        substeps_of(factors),
        stages,
        0,
        0,
        0,
        crossing.largest_gap(np.array(pair.q.c, dtype=float), np.array(pair.q.b, dtype=float)),
        convergence.PREDICTIVE_LIMITS,
        has_projection,
    )
    return SparkMethod(*mu, correction, *arrays, *fixed)
