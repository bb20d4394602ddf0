"""What a tree keeps of each of its links while it is swept: the rows of its workspace, and how to
read them.

Three numbers that belong together are a triple: one SIMD register for one state, three for four
states in lanes. A 3×3 matrix is its cyclic diagonals, M_k[i] = M[i, i + k]:
M w = M_0 w + M_1 w' + M_2 w", where w' and w" are w turned once and twice (docs/registers.md).
Only this module and the sweeps know these rows; others read them as Vec3, Mat3 and so on.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, store
from hamiltree.compiled.triples import (
    Triple,
    Turned,
    diagonal,
    first,
    second,
    third,
    triple,
    turn,
    turn_back,
)


class LinkShape(NamedTuple):
    """What forward kinematics reads of a link."""

    rotation: Mat3  # in its parent at q = 0
    offset: Vec3  # origin in the parent at q = 0
    moment: Vec3  # mass times centre of mass
    inertia: Sym3  # about the link's origin


class LinkMass(NamedTuple):
    """What sweeps inward read of a link."""

    mass: float
    branch_mass: float  # of the link and all beyond it
    armature: float  # inertia of the coordinate alone


class LinkScrew(NamedTuple):
    """How a link moves; not read of hinges, which have 1 and 0."""

    spin: float  # turn about z by unit coordinate
    slide: float  # advance along z by unit coordinate


class Link(NamedTuple):
    """The constants of a link: rows of three tables, for the sweeps that read them."""

    rotation: Mat3
    offset: Vec3
    moment: Vec3
    inertia: Sym3
    mass: float
    branch_mass: float
    armature: float
    spin: float
    slide: float


# flags of a link
NEXT = 1  # its parent is the link before it: what was computed of that is still in registers
ARRIVES_FIRST = 2  # of the links with its parent it is the first to be met inward
IS_LEAF = 4
IS_HINGE = 8  # spin 1, slide 0
IS_BALL = 16
KEEPS_AXES = 32  # its x and y axes are needed after forward kinematics: of balls, and by children
IS_ALIGNED = 64  # a ball whose axes are its parent's at q = 0

STRIP = 64  # links whose sines and cosines are evaluated at a time


# ---- rows ----------------------------------------------------------------------------------------
class FrameRow(NamedTuple):
    """The z axis of a link, and the arm from its parent's origin to its own."""

    z: Turned
    d: Turned


class AxesRow(NamedTuple):
    """The other axes of a link."""

    x: Triple
    y: Triple


class InertiaRow(NamedTuple):
    """Of a link alone about its origin: diagonals 0 and 1 of its rotational inertia, and its first
    moment.
    """

    A0: Triple
    A1: Triple
    S: Triple


class BranchRow(NamedTuple):
    """Articulated inertia [A Bᵀ; B C] and bias momentum of a branch about the origin of its first
    link, whose joint is not eliminated. Of the symmetric A and C diagonals 0 and 1.
    """

    A0: Triple
    A1: Triple
    B0: Triple
    B1: Triple
    B2: Triple
    C0: Triple
    C1: Triple
    H: Triple
    P: Triple


class PairRow(NamedTuple):
    """A twist (ω, v) or a momentum (H, P)."""

    w: Triple
    v: Triple


class TurnedPair(NamedTuple):
    """A PairRow with its turns."""

    w: Turned
    v: Turned


class RateRow(NamedTuple):
    """Of a joint of one axis: its rate is ν − U·V of the parent, U = (w, v) the momentum of a unit
    rate about the parent's origin over Gᵀ J G.
    """

    w: Triple
    v: Triple
    nu: float  # rate if the parent were at rest


class MomentumRow(NamedTuple):
    """Momentum and first moment of a branch."""

    H: Triple
    P: Triple
    S: Triple


class MatrixRow(NamedTuple):
    """A matrix by its cyclic diagonals."""

    M0: Triple
    M1: Triple
    M2: Triple


class SymmetricRow(NamedTuple):
    """A symmetric matrix by diagonals 0 and 1."""

    M0: Triple
    M1: Triple


class QuaternionRow(NamedTuple):
    """Vector parts of the quaternion of a ball and of its momentum, world axes."""

    q: Turned
    g: Turned


class ColumnRow(NamedTuple):
    """Of a column, about the world's origin: S, ψ = v_parent × S, ψ̇ = a_parent × S + v_parent × ψ,
    and the turning ψ + v × S.
    """

    S: PairRow
    psi: PairRow
    psidot: PairRow
    turning: PairRow


class OriginRow(NamedTuple):
    """Of a branch about the world's origin: diagonals 0 and 1 of its inertia, first moment, N by
    its diagonals, linear momentum, wrench.
    """

    A0: Triple
    A1: Triple
    h: Triple
    N0: Triple
    N1: Triple
    N2: Triple
    P: Triple
    torque: Triple
    force: Triple


class TreeWork(NamedTuple):
    """The workspace of a tree: arrays by link, each with the sweep that fills it."""

    # evaluate_sines_and_cosines
    sine: np.ndarray  # of the angles of the joints of a strip
    cosine: np.ndarray
    # forward_kinematics; the last row is the ground's
    frame: np.ndarray  # FrameRow
    axes: np.ndarray  # AxesRow; of links that keep them, of all if they are placed: keeps_axes
    inertia: np.ndarray  # InertiaRow of the link alone
    # gather_articulated_inertias
    branch: np.ndarray  # triples of open branches, by slot: branches.py
    bias: np.ndarray  # PairRow of momenta of links alone: the caller, where there are any
    U: np.ndarray  # RateRow
    r: np.ndarray  # 1 / (Gᵀ J G)
    shift: np.ndarray  # of inertia, to the carriers of coupled links
    wants_traces: np.ndarray  # one integer, not 0: store the traces
    traces: np.ndarray  # trace of A, then of C of each branch
    # propagate_rates, propagate_velocities, propagate_twists; the last row is the ground's
    V: np.ndarray  # PairRow: twist of the link
    momentum: np.ndarray  # MomentumRow of open branches, by slot: gather_momenta
    pi: np.ndarray  # momentum of the link's coordinate: the caller, gather_momenta
    rate: np.ndarray  # propagate_rates, propagate_velocities
    generalised_force: np.ndarray  # rate of pi: gather_forces, gather_body_forces
    # the same for balls, by number of the ball: triples, angular momentum about the joint, world
    # axes
    ball_scale: np.ndarray  # 2 / ‖q‖²: evaluate_ball_scale
    ball_vectors: np.ndarray  # QuaternionRow: read_momenta
    ball_pi: np.ndarray
    ball_rate: np.ndarray  # angular velocity against the parent
    ball_torque: np.ndarray  # torque: the rate of ball_pi but for its turning with the parent
    ball_nu: np.ndarray
    ball_rest: np.ndarray  # A ν
    ball_inverse: np.ndarray  # SymmetricRow, A⁻¹
    ball_matrix: np.ndarray  # MatrixRow, B A⁻¹
    # solve_couplings
    saved_pi: np.ndarray  # pi while couplings are solved
    saved_ball_pi: np.ndarray  # Triple
    coupling_matrix: np.ndarray  # (m, m) flat, C M⁻¹ Cᵀ
    multiplier: np.ndarray  # (m,) λ
    # the links as others see them: place_links, place_twists
    rotation: np.ndarray  # Mat3
    position: np.ndarray  # Vec3: origin
    twist: np.ndarray  # Twist
    wrench: np.ndarray  # Wrench of the body laws on the branch: gather_body_forces
    total: np.ndarray  # one number: energy or power of laws
    law_state: np.ndarray  # of the body laws: Bodies.law_state
    inertia_loss: np.ndarray  # scale over pivot of each link: fill_inertia_losses


@inlined
def link(system, i):
    """The constants of link i; loaded where they are used, so that few registers are needed at a
    time.
    """
    shape, screw = load(system.link_shape, i, LinkShape), load(system.link_screw, i, LinkScrew)
    mass = load(system.link_mass, i, LinkMass)
    return Link(
        shape.rotation,
        shape.offset,
        shape.moment,
        shape.inertia,
        mass.mass,
        mass.branch_mass,
        mass.armature,
        screw.spin,
        screw.slide,
    )


# ---- reading -------------------------------------------------------------------------------------
@inlined
def to_vector(a):
    return Vec3(first(a), second(a), third(a))


@inlined
def to_triple(v):
    return triple(v.x, v.y, v.z)


@inlined
def axes_in_registers(work, i):
    """The axes of link i as triples."""
    axes = load(work.axes, i, AxesRow)
    return axes.x, axes.y, load(work.frame, i, FrameRow).z.a


@inlined
def axes_of(work, i):
    """The frame of link i."""
    row = load(work.axes, i, AxesRow)
    z = load(work.frame, i, FrameRow).z.a
    return Mat3(to_vector(row.x), to_vector(row.y), to_vector(z))


@inlined
def arm_of(work, i):
    """From the origin of the parent of link i to its own."""
    return to_vector(load(work.frame, i, FrameRow).d.a)


@inlined
def moment_of(work, i):
    """First moment of link i alone."""
    return to_vector(load(work.inertia, i, InertiaRow).S)


@inlined
def to_symmetric(M0, M1):
    """A symmetric matrix of its diagonals 0 and 1."""
    return Sym3(first(M0), first(M1), third(M1), second(M0), second(M1), third(M0))


@inlined
def rotational_inertia_of(work, i):
    """Of link i alone about its origin."""
    row = load(work.inertia, i, InertiaRow)
    return to_symmetric(row.A0, row.A1)


@inlined
def ball_inverse_of(work, b):
    """A⁻¹ of ball b."""
    row = load(work.ball_inverse, b, SymmetricRow)
    return to_symmetric(row.M0, row.M1)


@inlined
def to_twist(pair):
    return Twist(to_vector(pair.w), to_vector(pair.v))


@inlined
def twist_of(work, i):
    return to_twist(load(work.V, i, PairRow))


@inlined
def screw(system, work, i):
    """G: the twist of a unit rate."""
    g = to_vector(load(work.frame, i, FrameRow).z.a)
    return Twist(g * link(system, i).spin, g * link(system, i).slide)


@inlined
def screw_axes(system, i, g):
    """(spin g, slide g) of link i."""
    spin, slide = link(system, i).spin, link(system, i).slide
    return (
        Turned(g.a * spin, g.next * spin, g.last * spin),
        Turned(g.a * slide, g.next * slide, g.last * slide),
    )


@inlined
def store_vector_row(array, i, v):
    """A Vec3 into a row of triples."""
    store(array, i, to_triple(v))


@inlined
def vector_row(array, i):
    """A Vec3 from a row of triples."""
    return to_vector(load(array, i, Triple))


# ---- algebra of triples --------------------------------------------------------------------------
@inlined
def turned(a):
    """With its turns."""
    return Turned(a, turn(a), turn_back(a))


@inlined
def combine(x, y, z, v):
    """x v.x + y v.y + z v.z"""
    return fma(z, v.z, fma(y, v.y, x * v.x))


@inlined
def plus_turned_cross(c, a, b):
    """c + a × b"""
    return fma(a.next, b.last, fma(-a.last, b.next, c))


@inlined
def turned_cross(a, b):
    """a × b"""
    return fma(a.next, b.last, -(a.last * b.next))


@inlined
def times(M0, M1, M2, w):
    """M w"""
    return fma(M2, w.last, fma(M1, w.next, M0 * w.a))


@inlined
def diagonals(x, y, z):
    """The cyclic diagonals of a matrix of columns x, y, z."""
    return MatrixRow(diagonal(x, y, z), diagonal(y, z, x), diagonal(z, x, y))


@inlined
def transpose_times(M0, M1, M2, a):
    """Mᵀ a"""
    return fma(M0, a, turn(M2 * a)) + turn_back(M1 * a)
