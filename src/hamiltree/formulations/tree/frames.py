"""Centroidal momentum, energies, poses and Jacobians of a tree at given speeds."""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import quaternion_from_matrix
from hamiltree.algebra.rows import store_quat, store_vector
from hamiltree.algebra.spatial import (
    ZERO_WRENCH,
    Pose,
    Twist,
    Wrench,
    twist_at,
)
from hamiltree.algebra.values import cross, dot, plus_cross, plus_scaled, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import (
    add,
    block_count,
    load,
    load_block,
    sincos,
    store,
    store_block,
)
from hamiltree.compiled.triples import zero_like
from hamiltree.forces.dispatch import (
    add_all_load_wrenches,
    dissipated_power_of_joints,
    potential_energy_of_bodies,
    potential_energy_of_joints,
)
from hamiltree.formulations.tree.algorithms import (
    add_column,
    ball_axes,
    evaluate_column_screws,
    read_speeds,
    run_query,
)
from hamiltree.formulations.tree.balls import evaluate_ball_scale
from hamiltree.formulations.tree.body_forces import clear_wrenches, links_as_bodies
from hamiltree.formulations.tree.dynamics import gather_first_moments
from hamiltree.formulations.tree.link_rows import (
    STRIP,
    InertiaRow,
    TurnedPair,
    axes_in_registers,
    axes_of,
    link,
    moment_of,
    rotational_inertia_of,
    screw,
    to_vector,
    twist_of,
)
from hamiltree.formulations.tree.mass_matrix import composite_momentum, gather_composite_inertias
from hamiltree.formulations.tree.sweeps import (
    forward_kinematics,
    place_links,
    place_twists,
    propagate_frames,
    propagate_positions,
    propagate_twists,
    store_link_frame,
)


# ---- momenta and energies ------------------------------------------------------------------------
@inlined
def total_mass(tree):
    total = 0.0
    for i in range(tree.parent.shape[0]):
        total += link(tree, i).mass
    return total


@inlined
def centre_of_mass(tree, work):
    """From frames: the first moment about the world's origin over the mass; the mass of welded
    bodies on the ground is not counted.
    """
    return to_vector(gather_first_moments(tree, work.tree, False)) * (1.0 / total_mass(tree))


@inlined
def evaluate_motion(tree, work, y):
    """Frames, positions and twists of all links, and the inertia of each."""
    forward_kinematics(tree, work, y)
    read_speeds(tree, work, y, tree.layout.positions)
    propagate_twists(tree, work)
    propagate_positions(tree, work)


class CentreOfMass(NamedTuple):
    placeholder: bool


@run_query.method(CentreOfMass)
def query_centre_of_mass(query, tables, work, t, y, out):
    propagate_frames(tables.tree, work.tree, y)
    store_vector(out, 0, centre_of_mass(tables.tree, work))


class TotalMomentum(NamedTuple):
    placeholder: bool


@run_query.method(TotalMomentum)
def total_momentum(query, tables, work, t, y, out):
    """Angular momentum about the world's origin, linear momentum, angular momentum about the centre
    of mass, centre of mass.
    """
    tree, inner = tables.tree, work.tree
    n = tree.parent.shape[0]
    evaluate_motion(tree, inner, y)
    store(work.wrench, 0, ZERO_WRENCH)
    store(work.moment, 0, ZERO)
    for i in range(n):
        V = twist_of(inner, i)
        S = moment_of(inner, i)
        m = link(tree, i).mass
        position = load(inner.position, i, Vec3)
        linear = plus_cross(V.v * m, V.w, S)
        angular = plus_cross(rotational_inertia_of(inner, i) @ V.w, S, V.v)
        add(work.wrench, 0, Wrench(plus_cross(angular, position, linear), linear))
        add(work.moment, 0, plus_scaled(S, position, m))
    Z = load(work.wrench, 0, Wrench)
    centre = load(work.moment, 0, Vec3) * (1.0 / total_mass(tree))
    store_vector(out, 0, Z.torque)
    store_vector(out, 3, Z.force)
    store_vector(out, 6, Z.torque - cross(centre, Z.force))
    store_vector(out, 9, centre)


class MomentumMatrix(NamedTuple):
    placeholder: bool


@run_query.method(MomentumMatrix)
def momentum_matrix(query, tables, work, t, y, out):
    """(angular momentum about the centre of mass, linear momentum) = A(q) u: six rows, flat."""
    tree, inner = tables.tree, work.tree
    size = tables.speeds
    forward_kinematics(tree, inner, y)
    evaluate_column_screws(tables, work, y)
    propagate_positions(tree, inner)
    gather_composite_inertias(tree, work)
    moment = load(work.inertia, tree.parent.shape[0], InertiaRow).S
    centre = to_vector(moment) * (1.0 / total_mass(tree))
    for k in range(6 * size):
        store(out, k, 0.0)
    for c in range(tables.column_link.shape[0]):
        i = tables.column_link[c]
        own, linear = composite_momentum(tree, work, i, load(work.G, c, TurnedPair))
        P = to_vector(linear.a)
        H = plus_cross(to_vector(own), load(inner.position, i, Vec3) - centre, P)
        add_column(out, tables.column_row[c], size, H, P)


class EnergiesOfState(NamedTuple):
    placeholder: bool


@run_query.method(EnergiesOfState)
def energies_of_state(query, tables, work, t, y, out):
    """Kinetic energy, potential energy (gravity and forces that have one)."""
    tree, inner = tables.tree, work.tree
    n = tree.parent.shape[0]
    store(work.moment, 0, ZERO)
    store(work.accumulator, 0, 0.0)
    evaluate_motion(tree, inner, y)
    for i in range(n):
        V = twist_of(inner, i)
        S = moment_of(inner, i)
        m = link(tree, i).mass
        position = load(inner.position, i, Vec3)
        add(
            work.accumulator,
            0,
            0.5 * dot(rotational_inertia_of(inner, i) @ V.w, V.w)
            + dot(V.v, cross(V.w, S))
            + 0.5 * m * dot(V.v, V.v),
        )
        add(work.moment, 0, plus_scaled(S, position, m))
        if tree.ball[i] < 0:
            add(
                work.accumulator,
                0,
                0.5 * link(tree, i).armature * load(inner.rate, i) * load(inner.rate, i),
            )
    potential = -dot(load(tree.gravity, 0, Vec3), load(work.moment, 0, Vec3))
    if tree.joint_laws.has_any:
        potential = potential + potential_energy_of_joints(tree.joint_laws, t, y, inner.total)
    if tree.body_laws.has_any:
        place_links(tree, inner)
        potential = potential + potential_energy_of_bodies(
            tree.body_laws, t, links_as_bodies(inner), inner.total
        )
    store(out, 0, load(work.accumulator, 0))
    store(out, 1, potential)


class DissipatedPower(NamedTuple):
    placeholder: bool


@run_query.method(DissipatedPower)
def dissipated_power(query, tables, work, t, y, out):
    """Power of the model's forces that is no change of potential energy: of dampers, friction and
    loads.
    """
    tree, inner = tables.tree, work.tree
    n, first = tree.parent.shape[0], tree.layout.positions
    propagate_frames(tree, inner, y)
    read_speeds(tree, inner, y, first)
    propagate_twists(tree, inner)
    store(work.accumulator, 0, 0.0)
    if tree.joint_laws.has_any:
        for i in range(2 * first):
            store(work.ydot, i, 0.0)
        for i in range(n):
            if tree.ball[i] < 0:
                store(work.ydot, tree.coordinate[i], load(inner.rate, i))
        add(
            work.accumulator,
            0,
            dissipated_power_of_joints(tree.joint_laws, t, y, work.ydot, inner.total),
        )
    if tree.body_laws.has_any:
        place_links(tree, inner)
        place_twists(tree, inner)
        clear_wrenches(tree, inner.wrench)
        add_all_load_wrenches(tree.body_laws, t, links_as_bodies(inner))
        for i in range(n):
            add(work.accumulator, 0, dot(load(inner.wrench, i, Wrench), twist_of(inner, i)))
    store(out, 0, load(work.accumulator, 0))


# ---- frames --------------------------------------------------------------------------------------
class Poses(NamedTuple):
    has_twists: bool


@run_query.method(Poses)
def poses_and_twists(query, tables, work, t, y, out):
    """Pose (position, unit quaternion) of every body, seven numbers each; then, if asked, its twist
    (ω, velocity of the origin).
    """
    tree, inner = tables.tree, work.tree
    propagate_frames(tree, inner, y)
    propagate_positions(tree, inner)
    if query.has_twists:
        read_speeds(tree, inner, y, tree.layout.positions)
        propagate_twists(tree, inner)
    bodies = tree.link_of_body.shape[0]
    for b in range(bodies):
        i = tree.link_of_body[b]
        R = axes_of(inner, i)
        arm = R @ load(tree.position_on_link, b, Vec3)
        pose = Pose(
            load(inner.position, i, Vec3) + arm,
            quaternion_from_matrix(R @ load(tree.rotation_on_link, b, Mat3)),
        )
        store_vector(out, 7 * b, pose.r)
        store_quat(out, 7 * b + 3, pose.q)
        if query.has_twists:
            V = twist_at(twist_of(inner, i), arm)
            store_vector(out, 7 * bodies + 6 * b, V.w)
            store_vector(out, 7 * bodies + 6 * b + 3, V.v)


class Jacobian(NamedTuple):
    """Of the point `position` of a link (its axes); in the world's axes, or in those of the body,
    whose columns in the link are `rotation`.
    """

    link_of_body: int
    path: np.ndarray  # links from the ground to it
    position: np.ndarray  # Vec3, one row
    rotation: np.ndarray  # Mat3, one row
    in_body: bool
    has_rate: bool


@run_query.method(Jacobian)
def jacobian(query, tables, work, t, y, out):
    """(ω, v) = J(q) u, six rows, flat; or J̇(q, u) in its place."""
    tree, inner = tables.tree, work.tree
    size = tables.speeds
    for k in range(6 * size):
        store(out, k, 0.0)
    if query.link_of_body < tree.parent.shape[0]:
        if query.has_rate:
            propagate_frames(tree, inner, y)
            propagate_positions(tree, inner)
            read_speeds(tree, inner, y, tree.layout.positions)
            propagate_twists(tree, inner)
        else:
            propagate_path(tree, inner, y, query.path)
        R = axes_of(inner, query.link_of_body)
        arm = R @ load(query.position, 0, Vec3)
        point = load(inner.position, query.link_of_body, Vec3) + arm
        axes = R @ load(query.rotation, 0, Mat3)
        i = query.link_of_body
        while i < tree.parent.shape[0]:
            for c in range(tables.first_column[i], tables.first_column[i + 1]):
                w, v = jacobian_column(query, tables, work, y, i, c, point, arm)
                if query.in_body:
                    w, v = transpose(axes) @ w, transpose(axes) @ v
                add_column(out, tables.column_row[c], size, w, v)
            i = tree.parent[i]


@inlined
def propagate_path(tree, work, y, path):
    """Frames and origins of the links on a path from the ground, outward; axes of a parent are in
    registers.
    """
    n, count = tree.parent.shape[0], path.shape[0]
    X, Y, Z = axes_in_registers(work, n)
    at = zero_like(X)
    for start in range(0, count, STRIP):
        end = min(start + STRIP, count)
        evaluate_angles_on_path(tree, work, y, path, start, end)
        for k in range(start, end):
            s, c = load(work.sine, k - start), load(work.cosine, k - start)
            X, Y, Z, d = store_link_frame(tree, work, y, path[k], s, c, X, Y, Z, True)
            at = at + d
            store(work.position, path[k], to_vector(at))


@inlined
def evaluate_angles_on_path(tree, work, y, path, start, end):
    """Sines and cosines of the angles on a strip of a path, four at a time also for floats, and
    the scales of its balls.
    """
    for k in range(start, end):
        i = path[k]
        store(work.sine, k - start, load(y, tree.coordinate[i]) * link(tree, i).spin)
        if tree.ball[i] >= 0:
            evaluate_ball_scale(tree, work, y, tree.ball[i])
    for k in range(block_count(work.sine, end - start)):
        s, c = sincos(load_block(work.sine, k))
        store_block(work.sine, k, s)
        store_block(work.cosine, k, c)


@inlined
def column_screw(tables, work, y, i, c):
    """G of column c of link i, about the origin of the link."""
    tree = tables.tree
    if tree.ball[i] < 0:
        return screw(tree, work.tree, i)
    axes = ball_axes(tree, work.tree, y, tree.ball[i])
    k = c - tables.first_column[i]
    if k == 0:
        return Twist(axes.x, ZERO * axes.x.x)
    if k == 1:
        return Twist(axes.y, ZERO * axes.x.x)
    return Twist(axes.z, ZERO * axes.x.x)


@inlined
def jacobian_column(query, tables, work, y, i, c, point, arm):
    """The twist of the point for a unit speed, or its rate: d/dt in the axes in which it is asked
    for.
    """
    tree, inner = tables.tree, work.tree
    G, away = column_screw(tables, work, y, i, c), point - load(inner.position, i, Vec3)
    w, v = G.w, plus_cross(G.v, G.w, away)
    if not query.has_rate:
        return w, v
    carrying = twist_of(inner, i)
    holder = carrying.w
    if tree.ball[i] >= 0 and tree.ball_sign[tree.ball[i]] < 0.0:
        holder = twist_of(inner, tree.parent[i]).w
    body = twist_of(inner, query.link_of_body)
    moving = plus_cross(body.v, body.w, arm) - carrying.v
    wdot = cross(holder, G.w)
    vdot = plus_cross(plus_cross(cross(holder, G.v), wdot, away), G.w, moving)
    if query.in_body:
        return wdot - cross(body.w, w), vdot - cross(body.w, v)
    return wdot, vdot
