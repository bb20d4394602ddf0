"""The sweeps of a tree of links, outward and inward, each once over all links: the recursions of
"EOM with Hamilton's Equations" in world axes.

Forward kinematics outward, articulated inertias inward, rates outward: M⁻¹p as in the
articulated-body algorithm (ABA), with momenta in the place of forces. Then momenta of branches
inward: ṗ. Twists outward, momenta inward: M q̇.
Momenta, wrenches and inertias about the link's origin; `parent[i] < i` outward; the ground is row
n, one past the last link.
Sweeps work on numbers by link: `pi` (conjugate to `rate`) and `generalised_force`; a ball has
triples instead, world axes: METHODS 2. What a sweep inward has gathered of a branch lies in a slot
(slots.py), so that large trees keep little of it in memory.
"""

from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    add,
    block_count,
    fma,
    load,
    load_block,
    sincos,
    store,
    store_block,
)
from hamiltree.compiled.triples import Triple, Turned, total, total_with, turn, turn_back, zero_like
from hamiltree.formulations.tree.balls import (
    ball_quaternion,
    eliminate_ball,
    evaluate_ball_scale,
    pass_bias_through_ball,
    turn_by_quaternion,
    twist_beyond_ball,
)
from hamiltree.formulations.tree.branches import (
    branch_place,
    load_branch,
    pass_to_parent,
    store_leaf,
)
from hamiltree.formulations.tree.link_rows import (
    ARRIVES_FIRST,
    IS_ALIGNED,
    IS_BALL,
    IS_HINGE,
    IS_LEAF,
    KEEPS_AXES,
    NEXT,
    STRIP,
    AxesRow,
    FrameRow,
    InertiaRow,
    MatrixRow,
    MomentumRow,
    PairRow,
    RateRow,
    SymmetricRow,
    arm_of,
    axes_in_registers,
    axes_of,
    combine,
    link,
    plus_turned_cross,
    screw_axes,
    times,
    to_triple,
    transpose_times,
    turned,
    turned_cross,
    twist_of,
)


# ---- positions -----------------------------------------------------------------------------------
@inlined
def evaluate_sines_and_cosines(system, work, y, start, end):
    """Sine and cosine of the joint angles of a strip of links, four at a time also for floats;
    balls have none.
    """
    if system.ball_link.shape[0] < system.parent.shape[0]:
        if system.has_plain_angles:
            for i in range(start, end):
                store(work.sine, i - start, load(y, i))
        else:
            for i in range(start, end):
                angle = load(y, system.coordinate[i])
                if system.flags[i] & IS_HINGE == 0:
                    angle = angle * link(system, i).spin
                store(work.sine, i - start, angle)
        for k in range(block_count(work.sine, end - start)):
            s, c = sincos(load_block(work.sine, k))
            store_block(work.sine, k, s)
            store_block(work.cosine, k, c)


@inlined
def turn_axes(system, work, y, i, s, c, X, Y, Z):
    """Axes of link i from those of its parent: the rotation at zero, then that of its joint, of
    which the sine and cosine are given.
    """
    if system.flags[i] & IS_BALL == 0:
        x, y_axis, Z = turn_at_zero(system, i, X, Y, Z)
        X = fma(y_axis, s, x * c)
        Y = fma(y_axis, c, -(x * s))
    else:
        b = system.ball[i]
        if system.flags[i] & IS_ALIGNED == 0:
            # link i by another name: the compiler would read its rotation before it asks for balls
            X, Y, Z = turn_at_zero(system, system.ball_link[b], X, Y, Z)
        q = ball_quaternion(system, y, b, 0)
        X, Y, Z = turn_by_quaternion(X, Y, Z, q, load(work.ball_scale, b))
    return X, Y, Z


@inlined
def turn_at_zero(system, i, X, Y, Z):
    """Axes of link i at q = 0 from those of its parent."""
    at_zero = link(system, i).rotation
    return combine(X, Y, Z, at_zero.x), combine(X, Y, Z, at_zero.y), combine(X, Y, Z, at_zero.z)


@inlined
def store_link_frame(system, work, y, i, s, c, X, Y, Z, has_axes):
    """The frame of link i from the axes of its parent and its sine and cosine; its axes and its arm
    are returned.
    """
    d = combine(X, Y, Z, link(system, i).offset)
    X, Y, Z = turn_axes(system, work, y, i, s, c, X, Y, Z)
    if system.flags[i] & IS_HINGE == 0:
        d = fma(Z, load(y, system.coordinate[i]) * link(system, i).slide, d)
    store(work.frame, i, FrameRow(Turned(Z, Z, Z), Turned(d, d, d)))
    if has_axes or system.flags[i] & KEEPS_AXES != 0:
        store(work.axes, i, AxesRow(X, Y))
    return X, Y, Z, d


@inlined
def propagate_frames(system, work, y):
    """Outward: frames alone, of all links with all axes."""
    sweep_frames(system, work, y, False, True)


@inlined
def forward_kinematics(system, work, y):
    """Outward: frames, and the inertia of each link alone. All axes only where links are placed."""
    sweep_frames(system, work, y, True, work.rotation.shape[0] > system.parent.shape[0])


@inlined
def sweep_frames(system, work, y, has_inertias, has_axes):
    """Outward, over all links."""
    for b in range(system.ball_link.shape[0]):
        evaluate_ball_scale(system, work, y, b)
    sweep_frames_of(system, work, y, 0, system.parent.shape[0], has_inertias, has_axes)


@inlined
def sweep_frames_of(system, work, y, first, last, has_inertias, has_axes):
    """Outward, over the links from `first` to before `last`. The axes of the parent are in
    registers where it is the link before. Sines and cosines strip by strip, so that they stay in
    the fastest memory.
    """
    X, Y, Z = axes_in_registers(work, carrier_of(system, first))
    for start in range(first, last, STRIP):
        end = min(start + STRIP, last)
        evaluate_sines_and_cosines(system, work, y, start, end)
        for i in range(start, end):
            if system.flags[i] & NEXT == 0:
                X, Y, Z = axes_in_registers(work, system.parent[i])
            s, c = load(work.sine, i - start), load(work.cosine, i - start)
            X, Y, Z, _ = store_link_frame(system, work, y, i, s, c, X, Y, Z, has_axes)
            if has_inertias:
                store_own_inertia(system, work, i, X, Y, Z)


@inlined
def carrier_of(system, first):
    """The link that carries the first one of a sweep outward; a tree may have no links at all."""
    return system.parent[first] if first > 0 else system.parent.shape[0]


@inlined
def store_own_inertia(system, work, i, X, Y, Z):
    """R I Rᵀ and the first moment of link i alone."""
    own = link(system, i).inertia
    Fx = fma(Z, own.xz, fma(Y, own.xy, X * own.xx))
    Fy = fma(Z, own.yz, fma(Y, own.yy, X * own.xy))
    Fz = fma(Z, own.zz, fma(Y, own.yz, X * own.xz))
    A0 = fma(Fz, Z, fma(Fy, Y, Fx * X))
    A1 = fma(Fz, turn(Z), fma(Fy, turn(Y), Fx * turn(X)))
    S = combine(X, Y, Z, link(system, i).moment)
    store(work.inertia, i, InertiaRow(A0, A1, S))


@inlined
def propagate_positions(system, work):
    """Outward: positions of the links."""
    n = system.parent.shape[0]
    store(work.position, n, ZERO)
    for i in range(n):
        store(work.position, i, load(work.position, system.parent[i], Vec3) + arm_of(work, i))


@inlined
def place_links(system, work):
    """Outward: positions and rotations of the links as others see them."""
    propagate_positions(system, work)
    for i in range(system.parent.shape[0] + 1):
        store(work.rotation, i, axes_of(work, i))


@inlined
def place_twists(system, work):
    """Twists of the links as others see them."""
    for i in range(system.parent.shape[0]):
        store(work.twist, i, twist_of(work, i))


# ---- M⁻¹ -----------------------------------------------------------------------------------------
@inlined
def gather_articulated_inertias(system, work, has_bias):
    """Inward (ABA, inward half): eliminate each joint and add the articulated inertia of its branch
    to that of the parent.
    """
    for i in range(system.carrier.shape[0]):
        store(work.shift, i, 0.0)
    sweep_inertias(system, work, 0, system.parent.shape[0], has_bias)


@inlined
def sweep_inertias(system, work, first, last, has_bias):
    """Inward, over the links from `last` − 1 to `first`."""
    for i in range(last - 1, first - 1, -1):
        if system.flags[i] & IS_LEAF != 0:
            store_leaf(system, work, i, has_bias)
        if work.wants_traces[0] != 0:
            store_traces(system, work, i)
        if system.flags[i] & IS_BALL == 0:
            eliminate_axis(system, work, i, has_bias)
        else:
            eliminate_ball(system, work, i, has_bias)


@inlined
def unit_momentum(system, i, J, g):
    """U = J G and Gᵀ J G + armature, G = (spin g, slide g)."""
    if system.flags[i] & IS_HINGE != 0:
        u = times(J.A0, J.A1, turn_back(J.A1), g)
        L = times(J.B0, J.B1, J.B2, g)
        product = g.a * g.next
        inertia = total_with(
            fma(J.A1, product + product, J.A0 * (g.a * g.a)), link(system, i).armature
        )
    else:
        axis, way = screw_axes(system, i, g)
        u = times(J.A0, J.A1, turn_back(J.A1), axis) + transpose_times(J.B0, J.B1, J.B2, way.a)
        L = times(J.B0, J.B1, J.B2, axis) + times(J.C0, J.C1, turn_back(J.C1), way)
        inertia = total_with(fma(L, way.a, u * axis.a), link(system, i).armature)
    return u, L, inertia


@inlined
def along_screw(system, i, H, P, g):
    """Gᵀ (H, P) of link i."""
    if system.flags[i] & IS_HINGE != 0:
        along = total(H * g.a)
    else:
        axis, way = screw_axes(system, i, g)
        along = total(fma(P, way.a, H * axis.a))
    return along


@inlined
def eliminate_axis(system, work, i, has_bias):
    """U = J G, r = 1/(Gᵀ U + armature), ν = (π − Gᵀz) r; J − U Uᵀ r and z + U ν to the parent."""
    at = branch_place(system, i)
    J = load_branch(work, at.row)
    frame = load(work.frame, i, FrameRow)
    u, L, inertia = unit_momentum(system, i, J, frame.z)
    if system.carrier.shape[0] > 0:
        inertia = shift_inertia(system, work, i, inertia)
    r = 1.0 / inertia
    nu = (load(work.pi, i) - along_screw(system, i, J.H, J.P, frame.z)) * r
    LL = turned(L)
    u = plus_turned_cross(u, frame.d, LL)
    store(work.U, i, RateRow(u * r, L * r, nu))
    store(work.r, i, r)
    if at.parent < system.parent.shape[0]:
        pass_to_parent(system, work, at, frame.d, turned(u), LL, r, nu, has_bias)


@outlined
def store_traces(system, work, i):
    """Of A and C of the branch of link i."""
    J = load_branch(work, branch_place(system, i).row)
    store(work.traces, 2 * i, total(J.A0))
    store(work.traces, 2 * i + 1, total(J.C0))


@outlined
def shift_inertia(system, work, i, inertia):
    """The inertia with what a coupled link gives to its carrier, or gets from the others:
    inertia_shifts.
    """
    carrier = system.carrier[i]
    if carrier < 0:
        return inertia
    if carrier == i:
        return inertia + load(work.shift, i)
    shift = 2.0 * inertia + load(system.shift_floor, i)
    add(work.shift, carrier, shift)
    return inertia - shift


@outlined
def gather_bias_momenta(system, work):
    """Inward: bias momenta of other π, with the articulated inertias that were gathered before."""
    n = system.parent.shape[0]
    for i in range(n - 1, -1, -1):
        frame = load(work.frame, i, FrameRow)
        if system.flags[i] & IS_LEAF != 0:
            zero = zero_like(frame.z.a)
            store(work.momentum, system.slot[i], MomentumRow(zero, zero, zero))
        z = load(work.momentum, system.slot[i], MomentumRow)
        if system.flags[i] & IS_BALL == 0:
            rest = load(work.pi, i) - along_screw(system, i, z.H, z.P, frame.z)
            U = load(work.U, i, RateRow)
            store(work.U, i, RateRow(U.w, U.v, rest * load(work.r, i)))
            H = fma(U.w, rest, plus_turned_cross(z.H, frame.d, turned(z.P)))
            P = fma(U.v, rest, z.P)
        else:
            inverse = load(work.ball_inverse, system.ball[i], SymmetricRow)
            N = load(work.ball_matrix, system.ball[i], MatrixRow)
            H, P = pass_bias_through_ball(system, work, i, z.H, z.P, inverse, N)
            H = plus_turned_cross(H, frame.d, turned(P))
        parent = system.parent[i]
        if parent < n:
            if system.flags[i] & ARRIVES_FIRST == 0:
                open_branch = load(work.momentum, system.slot_of_parent[i], MomentumRow)
                H, P = H + open_branch.H, P + open_branch.P
            store(work.momentum, system.slot_of_parent[i], MomentumRow(H, P, z.S))


# ---- rates and twists ----------------------------------------------------------------------------
@inlined
def propagate_velocities(system, work):
    """Outward: rates and twists."""
    sweep_velocities(system, work, 0, system.parent.shape[0])


@inlined
def sweep_velocities(system, work, first, last):
    """Outward, over the links from `first` to before `last`."""
    carrier = load(work.V, carrier_of(system, first), PairRow)
    w, v = turned(carrier.w), carrier.v
    for i in range(first, last):
        if system.flags[i] & NEXT == 0:
            parent = load(work.V, system.parent[i], PairRow)
            w, v = turned(parent.w), parent.v
        frame = load(work.frame, i, FrameRow)
        if system.flags[i] & IS_BALL == 0:
            U = load(work.U, i, RateRow)
            rate = total_with(fma(-U.w, w.a, -(U.v * v)), U.nu)  # w is the last to be known
            v = plus_turned_cross(v, w, frame.d)
            store(work.rate, i, rate)
            own = w.a
            if system.flags[i] & IS_HINGE != 0:
                own = fma(frame.z.a, rate, w.a)
            else:
                axis, way = screw_axes(system, i, frame.z)
                own = fma(axis.a, rate, w.a)
                v = fma(way.a, rate, v)
            w = turned(own)
        else:
            own = twist_beyond_ball(work, system.ball[i], w, v, frame.d)
            v = plus_turned_cross(v, w, frame.d)
            w = turned(own)
        store(work.V, i, PairRow(w.a, v))


@inlined
def propagate_twists(system, work):
    """Outward: twists of given rates (V.2)."""
    for i in range(system.parent.shape[0]):
        parent = load(work.V, system.parent[i], PairRow)
        frame = load(work.frame, i, FrameRow)
        v = plus_turned_cross(parent.v, turned(parent.w), frame.d)
        if system.flags[i] & IS_BALL == 0:
            rate = load(work.rate, i)
            w = fma(frame.z.a, rate * link(system, i).spin, parent.w)
            v = fma(frame.z.a, rate * link(system, i).slide, v)
        else:
            w = parent.w + load(work.ball_rate, system.ball[i], Triple)
        store(work.V, i, PairRow(w, v))


# ---- momenta -------------------------------------------------------------------------------------
@inlined
def gather_momenta(system, work):
    """Inward: momenta 𝒦 of branches (P.2) and π = Gᵀ 𝒦 (P.3a) at the twists of links."""
    sweep_momenta(system, work, 0, system.parent.shape[0], False)


@inlined
def gather_forces(system, work):
    """Inward: momenta of branches, and ṗ = Gᵀ(−v × 𝒦 + gravity on the branch) (P.3b)."""
    sweep_momenta(system, work, 0, system.parent.shape[0], True)


@inlined
def own_momentum(system, work, i, w, v):
    """Of link i alone: (A ω + S × v, m v + ω × S), and S."""
    own = load(work.inertia, i, InertiaRow)
    S = turned(own.S)
    H = plus_turned_cross(times(own.A0, own.A1, turn_back(own.A1), w), S, v)
    return MomentumRow(H, plus_turned_cross(v.a * link(system, i).mass, w, S), own.S)


@inlined
def sweep_momenta(system, work, first, last, has_forces):
    """Inward: momentum and first moment of each branch; π, or the rates of momenta. What a link
    gives to the link before it stays in registers.
    """
    n, gravity = system.parent.shape[0], turned(to_triple(load(system.gravity, 0, Vec3)))
    zero = zero_like(load(work.V, n, PairRow).w)
    inner, is_carried = MomentumRow(zero, zero, zero), False
    for i in range(last - 1, first - 1, -1):
        frame, V = load(work.frame, i, FrameRow), load(work.V, i, PairRow)
        w, v = turned(V.w), turned(V.v)
        K = own_momentum(system, work, i, w, v)
        if system.flags[i] & IS_LEAF == 0:
            if not is_carried:
                inner = load(work.momentum, system.slot[i], MomentumRow)
            K = MomentumRow(K.H + inner.H, K.P + inner.P, K.S + inner.S)
        if has_forces:
            store_force(system, work, i, K, w, v, frame.z, gravity)
        else:
            store_momentum(system, work, i, K, frame.z)
        is_carried = system.flags[i] & NEXT != 0 and i > first
        if system.parent[i] < n:
            H = plus_turned_cross(K.H, frame.d, turned(K.P))
            S = fma(frame.d.a, link(system, i).branch_mass, K.S)
            inner = MomentumRow(H, K.P, S)
            if system.flags[i] & ARRIVES_FIRST == 0:
                other = load(work.momentum, system.slot_of_parent[i], MomentumRow)
                inner = MomentumRow(H + other.H, K.P + other.P, S + other.S)
            if not is_carried:
                store(work.momentum, system.slot_of_parent[i], inner)


@inlined
def store_momentum(system, work, i, K, g):
    """π = Gᵀ 𝒦 and the armature's part."""
    if system.flags[i] & IS_BALL == 0:
        along = along_screw(system, i, K.H, K.P, g)
        store(work.pi, i, fma(link(system, i).armature, load(work.rate, i), along))
    else:
        store(work.ball_pi, system.ball[i], K.H)


@inlined
def store_force(system, work, i, K, w, v, g, gravity):
    """Gᵀ(−v × 𝒦) and gravity: (ω × g)·H + (v × g)·P + S·(gravity × g), and along a slide
    (ω × g)·P + m gravity·g.
    """
    if system.flags[i] & IS_BALL == 0:
        x = turned_cross(w, g)
        torque = fma(K.S, turned_cross(gravity, g), fma(turned_cross(v, g), K.P, x * K.H))
        if system.flags[i] & IS_HINGE != 0:
            along = total(torque)
        else:
            force = fma(gravity.a, g.a * link(system, i).branch_mass, x * K.P)
            along = total(fma(force, link(system, i).slide, torque * link(system, i).spin))
        store(work.generalised_force, i, along)
    else:
        b = system.ball[i]
        parent = turned(load(work.V, system.parent[i], PairRow).w)
        pi = turned(load(work.ball_pi, b, Triple))
        torque = plus_turned_cross(turned_cross(pi, parent), turned(K.P), v)
        store(work.ball_torque, b, plus_turned_cross(torque, turned(K.S), gravity))


@inlined
def first_moment(system, work):
    """Of all links about the world's origin."""
    n = system.parent.shape[0]
    moment = zero_like(load(work.V, n, PairRow).w)
    for i in range(n - 1, -1, -1):
        S = load(work.inertia, i, InertiaRow).S
        if system.flags[i] & IS_LEAF == 0:
            S = S + load(work.momentum, system.slot[i], MomentumRow).S
        S = fma(load(work.frame, i, FrameRow).d.a, link(system, i).branch_mass, S)
        parent = system.parent[i]
        if parent == n:
            moment = moment + S
        else:
            if system.flags[i] & ARRIVES_FIRST == 0:
                S = S + load(work.momentum, system.slot_of_parent[i], MomentumRow).S
            store(work.momentum, system.slot_of_parent[i], MomentumRow(S, S, S))
    return moment
