"""The contract between formulations and integrators: what a System can be asked.

Arguments are always (system, work, t, inputs…, outputs…). A state y holds `system.layout.positions`
positions, then `system.layout.momenta` momenta (or speeds); ydot has the same rows. t is a number,
y an array of numbers, floats or lanes alike.
What else a System is asked is in `system.facts`.
`velocity` and `force` answer for one part of ydot and may use the other as scratch.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.verb import VERBS, Array, Number, Rows, define_indirect_method, verb


class Layout(NamedTuple):
    """How the rows of a state are divided; the two parts may differ in length."""

    positions: int
    momenta: int


class Facts(NamedTuple):
    """What a System is asked beside verbs, found out once by its assembly."""

    constraints: int = 0  # rows of `constraint`
    multipliers: int = 0  # of the index-3 form
    balanced: int = 0  # rows of `index3_residual` before those of position constraints
    projects: bool = False  # a step ends with `project`
    is_conservative: bool = False  # nothing does work: no loads, dampers or drives
    # a force depends on speeds, of a System that answers `kick`
    has_speed_dependent_forces: bool = False
    has_discrete_forces: bool = True  # `discrete_rates` knows a discrete gradient of every force
    # an angle of a constraint counts whole turns, which no state alone determines
    rows_count_windings: bool = False
    laws_count_windings: bool = False  # an angle that a law acts along does
    followed: int = 0  # angles and quaternions that `follow_angles` follows
    may_lose_rank: bool = False  # there are constraints beside the joints of a tree


class Energies(NamedTuple):
    kinetic: float
    potential: float


@verb
def rates(system, work, t: Number, y: Array, ydot: Array):
    """ẏ = f(t, y)."""


@verb
def velocity(system, work, t: Number, y: Array, ydot: Array):
    """q̇ = ∂H/∂p into the position rows of ydot."""


@verb
def force(system, work, t: Number, y: Array, ydot: Array):
    """ṗ = −∂H/∂q + Q into the momentum rows of ydot."""


@verb
def drift(system, work, t: Number, y: Array, ydot: Array):
    """q̇ = ∂T/∂p into the position rows of ydot, of a separable H = T(p) + V(q): reads no
    positions.
    """


@verb
def kick(system, work, t: Number, y: Array, ydot: Array):
    """ṗ = −∂V/∂q into the momentum rows of ydot, of a separable H: reads no momenta."""


@verb(has_lanes=False)
def flow(system, work, t: Number, y: Array, compensation: Array, h: Number):
    """y moved by the exact flow of the kinetic energy T(q, p) for a time h, in place;
    `compensation` is that of the sums of y.

    With `kick` this splits H = T(q, p) + V(t, q), T quadratic in p: free rigid bodies between
    kicks.
    """


@verb(has_lanes=False)
def discrete_rates(system, work, t: Number, y: Array, end: Array, ydot: Array):
    """A discrete gradient between the states y and end, a time h apart of which t is the middle: ẏ
    without the constraints' part.

    With Δ = h ẏ, H changes by the work of loads exactly, and momenta that V does not change stay
    constant.
    """


@verb
def energies(system, work, t: Number, y: Array) -> Energies:
    """Kinetic and potential energy."""


@verb
def hamiltonian(system, work, t: Number, y: Array) -> Number:
    """H(q, p)."""


@verb(default=0.0)
def power(system, work, t: Number, y: Array, ydot: Array) -> Number:
    """dH/dt: power of dampers and loads, at the state for which `rates` was asked last (work and
    ydot hold its answer).

    Of a system that answers `kick`: at t and y, whatever was asked last.
    """


@verb(default=0.0)
def inertia_loss(system, work, t: Number) -> Number:
    """By which factor the inertia that a joint moves is less than what it was summed from, of the
    joint that loses most, at the state for which `rates` was asked last. Where rounding alone is
    left of it, the mass matrix is singular.
    """


@verb
def invariants(system, work, t: Number, y: Array, out: Array):
    """Quantities that should stay constant, one per row of out."""


@verb
def momentum(system, work, t: Number, y: Array, ydot: Array):
    """p = ∂L/∂q̇ into the momentum rows of y, from its positions and the position rows of ydot."""


@verb
def poses(system, work, t: Number, y: Array, pose: Rows, twist: Rows):
    """Pose (position of the origin, unit quaternion) and twist (ω, velocity of the origin) of every
    body, world axes.

    At the state for which `rates` was asked last: work holds its frames and twists.
    """


# ---- constraints: there are `facts.constraints` of them ------------------------------------------
# Where momenta are not conjugate to positions, Gᵀλ is what λ adds to their rates, and ∂²H/∂p² is
# ∂q̇/∂p: W λ is the change of G q̇ if Gᵀλ is added to the momenta.
@verb(has_lanes=False)
def constraint(system, work, t: Number, y: Array, out: Array):
    """g(t, q), one row of out each."""


@verb(has_lanes=False)
def constraint_rate(system, work, t: Number, y: Array, ydot: Array, out: Array):
    """G q̇ + ∂g/∂t with G = ∂g/∂q and q̇ the position rows of ydot; of ydot = 0, ∂g/∂t."""


@verb(has_lanes=False)
def add_multiplier_forces(system, work, t: Number, y: Array, multipliers: Array, ydot: Array):
    """Add Gᵀ λ to the momentum rows of ydot."""


@verb(has_lanes=False)
def factor_multipliers(system, work, t: Number, y: Array) -> bool:
    """W = G (∂²H/∂p²) Gᵀ at the positions of y, formed and factored into work; False where it is
    singular.
    """


@verb(has_lanes=False)
def solve_multipliers(system, work, x: Array):
    """x = W⁻¹ x by the factors that `factor_multipliers` left in work; x is not a part of work."""


@verb(has_lanes=False, default=1.0)
def project(system, work, t: Number, y: Array, compensation: Array) -> bool:
    """Positions, then speeds, moved back to where constraints hold, and `compensation` cleared
    where y was changed; False where that fails.
    """


@verb(has_lanes=False, default=0.0)
def independence(system, work) -> Number:
    """How far the constraints that were factored last are from losing rank: the sine of the
    smallest angle between a row and the others, 0 where it is not known. Asked once per step.
    """


@verb(has_lanes=False, default=np.inf)
def least_volume(system, work) -> Number:
    """log₂ of the least squared volume that constraint rows of length one spanned where `rates`
    were evaluated since this was asked last; inf where none is known. Inside a step the constraints
    may be nearer to losing rank than at its ends.
    """


@verb(has_lanes=False, default=np.inf)
def volume(system, work) -> Number:
    """The same where the constraints were factored last."""


@verb(has_lanes=False, default=0.0)
def weakest_row(system, work) -> Number:
    """The row, or group of rows, that `independence` speaks of."""


@verb(has_lanes=False, default=0.0)
def follow_angles(system, work, t: Number, y: Array):
    """What no state alone determines, at the state y: whole turns of angles, signs of quaternions.
    Followed in `work.windings`, once after every step (assembly/windings.py).
    """


# ---- index-3 form --------------------------------------------------------------------------------
# n speeds v in the momentum rows, residual in `facts.balanced` rows, then one row for each position
# constraint.
@verb(has_lanes=False)
def displace(system, work, y: Array, increment: Array, out: Array):
    """Position rows of out: those of y moved by the increment (a velocity times a time, n
    numbers).
    """


@verb(has_lanes=False)
def index3_residual(
    system, work, t: Number, y: Array, acceleration: Array, multipliers: Array, out: Array
):
    """M(q) v̇ − F(t, q, v) − Gᵀλ, then g(t, q); `facts.multipliers` multipliers, n + multipliers
    rows of out.
    """


# ---- fallbacks: verbs that follow from others ----------------------------------------------------
@rates.fallback(velocity, force)
def rates_from_velocity_and_force(system, work, t, y, ydot):
    velocity(system, work, t, y, ydot)
    force(system, work, t, y, ydot)


@power.fallback()
def zero_power(system, work, t, y, ydot):
    """Of a system that knows no dampers or loads."""
    return 0.0 * t


@inertia_loss.fallback()
def no_inertia_loss(system, work, t):
    """Of a system that inverts no inertias of joints."""
    return 0.0 * t


@project.fallback()
def project_nothing(system, work, t, y, compensation):
    """Of a system whose states need no projection."""
    return True


@independence.fallback()
@weakest_row.fallback()
def know_no_rows(system, work):
    """Of a system without constraints."""
    return 0.0


@least_volume.fallback()
@volume.fallback()
def know_no_volume(system, work):
    """Of a system without constraints."""
    return np.inf


@follow_angles.fallback()
def follow_nothing(system, work, t, y):
    """Of a system whose states determine all angles."""


@hamiltonian.fallback(energies)
def total_energy(system, work, t, y):
    parts = energies(system, work, t, y)
    return parts.kinetic + parts.potential


# ---- a System behind addresses -------------------------------------------------------------------
class Indirect(NamedTuple):
    """What integrators and observers are compiled for: the layout of a System, and the addresses of
    its verbs.
    """

    layout: Layout
    # (verbs, 3): address for floats, address for lanes, whether the System answers
    table: np.ndarray


class IndirectWork(NamedTuple):
    context: np.ndarray  # (1,) address of (system, work)


for _verb in VERBS:
    define_indirect_method(Indirect, _verb)


# ---- kinds of problems: named sets of verbs ------------------------------------------------------
FIRST_ORDER = (rates,)
CANONICAL = (velocity, force, hamiltonian)
SEPARABLE = (drift, kick, hamiltonian)
SPLIT = (flow, kick, hamiltonian)
CONSTRAINT_VERBS = (
    constraint,
    constraint_rate,
    add_multiplier_forces,
    factor_multipliers,
    solve_multipliers,
)
CONSTRAINED = (rates, velocity, *CONSTRAINT_VERBS)
INDEX_THREE = (displace, index3_residual)


def missing_verbs(system_type: type, needs) -> list[str]:
    """The verbs among `needs` that a System type cannot answer; empty if the pair fits."""
    return [need.__name__ for need in needs if not need.answers(system_type)]
