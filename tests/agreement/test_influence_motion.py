"""Momenta, their rates, interbody forces and energies of `ht.influence` against sums over bodies,
differences in time, other algorithms and other formulations.
"""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.kinematics import retract, tree_of
from hamiltree.errors import FitError, OptionError
from hamiltree.model import BodyLoad, JointDamper, JointEffort, JointSpring, PointSpring, library
from hamiltree.rotations import rotation_matrix

KINDS = ("revolute", "prismatic", "screw", "ball", "universal", "weld")
CLOSE = 1e-11
STEP = 2e-6  # s, of differences in time; speeds are up to 80 rad/s


def loaded(model, seed=0):
    """Springs, dampers and efforts along axes, loads on every body, a spring between two bodies."""
    rng, forces = np.random.default_rng(seed), []
    for joint in model.joints:
        if not joint.has_ball and joint.coordinates == 1:
            forces.append(JointSpring(joint.name, *rng.uniform(0.5, 2, 2)))
            forces.append(JointDamper(joint.name, rng.uniform(0.1, 0.5)))
            forces.append(JointEffort(joint.name, rng.normal()))
    for body in model.bodies:
        force, torque, at = rng.normal(size=(3, 3))
        forces.append(BodyLoad(body.name, tuple(force), tuple(torque), tuple(0.3 * at), "body"))
    ends = model.bodies[0].name, model.bodies[-1].name
    if ends[0] != ends[1]:
        points = (0.1, 0.2, 0.0), (0.0, -0.1, 0.3)
        forces.append(PointSpring(*ends, *points, stiffness=3.0, length=0.2, damping=0.1))
    return model.with_(forces=forces)


def backwards(model):
    """The same tree with every joint declared from its outer body."""
    return model.with_(
        joints=[
            replace(
                joint,
                parent=joint.child,
                child=joint.parent,
                on_parent=joint.on_child,
                on_child=joint.on_parent,
            )
            for joint in model.joints
        ]
    )


MODELS = {
    "ten bodies": library.ten_body_tree,
    "every joint": lambda: library.tree(9, seed=21, joints=KINDS),
    "free root": lambda: library.floating_tree(6, seed=3),
    "balls": lambda: library.spherical_chain(3, seed=2),
    "backwards": lambda: backwards(library.tree(7, seed=22, joints=KINDS)),
}


@pytest.fixture(params=MODELS, scope="module")
def model(request):
    return loaded(MODELS[request.param]())


@pytest.fixture(scope="module")
def at(model):
    return ht.influence(model)


@pytest.fixture(scope="module")
def now(at):
    return at.motion()


def error(got, expected):
    return np.max(abs(got - expected)) / max(np.max(abs(expected)), 1.0)


def speeds_along_axes(at, x):
    return at.by_speed(at.along_axes(x))


# ---- against ht.dynamics -------------------------------------------------------------------------
def test_the_mass_matrix_and_its_inverse_are_those_of_composite_and_articulated_inertias(model, at):
    """(P.4a) and (P.5b), balls and free roots too (ERRATA 0-1)."""
    q, qdot = model.start()
    dynamics = ht.dynamics(model)
    assert error(at.mass_matrix(), dynamics.mass_matrix(q)) <= CLOSE
    p = at.momentum(qdot)
    for rates in (at.rates(p), at.rates_dense(p), at.motion(p=p).qdot):
        assert error(rates, qdot) <= 1e-9


def test_accelerations_are_those_of_the_articulated_body_algorithm(model, now):
    """ṗ of (P.3b) with every load, then q̈ = ℳ⁻¹(ṗ − ℳ̇ q̇)."""
    expected = ht.dynamics(model).forward_dynamics(*model.start())
    assert error(now.qddot, expected) <= 1e-9


def test_energies_are_those_of_the_kernels_three_ways(model, at, now):
    """(3), (4), (6), (7), (11)."""
    kinetic, potential = ht.dynamics(model).energies(*model.start())
    M = at.mass_matrix()
    forms = now.T, now.qdot @ M @ now.qdot / 2, now.p @ np.linalg.solve(M, now.p) / 2
    assert forms == pytest.approx([float(kinetic)] * 3, rel=1e-10)
    assert pytest.approx(float(potential), rel=1e-11, abs=1e-12) == now.V
    assert now.hamiltonian == pytest.approx(float(kinetic + potential), rel=1e-10)


def test_velocities_of_centres_are_those_of_jacobians(model, at, now):
    """(V.1), (V.5), where a link carries one body."""
    q, qdot = model.start()
    dynamics = ht.dynamics(model)
    link = dynamics.tables.tree.link_of_body.tolist()
    checked = 0
    for body, carrier in zip(model.bodies, link, strict=True):
        if link.count(carrier) > 1 or carrier >= dynamics.links:
            continue
        i = max(np.flatnonzero(at.link == carrier))
        expected = dynamics.jacobian(q, body.name, at=body.com) @ qdot
        assert error(now.v_bar[i], expected) <= CLOSE
        assert error(at.centre_velocities(qdot)[i], at.S[i] @ now.v[i]) <= CLOSE
        checked += 1
    assert checked


# ---- against differences in time -----------------------------------------------------------------
def test_rates_of_momenta_and_centres_are_differences_in_time(model, at, now):
    """(P.1d), (P.1e), (P.1f), (P.1g), (P.3b): everything along the motion that q̈ begins."""
    tree, (q, qdot) = tree_of(model), model.start()

    def state(t):
        """After t at constant q̈; of a ball the turn is exact to t³, which a difference halves."""
        moved = retract(tree, q, t * qdot + 0.5 * t**2 * now.qddot)
        there = ht.influence(model, moved)
        return there, there.motion(qdot + t * now.qddot)

    (before, early), (after, late) = state(-STEP), state(STEP)
    for rate, a, b in (
        (now.v[:, 3:], before.eta, after.eta),
        (now.v_bar[:, 3:], before.r, after.r),
        (now.c_dot, before.c, after.c),
        (now.P_dot, early.P, late.P),
        (now.H_dot, early.H, late.H),
        (now.H_c_dot, early.H_c, late.H_c),
        (now.p_dot, early.p, late.p),
        (now.accelerations(now.qddot), early.v, late.v),
    ):
        assert error((b - a) / (2 * STEP), rate) <= 1e-7


# ---- against sums over bodies --------------------------------------------------------------------
def test_quantities_of_a_branch_are_sums_over_its_bodies(model, at, now):
    """(P.1a)–(P.1c), H^c of (P.1f), body by body from poses and twists of the kernels."""
    q, qdot = model.start()
    dynamics = ht.dynamics(model)
    poses, twists = dynamics.poses(q), dynamics.twists(q, qdot)
    link_of_body = dynamics.tables.tree.link_of_body
    bodies = []
    for body, pose, twist in zip(model.bodies, poses, twists, strict=True):
        R = rotation_matrix(pose[3:])
        arm = R @ body.com
        spin = R @ body.inertia @ R.T @ twist[:3]
        bodies.append((body.mass, pose[:3] + arm, twist[3:] + np.cross(twist[:3], arm), spin))
    for i in range(len(at.parent)):
        carried = {int(at.link[k]) for k in at.branch(i) if at.is_last[k]}
        inside = [b for b, link in zip(bodies, link_of_body, strict=True) if int(link) in carried]
        mass = sum(m for m, *_ in inside)
        centre = sum(m * r for m, r, *_ in inside) / mass
        P = sum(m * v for m, _, v, _ in inside)
        H, H_c = (
            sum(spin + m * np.cross(r - point, v) for m, r, v, spin in inside)
            for point in (at.eta[i], centre)
        )
        assert error(at.m_bar[i], mass) <= CLOSE and error(at.eta[i] + at.c[i], centre) <= CLOSE
        for got, expected in ((now.P[i], P), (now.H[i], H), (now.H_c[i], H_c)):
            assert error(got, expected) <= CLOSE


def test_newton_and_euler_hold_for_every_branch(at, now):
    """(P.1e), (P.1f), (P.1g) with the sums over k ≥ i written out."""
    for i in range(len(at.parent)):
        k = at.branch(i)
        force = now.f_bar[k].sum(0)
        about_joint = (now.tau_bar[k] + np.cross(at.r[k] - at.eta[i], now.f_bar[k])).sum(0)
        about_centre = about_joint - np.cross(at.c[i], force)
        euler = now.tau[i] - np.cross(at.c[i], now.f[i]) + about_centre
        assert error(now.f[i] + force, now.P_dot[i]) <= CLOSE
        assert error(euler, now.H_c_dot[i]) <= 1e-10
        change = -np.cross(now.v[i, 3:], now.P[i]) + now.tau[i] + about_joint
        assert error(change, now.H_dot[i]) <= CLOSE


def test_interbody_forces_along_free_axes_are_the_actuation(at, now):
    """g_iᵀ τ_i = τ̂_i: nothing else acts along an axis; (P.3b) and the rate of (P.2) agree."""
    along = speeds_along_axes(at, np.concatenate([now.tau, now.f], axis=1))
    assert error(along, now.tau_hat) <= 1e-9


# ---- against another formulation -----------------------------------------------------------------
def test_interbody_forces_are_the_reactions_of_absolute_coordinates():
    """(P.1e), (P.1g) against λ of cartesian_3 at the first sample of a run, hinge by hinge."""
    model = loaded(library.ten_body_tree())
    run = ht.simulate(model, until=1e-3, step=1e-3)
    at = ht.influence(model)
    now = at.motion()
    for i, name in enumerate(at.names):
        found = run.reactions(name).isel(t=0)
        moment = now.tau[i] - at.G[i, :3] * now.tau_hat[at.row[i]]
        moment += np.cross(at.eta[i] - found.point.values, now.f[i])
        assert error(now.f[i], found.force.values) <= 1e-9
        assert error(moment, found.moment.values) <= 1e-9


# ---- free roots and balls ------------------------------------------------------------------------
def test_a_free_root_has_six_columns_that_are_the_identity_in_other_axes():
    """G₁ = e (6×6) of Prop. 4 is that of a free root: here its columns are along the parent's and
    the child's axes, and p of the root is all momentum (ERRATA 0-1).
    """
    model = MODELS["free root"]()
    at = ht.influence(model)
    root = model.joints[0].name
    rows = [i for i, name in enumerate(at.names) if name.split(".")[0] == root]
    G = at.G[rows].T
    assert G.shape == (6, 6) and abs(G.T @ G - np.eye(6)).max() <= 1e-14
    now, total = at.motion(), ht.dynamics(model).momentum(*model.start())
    K = G @ now.p[at.row[rows]]
    about_root = total.about_centre + np.cross(total.centre - at.eta[rows[-1]], total.linear)
    assert error(K, np.concatenate([about_root, total.linear])) <= CLOSE


def test_a_ball_is_three_axes_through_its_centre():
    at = ht.influence(library.top())
    assert at.names == ("pivot.wx", "pivot.wy", "pivot.wz")
    assert not at.eta.any() and at.mass.tolist()[:2] == [0.0, 0.0]
    assert np.allclose(at.G[:, :3] @ at.G[:, :3].T, np.eye(3)) and not at.G[:, 3:].any()


# ---- labels --------------------------------------------------------------------------------------
def test_the_labelled_dataset_has_every_quantity_with_its_unit():
    now = ht.influence(library.satellite()).motion()
    found = now.to_dataset()
    for name in ("f", "tau", "H_c_dot", "c_dot", "p_dot", "m_bar", "f_bar"):
        owner = now.at if name == "m_bar" else now
        assert np.array_equal(found[name].values, getattr(owner, name))
    assert all(found[name].attrs["units"] for name in found)
    assert found.P.sel(link="hinge1_1", axis="z") == now.P[now.at.names.index("hinge1_1"), 2]
    assert found.attrs["hamiltonian"] == now.hamiltonian


# ---- what is refused -----------------------------------------------------------------------------
def test_what_influence_does_not_know_is_refused_by_name():
    hinge = library.pendulum()
    name = hinge.joints[0].name
    with pytest.raises(FitError, match=f"joint '{name}' has an armature"):
        ht.influence(hinge.with_(joints={name: {"armature": 0.1}}))
    with pytest.raises(OptionError, match="not both"):
        ht.influence(hinge).motion([0.1], [0.1])
    with pytest.raises(OptionError, match="p has shape"):
        ht.influence(hinge).motion(p=[0.1, 0.2])
    with pytest.raises(OptionError, match="t = 'now'"):
        ht.influence(hinge).motion(t="now")
    with pytest.raises(OptionError, match="takes a Model, not str"):
        ht.influence("pendulum.toml")
    geared = library.n_pendulum(2).with_(couplings=[ht.Mimic("hinge2", "hinge1", 2.0)])
    with pytest.raises(FitError, match="coordinate 'hinge2' follows another one"):
        ht.influence(geared)
    with pytest.raises(FitError, match="closes a loop"):
        ht.influence(library.four_bar())


def test_a_model_in_which_nothing_moves_has_no_links():
    still = ht.Model([ht.Body("b", 1.0, inertia=1.0)], [ht.Weld("w", "ground", "b")])
    now = ht.influence(still).motion()
    assert now.f.shape == (0, 3) and now.T == 0.0 and now.p_dot.shape == (0,)
    assert "0 links" in repr(now.at)


def test_every_joint_of_a_hanging_chain_of_three_thousand_rods_carries_what_hangs_below():
    """(P.1e) in closed form; nothing recurses."""
    n = 3000
    now = ht.influence(library.n_pendulum(n)).motion()
    assert now.at.longest_chain == n
    assert now.f[:, 2] == pytest.approx(9.81 * np.arange(n, 0, -1), rel=1e-12)
    assert abs(now.f[:, :2]).max() <= 1e-9 and abs(now.tau).max() <= 1e-9
