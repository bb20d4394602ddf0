"""Chains of bodies by quaternions and by rotation matrices: against finite differences of H, SciPy,
and formulations of another kind.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.errors import FitError
from hamiltree.formulations import find_formulation
from hamiltree.formulations.free_bodies.tables import principal_axes_of
from hamiltree.model import (
    Ball,
    Body,
    BodyLoad,
    Free,
    JointDamper,
    Model,
    Motion,
    PointSpring,
    Revolute,
    Weld,
)
from hamiltree.rotations import rotation_matrix
from hamiltree.verbs import (
    add_multiplier_forces,
    constraint,
    constraint_rate,
    discrete_rates,
    energies,
    flow,
    hamiltonian,
    kick,
    poses,
    power,
    rates,
    solve_multipliers,
)

SMALL = 1e-5
TALL = (2.0, 2.5, 3.0)


def random_inertia(rng):
    points = rng.normal(size=(5, 3))
    second = points.T @ points
    return np.trace(second) * np.eye(3) - second


def unit(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def loose_bodies(n=3, seed=3, **changes):
    """Free bodies of any inertia with springs in a ring."""
    rng = np.random.default_rng(seed)
    bodies = [
        Body(f"b{i}", 1.0 + i, tuple(0.3 * rng.normal(size=3)), random_inertia(rng))
        for i in range(n)
    ]
    joints = [
        Free(
            f"j{i}",
            "ground",
            f"b{i}",
            q=(*rng.normal(size=3), *unit(rng)),
            qdot=tuple(rng.normal(size=6)),
        )
        for i in range(n)
    ]
    ends = [(f"b{i}", f"b{(i + 1) % n}", *map(tuple, rng.normal(size=(2, 3)))) for i in range(n)]
    return replace(
        Model(bodies, joints, [PointSpring(*end, stiffness=3.0, length=0.5) for end in ends]),
        **changes,
    )


def driven_bodies():
    """One body moved and turned, one moved, one turned in time, one free."""
    model = loose_bodies(4)
    bodies = [
        replace(body, com=(0.0, 0.0, 0.0)) if body.name == "b1" else body for body in model.bodies
    ]
    motions = [
        Motion(
            "b0",
            position=("sin(2*t)", "0.3*cos(t)", "a*t"),
            rotation=("0.4*sin(t)", "t", "0.2*t**2"),
            parameters={"a": 0.5},
        ),
        Motion("b1", position=("1 + 0.1*sin(t)", "cos(3*t)", "0.2")),
        Motion("b2", rotation=("0.5*t", "0.1*sin(t)", "0.7")),
    ]
    return replace(model, bodies=tuple(bodies), constraints=tuple(motions))


class Chain:
    """A model under a chain formulation, its verbs interpreted."""

    def __init__(self, model, name="free_bodies_quaternion"):
        made = find_formulation(name)
        self.model, self.system = model, made.assemble(assemble_at_start(model))
        self.work, self.positions = made.workspace(self.system, 1), self.system.layout.positions
        self.y = made.initial_state(self.system, assemble_at_start(model))

    def rates(self, y, t=0.0):
        ydot = np.zeros_like(y)
        rates(self.system, self.work, t, y, ydot)
        return ydot

    def energy(self, y, t=0.0):
        return float(hamiltonian(self.system, self.work, t, y))

    def gradient(self, y, t=0.0):
        steps = SMALL * np.eye(len(y))
        return np.array(
            [(self.energy(y + d, t) - self.energy(y - d, t)) / (2 * SMALL) for d in steps]
        )

    def poses(self, y, t=0.0):
        pose, twist = np.zeros((len(self.model.bodies), 7)), np.zeros((len(self.model.bodies), 6))
        self.rates(y, t)
        poses(self.system, self.work, t, y, pose, twist)
        return pose, twist

    def slip(self, y):
        """d/dt of the constraints."""
        out = np.zeros(self.system.facts.constraints)
        constraint_rate(self.system, self.work, 0.0, y, self.rates(y), out)
        return out

    def acceleration(self, t=0.0):
        """(bodies, 6) dω/dt, dv/dt of the origins, by central differences along the flow."""
        ydot = self.rates(self.y, t)
        if self.system.facts.constraints:
            multipliers = (self.slip(self.y - SMALL * ydot) - self.slip(self.y + SMALL * ydot)) / (
                2 * SMALL
            )
            solve_multipliers(self.system, self.work, multipliers)
            add_multiplier_forces(self.system, self.work, t, self.y, multipliers, ydot)
        ends = [self.poses(self.y + s * ydot, t + s)[1] for s in (-SMALL, SMALL)]
        return (ends[1] - ends[0]) / (2 * SMALL)


# ---- equations -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["free_bodies_quaternion", "free_bodies_quaternion_constrained"])
def test_rates_of_quaternion_chains_are_the_canonical_gradient_of_h(name):
    chain = Chain(loose_bodies(), name)
    # also off ‖q‖ = 1 and q · g = 0
    y = chain.y + 0.1 * np.random.default_rng(0).normal(size=len(chain.y))
    found, gradient, n = chain.rates(y), chain.gradient(y), chain.positions
    np.testing.assert_allclose(found[:n], gradient[n:], atol=1e-8)
    np.testing.assert_allclose(found[n:], -gradient[:n], atol=1e-7)


def test_rates_of_rotation_chains_are_the_gradient_of_h_along_rotations():
    chain = Chain(loose_bodies(), "free_bodies_rotation")
    y, n = chain.y, chain.positions
    found, gradient = chain.rates(y), chain.gradient(y)
    np.testing.assert_allclose(found[:n], gradient[n:], atol=1e-8)
    for i in range(3):
        np.testing.assert_allclose(found[n + 12 * i :][:3], -gradient[12 * i :][:3], atol=1e-7)
        columns = y[12 * i + 3 :][:9].reshape(3, 3)
        for axis in np.eye(3):
            turn = np.cross(axis, columns).ravel()
            assert found[n + 12 * i + 3 :][:9] @ turn == pytest.approx(
                -gradient[12 * i + 3 :][:9] @ turn, abs=1e-7
            )


def test_chains_and_newton_euler_give_the_same_accelerations():
    """m a = f, J α + ω × J ω = n with forces of the springs written out here."""
    model = replace(loose_bodies(), gravity=(1.0, -2.0, 3.0))
    turn, at, twist = assemble_at_start(model).bodies
    index = {body.name: k for k, body in enumerate(model.bodies)}
    com = np.array([turn[k] @ body.com for k, body in enumerate(model.bodies)])
    force, torque = (
        np.array([body.mass * np.array(model.gravity) for body in model.bodies]),
        np.zeros((3, 3)),
    )
    for spring in model.forces:
        a, b = index[spring.body_a], index[spring.body_b]
        arm_a, arm_b = turn[a] @ spring.at_a, turn[b] @ spring.at_b
        line = at[b] + arm_b - at[a] - arm_a
        length = np.linalg.norm(line)
        pull = spring.stiffness * (length - spring.length) * line / length
        force[a], force[b] = force[a] + pull, force[b] - pull
        torque[a], torque[b] = (
            torque[a] + np.cross(arm_a - com[a], pull),
            torque[b] - np.cross(arm_b - com[b], pull),
        )
    expected = np.zeros((3, 6))
    for k, body in enumerate(model.bodies):
        J, w = turn[k] @ np.array(body.inertia) @ turn[k].T, twist[k, :3]
        alpha = np.linalg.solve(J, torque[k] - np.cross(w, J @ w))
        expected[k] = [
            *alpha,
            *(force[k] / body.mass - np.cross(alpha, com[k]) - np.cross(w, np.cross(w, com[k]))),
        ]
    np.testing.assert_allclose(Chain(model).acceleration(), expected, atol=1e-8)
    np.testing.assert_allclose(
        Chain(model, "free_bodies_rotation").acceleration(), expected, atol=1e-8
    )


@pytest.mark.parametrize(
    "name", ["free_bodies_quaternion", "free_bodies_quaternion_constrained", "free_bodies_rotation"]
)
def test_poses_and_twists_come_back_from_the_state(name):
    chain = Chain(loose_bodies(), name)
    turn, at, twist = assemble_at_start(chain.model).bodies
    pose, found = chain.poses(chain.y)
    np.testing.assert_allclose(pose[:, :3], at, atol=1e-14)
    np.testing.assert_allclose(rotation_matrix(pose[:, 3:]), turn, atol=1e-14)
    np.testing.assert_allclose(found, twist, atol=1e-13)


def test_chain_forms_have_the_same_energies():
    found = [
        energies(chain.system, chain.work, 0.0, chain.y)
        for chain in map(lambda n: Chain(loose_bodies(), n), NAMES)
    ]
    np.testing.assert_allclose(found, [found[0]] * len(found), rtol=1e-13)


NAMES = ("free_bodies_quaternion", "free_bodies_quaternion_constrained", "free_bodies_rotation")


@pytest.mark.parametrize("name", NAMES[1:])
def test_starts_of_constrained_forms_satisfy_their_constraints(name):
    chain = Chain(loose_bodies(), name)
    value, rate = np.ones((2, chain.system.facts.constraints))
    constraint(chain.system, chain.work, 0.0, chain.y, value)
    constraint_rate(chain.system, chain.work, 0.0, chain.y, chain.rates(chain.y), rate)
    assert np.abs(value).max() < 1e-14 and np.abs(rate).max() < 1e-13


def test_a_kick_is_the_force_without_its_kinetic_part():
    chain = Chain(loose_bodies())
    still, kicked = chain.y.copy(), np.zeros_like(chain.y)
    still[chain.positions :] = 0.0
    kick(chain.system, chain.work, 0.0, chain.y, kicked)
    np.testing.assert_allclose(
        kicked[chain.positions :], chain.rates(still)[chain.positions :], atol=1e-14
    )


# ---- free rotation -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "inertia", [TALL, (2, 2, 3), (3, 2, 2), (2, 3, 2), (2, 2, 2), (1, 1, 0), (1, 2, 3)]
)
@pytest.mark.parametrize("h", [1e-3, 0.3, -2.0])
def test_flow_is_the_free_motion_that_scipy_integrates(inertia, h):
    turning = (0.7, -0.5, 0.0 if 0 in inertia else 0.9)
    joint = Free(
        "j",
        "ground",
        "b",
        q=(1, 2, 3, *unit(np.random.default_rng(1))),
        qdot=(0.1, 0.2, 0.3, *turning),
    )
    chain = Chain(Model([Body("b", 2.0, inertia=inertia)], [joint], gravity=(0, 0, 0)))
    y, lost = chain.y.copy(), np.zeros_like(chain.y)
    flow(chain.system, chain.work, 0.0, y, lost, h)
    expected = solve_ivp(
        lambda t, x: chain.rates(x), (0.0, h), chain.y, method="DOP853", rtol=1e-13, atol=1e-14
    ).y[:, -1]
    np.testing.assert_allclose(y, expected, atol=2e-12)
    assert np.linalg.norm(y[3:7]) == pytest.approx(1.0, abs=4e-16)


def test_flow_follows_jacobis_elliptic_functions():
    """m₁ = a cn, m₂ = b sn, m₃ = c dn of (λ t): Landau and Lifshitz, Mechanics, § 37."""
    J1, J2, J3 = 1.0, 2.0, 3.0
    w = np.array([0.3, 0.0, 2.0])
    energy, square = (
        (np.array([J1, J2, J3]) * w**2).sum(),
        ((np.array([J1, J2, J3]) * w) ** 2).sum(),
    )
    lam = np.sqrt((J3 - J2) * (square - energy * J1) / (J1 * J2 * J3))
    k2 = (J2 - J1) * (energy * J3 - square) / ((J3 - J2) * (square - energy * J1))
    b = np.sqrt((energy * J3 - square) / (J2 * (J3 - J2)))
    t = 5.0
    sn, cn, dn, _ = ellipj(lam * t, k2)
    chain = Chain(
        Model(
            [Body("b", 1.0, inertia=(J1, J2, J3))],
            [Free("j", "ground", "b", qdot=(0, 0, 0, *w))],
            gravity=(0, 0, 0),
        )
    )
    y = chain.y.copy()
    flow(chain.system, chain.work, 0.0, y, np.zeros_like(y), t)
    pose, twist = chain.poses(y)
    found = rotation_matrix(pose[0, 3:]).T @ twist[0, :3]
    np.testing.assert_allclose(np.abs(found), np.abs([w[0] * cn, b * sn, w[2] * dn]), atol=1e-13)


def test_flow_keeps_the_spin_in_space_over_many_steps():
    joint = Free(
        "j",
        "ground",
        "b",
        q=(0, 0, 0, *unit(np.random.default_rng(2))),
        qdot=(0, 0, 0, 0.7, -0.5, 0.9),
    )
    chain = Chain(Model([Body("b", 1.0, inertia=TALL)], [joint], gravity=(0, 0, 0)))
    y, lost = chain.y.copy(), np.zeros_like(chain.y)
    for _ in range(300):
        flow(chain.system, chain.work, 0.0, y, lost, 0.05)
    spins = [spin_of(state[3:7], state[10:14]) for state in (chain.y, y)]
    np.testing.assert_allclose(spins[1], spins[0], atol=1e-15)
    assert chain.energy(y) == pytest.approx(chain.energy(chain.y), rel=1e-15)


def spin_of(q, g):
    """½ of the vector part of g ∘ q̄."""
    return 0.5 * (q[0] * g[1:] - g[0] * q[1:] - np.cross(g[1:], q[1:]))


def test_a_flow_that_is_not_finite_ends():
    chain = Chain(loose_bodies(2, forces=()))
    y = chain.y * np.nan
    flow(chain.system, chain.work, 0.0, y, np.zeros_like(y), 0.1)
    assert np.isnan(y[3])


# ---- discrete gradients --------------------------------------------------------------------------
def test_discrete_rates_of_quaternions_keep_energy_and_push_nothing_as_a_whole():
    chain = Chain(loose_bodies(gravity=(0, 0, 0)), "free_bodies_quaternion_constrained")
    y, n, found = chain.y, chain.positions, np.zeros_like(chain.y)
    end = y + 0.05 * chain.rates(y) * (1 + 0.3 * np.random.default_rng(1).normal(size=len(y)))
    discrete_rates(chain.system, chain.work, 0.0, y, end, found)
    change, middle = end - y, 0.5 * (y + end)
    assert chain.energy(end) - chain.energy(y) == pytest.approx(
        found[:n] @ change[n:] - found[n:] @ change[:n], rel=1e-12
    )
    push = found[n:].reshape(-1, 7)
    at, momentum, rate = (
        middle[:n].reshape(-1, 7),
        middle[n:].reshape(-1, 7),
        found[:n].reshape(-1, 7),
    )
    np.testing.assert_allclose(push[:, :3].sum(0), 0.0, atol=1e-13)
    turned = sum(
        np.cross(a[:3], b[:3])
        + np.cross(c[:3], d[:3])
        + spin_of(a[3:], b[3:])
        + spin_of(c[3:], d[3:])
        for a, b, c, d in zip(at, push, rate, momentum, strict=True)
    )
    np.testing.assert_allclose(turned, 0.0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES[1:2])
def test_discrete_rates_of_one_state_are_its_rates(name):
    chain = Chain(loose_bodies(), name)
    found = np.zeros_like(chain.y)
    discrete_rates(chain.system, chain.work, 0.0, chain.y, chain.y, found)
    np.testing.assert_allclose(found, chain.rates(chain.y), atol=1e-13)


# ---- held and moved bodies -----------------------------------------------------------------------
@pytest.mark.parametrize("name", ["free_bodies_quaternion", "free_bodies_rotation"])
def test_moved_bodies_are_where_their_formulas_say(name):
    chain, t = Chain(driven_bodies(), name), 0.7
    pose, twist = chain.poses(chain.y, t)
    vector = np.array([0.4 * np.sin(t), t, 0.2 * t * t])
    np.testing.assert_allclose(
        rotation_matrix(pose[0, 3:]), Rotation.from_rotvec(vector).as_matrix(), atol=1e-14
    )
    np.testing.assert_allclose(pose[0, :3], [np.sin(2 * t), 0.3 * np.cos(t), 0.5 * t], atol=1e-14)
    np.testing.assert_allclose(twist[0, 3:], [2 * np.cos(2 * t), -0.3 * np.sin(t), 0.5], atol=1e-14)
    before, after = (chain.poses(chain.y, t + s)[0] for s in (-SMALL, SMALL))
    for k in (0, 2):
        step = Rotation.from_matrix(
            rotation_matrix(after[k, 3:]) @ rotation_matrix(before[k, 3:]).T
        ).as_rotvec()
        np.testing.assert_allclose(twist[k, :3], step / (2 * SMALL), atol=1e-8)


@pytest.mark.parametrize("name", ["free_bodies_quaternion", "free_bodies_rotation"])
def test_the_power_of_what_moves_bodies_is_the_rate_of_h_in_time(name):
    chain, t = Chain(driven_bodies(), name), 0.7
    ydot = chain.rates(chain.y, t)
    expected = (chain.energy(chain.y, t + SMALL) - chain.energy(chain.y, t - SMALL)) / (2 * SMALL)
    assert power(chain.system, chain.work, t, chain.y, ydot) == pytest.approx(expected, abs=1e-6)


def test_a_rotation_vector_near_zero_loses_no_digits():
    body, joint = Body("b", 1.0, inertia=TALL), Free("j", "ground", "b")
    motion = Motion("b", rotation=("1e-9*t", "2e-9*sin(t)", "0"))
    _, twist = Chain(Model([body], [joint], constraints=[motion])).poses(
        np.array([0.0] * 3 + [1.0] + [0.0] * 10), 0.5
    )
    np.testing.assert_allclose(twist[0, :2], [1e-9, 2e-9 * np.cos(0.5)], rtol=1e-9)


@pytest.mark.parametrize("name", ["free_bodies_quaternion", "free_bodies_rotation"])
def test_welds_hold_and_balls_let_turn(name):
    model = loose_bodies()
    held = Ball("j1", "ground", "b1", on_parent=(1, 2, 3), on_child=model.bodies[1].com)
    model = replace(model, joints=(Weld("j0", "ground", "b0"), held, model.joints[2]))
    chain = Chain(model, name)
    acceleration = chain.acceleration()
    assert np.abs(acceleration[0]).max() == 0.0 and np.abs(acceleration[1, :3]).max() > 0.1
    centre = acceleration[1, 3:] + np.cross(
        acceleration[1, :3], rotation_matrix(chain.poses(chain.y)[0][1, 3:]) @ model.bodies[1].com
    )
    np.testing.assert_allclose(centre, 0.0, atol=1e-8)


def test_a_point_mass_does_not_turn_and_a_rod_not_about_itself():
    bodies = [Body("point", 2.0), Body("rod", 1.0, inertia=(1.0, 1.0, 0.0))]
    joints = [
        Free(f"of {body.name}", "ground", body.name, qdot=(1, 0, 0, 1, 2, 3)) for body in bodies
    ]
    _, twist = (chain := Chain(Model(bodies, joints))).poses(chain.y)
    np.testing.assert_allclose(twist, [[0, 0, 0, 1, 0, 0], [1, 2, 0, 1, 0, 0]], atol=1e-15)


def test_principal_axes_turn_an_inertia_into_its_moments():
    inertias = np.array(
        [random_inertia(np.random.default_rng(k)) for k in range(20)]
        + [np.eye(3), np.diag([1.0, 2.0, 3.0])]
    )
    moments, axes = principal_axes_of(inertias)
    np.testing.assert_allclose(
        axes @ (moments[:, :, None] * np.swapaxes(axes, 1, 2)), inertias, atol=1e-13
    )
    np.testing.assert_allclose(np.linalg.det(axes), 1.0, atol=1e-13)


# ---- refusals ------------------------------------------------------------------------------------
def refusals():
    body, free = Body("b", 1.0, inertia=TALL), Free("j", "ground", "b")
    off = replace(body, com=(0.1, 0.0, 0.0))
    yield "joint 'j' is a revolute", Model([body], [Revolute("j", "ground", "b")])
    yield "joins 'b' and 'c'", Model([body, replace(body, name="c")], [free, Free("k", "b", "c")])
    yield "body 'b' has no mass", Model([Body("b")], [free])
    yield "that another joint holds already", Model([body], [free, Weld("k", "ground", "b")])
    yield "which acts along a joint", Model([body], [free], [JointDamper("j.x", 1.0)])
    yield (
        "not its centre of mass",
        Model([off], [free], constraints=[Motion("b", position=(0, 0, "t"))]),
    )


@pytest.mark.parametrize(("reason", "model"), list(refusals()))
def test_what_is_no_chain_is_refused_by_name(reason, model):
    with pytest.raises(FitError) as refused:
        find_formulation("free_bodies_quaternion").assemble(assemble_at_start(model))
    assert reason in str(refused.value) and refused.value.part is not None


def test_a_flat_body_has_no_rotation_matrix_form():
    model = Model([Body("disc", 1.0, inertia=(1.0, 2.0, 3.0))], [Free("j", "ground", "disc")])
    with pytest.raises(FitError, match="'disc' is flat.*free_bodies_quaternion"):
        find_formulation("free_bodies_rotation").assemble(assemble_at_start(model))


def test_loads_count_as_power():
    load = BodyLoad("b0", force=(1.0, 2.0, 3.0), torque=(0.3, 0.2, 0.1), at=(0.1, 0.2, 0.3))
    chain = Chain(loose_bodies(2, forces=(load,)))
    ydot = chain.rates(chain.y)
    step = SMALL * ydot
    along = (chain.energy(chain.y + step) - chain.energy(chain.y - step)) / (2 * SMALL)
    assert power(chain.system, chain.work, 0.0, chain.y, chain.rates(chain.y)) == pytest.approx(
        along, abs=1e-7
    )
    assert (
        not chain.system.facts.is_conservative
        and Chain(loose_bodies()).system.facts.is_conservative
    )
