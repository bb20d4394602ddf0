"""Reactions against statics, closed forms and Newton's and Euler's laws written out by hand."""

import numpy as np
import pytest
import xarray as xr

import hamiltree as ht
from hamiltree.analysis.reactions import Reactions, trajectory_drive_force, trajectory_reactions
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.errors import FitError, ModelError, OptionError
from hamiltree.model import (
    GROUND,
    Ball,
    Body,
    BodyLoad,
    Drive,
    Frame,
    Free,
    JointSpring,
    Model,
    Revolute,
    Rod,
    Screw,
    Universal,
    Weld,
)
from hamiltree.rotations import quaternion_from_matrix
from hamiltree.trajectory.trajectory import Trajectory

G = 9.81
INERTIA = (0.02, 0.03, 0.025)


def start_of(model, t=0.0):
    """One sample: a model where it starts."""
    turn, at, twist = assemble_at_start(model).bodies
    pose = np.column_stack([at, [quaternion_from_matrix(R) for R in turn]])
    return np.array([t]), pose[None], twist[None]


def reactions_of(model, name):
    return Reactions(model).of(name, *start_of(model))


def momenta_of(model):
    """(bodies, 6): angular momentum about the world's origin and linear momentum, from poses and
    twists.
    """
    _, pose, twist = start_of(model)
    found = []
    for body, (x, R), V in zip(model.bodies, frames(pose[0]), twist[0], strict=True):
        arm = R @ np.array(body.com)
        linear = body.mass * (V[3:] + np.cross(V[:3], arm))
        found.append(
            np.concatenate(
                [np.cross(x + arm, linear) + R @ np.array(body.inertia) @ R.T @ V[:3], linear]
            )
        )
    return np.array(found)


def frames(pose):
    """Origin and rotation of each body; columns of R are p ∘ e ∘ p̄."""
    for *x, w, a, b, c in pose:
        L, K = (
            np.array([[-a, w, s * c, -s * b], [-b, -s * c, w, s * a], [-c, s * b, -s * a, w]])
            for s in (1.0, -1.0)
        )
        yield np.array(x), K @ L.T


def energy_of(model):
    """T + V of gravity."""
    _, pose, twist = start_of(model)
    total = 0.0
    for body, (x, R), V in zip(model.bodies, frames(pose[0]), twist[0], strict=True):
        arm, w = R @ np.array(body.com), R.T @ V[:3]
        v = V[3:] + np.cross(V[:3], arm)
        total += (
            0.5 * body.mass * v @ v
            + 0.5 * w @ np.array(body.inertia) @ w
            - body.mass * np.array(model.gravity) @ (x + arm)
        )
    return total


def derivative(f, t, h=1e-3):
    """f'(t) to h⁶."""
    return (
        sum(
            weight * (f(t + k * h) - f(t - k * h))
            for k, weight in ((1, 0.75), (2, -0.15), (3, 1 / 60))
        )
        / h
    )


# ---- statics -------------------------------------------------------------------------------------
def test_each_joint_of_a_hanging_chain_holds_the_weight_of_all_below():
    masses, kinds = (1.0, 2.0, 4.0, 8.0), (Revolute, Ball, Universal, Weld)
    bodies = [Body(f"b{k}", m, (0.0, 0.0, -0.25), INERTIA) for k, m in enumerate(masses)]
    joints = [
        kind(f"j{k}", f"b{k - 1}" if k else GROUND, f"b{k}", Frame((0.0, 0.0, -0.5 if k else 3.0)))
        for k, kind in enumerate(kinds)
    ]
    model = Model(name="chain", bodies=bodies, joints=joints)
    reactions, sample = Reactions(model), start_of(model)
    for k in range(len(masses)):
        found = reactions.of(f"j{k}", *sample)
        assert found.force.values[0] == pytest.approx([0.0, 0.0, sum(masses[k:]) * G], abs=1e-12)
        assert found.moment.values[0] == pytest.approx(np.zeros(3), abs=1e-12)
        assert found.point.values[0] == pytest.approx([0.0, 0.0, 3.0 - 0.5 * k], abs=1e-15)
        assert found.attrs["unique"] and "note" not in found.attrs


def test_a_welded_beam_carries_weight_load_and_their_moments():
    # joint x is the world's y
    turned = Frame((0.1, 0.2, 0.3), (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)))
    beam = Body("beam", 3.0, (0.4, 0.0, 0.0), INERTIA)
    load = BodyLoad("beam", (5.0, -7.0, 2.0), (0.3, 0.2, -0.1), (0.9, 0.0, 0.0))
    model = Model(
        name="cantilever",
        bodies=[beam],
        joints=[Weld("wall", GROUND, "beam", turned)],
        forces=[load],
    )
    found = reactions_of(model, "wall")
    out, weight, push = (
        np.array([0.0, 1.0, 0.0]),
        np.array([0.0, 0.0, -3.0 * G]),
        np.array([5.0, -7.0, 2.0]),
    )
    moment = np.cross(0.4 * out, weight) + np.cross(0.9 * out, push) + [0.3, 0.2, -0.1]
    assert found.force.values[0] == pytest.approx(-(weight + push), abs=1e-12)
    assert found.moment.values[0] == pytest.approx(-moment, abs=1e-12)
    for name in ("force", "moment"):
        x, y, z = found[name].values[0]
        assert found[f"{name}_in_joint"].values[0] == pytest.approx([y, -x, z], abs=1e-12)


def test_two_hinges_of_a_door_share_its_weight_by_the_least_norm():
    """Against the pseudo-inverse of the wrenches of both hinges: three forces each, and two moments
    across the axis.
    """
    door = Body("door", 20.0, (0.5, 0.0, 0.9), (6.0, 8.0, 2.0))
    heights = (0.2, 1.7)
    hinges = [
        Revolute(f"hinge{k}", GROUND, "door", Frame((0.0, 0.0, z)), Frame((0.0, 0.0, z)))
        for k, z in enumerate(heights)
    ]
    model = Model(name="door", bodies=[door], joints=hinges)
    columns = []
    for z in heights:
        columns += [np.concatenate([np.cross([0.0, 0.0, z], e), e]) for e in np.eye(3)]
        columns += [np.concatenate([e, np.zeros(3)]) for e in np.eye(3)[:2]]
    wanted = np.concatenate([np.cross([0.5, 0.0, 0.9], [0.0, 0.0, 20.0 * G]), [0.0, 0.0, 20.0 * G]])
    # forces count as moments, by the length of the model: from its origin to the upper hinge
    sizes = np.tile([1.7] * 3 + [1.0] * 2, 2)
    least = (np.linalg.pinv(np.array(columns).T / sizes) @ wanted / sizes).reshape(2, 5)
    for k in range(2):
        found = reactions_of(model, f"hinge{k}")
        assert found.force.values[0] == pytest.approx(least[k, :3], abs=1e-9)
        assert found.moment.values[0] == pytest.approx([*least[k, 3:], 0.0], abs=1e-9)
        assert not found.attrs["unique"] and "5 of joint 'hinge1'" in found.attrs["note"]
        assert found.attrs["note"].endswith("determined: moment_in_joint z")


def test_a_rod_pulls_by_the_weight_it_holds_and_does_so_on_its_second_body():
    lamp = Body("lamp", 2.0, (0.0, 0.0, 0.0), INERTIA)
    for ends, sign in (
        ((GROUND, "lamp", (0.0, 0.0, 1.0), (0.0, 0.0, 0.1)), 1.0),
        (("lamp", GROUND, (0.0, 0.0, 0.1), (0.0, 0.0, 1.0)), -1.0),
    ):
        model = Model(
            name="lamp",
            bodies=[lamp],
            joints=[Free("free", GROUND, "lamp")],
            constraints=[Rod(*ends)],
        )
        found = reactions_of(model, 1)
        assert found.force.values[0] == pytest.approx([0.0, 0.0, sign * 2.0 * G], abs=1e-12)
        assert found.moment.values[0] == pytest.approx(np.zeros(3), abs=1e-12)
        assert not reactions_of(model, "free").force.values.any()


# ---- motion in closed form -----------------------------------------------------------------------
def test_a_pendulum_at_speed_pulls_with_weight_and_centrifugal_force():
    """m (g cos θ + l ω²) along the rod, and across it m g sin θ times J / (J + m l²)."""
    m, l, theta, omega = 1.5, 0.7, 0.6, 3.0
    bob = Body("bob", m, (0.0, 0.0, -l), INERTIA)
    model = Model(
        name="pendulum",
        bodies=[bob],
        joints=[Revolute("hinge", GROUND, "bob", axis=(0, -1, 0), q=theta, qdot=omega)],
    )
    force = reactions_of(model, "hinge").force.values[0]
    inward, across = (
        np.array([-np.sin(theta), 0.0, np.cos(theta)]),
        np.array([np.cos(theta), 0.0, np.sin(theta)]),
    )
    assert force @ inward == pytest.approx(m * (G * np.cos(theta) + l * omega**2), rel=1e-12)
    assert force @ across == pytest.approx(
        m * G * np.sin(theta) * INERTIA[1] / (INERTIA[1] + m * l**2), rel=1e-12
    )


def test_a_nut_that_runs_down_a_screw_is_held_by_force_and_moment_in_the_ratio_of_the_pitch():
    """(J + m c²) q̈ = −m g c with c = pitch / 2π: the thread gives F = m g J / (J + m c²) and
    M = −c F.
    """
    m, J, c = 0.8, INERTIA[2], 0.05
    nut = Body("nut", m, inertia=INERTIA)
    found = reactions_of(
        Model(
            name="nut",
            bodies=[nut],
            joints=[Screw("thread", GROUND, "nut", pitch=2 * np.pi * c, q=0.4)],
        ),
        "thread",
    )
    force = m * G * J / (J + m * c**2)
    assert found.force.values[0] == pytest.approx([0.0, 0.0, force], abs=1e-12)
    assert found.moment.values[0] == pytest.approx([0.0, 0.0, -c * force], abs=1e-12)


def test_a_joint_declared_from_its_other_side_has_the_opposite_reaction():
    upper, lower = (Body(name, 1.0, (0.1, 0.05, -0.3), INERTIA) for name in ("upper", "lower"))
    hip = Revolute("hip", GROUND, "upper", axis=(0, 1, 0), q=0.3, qdot=1.0)
    on_upper, on_lower = (
        Frame((0.0, 0.1, -0.6), (0.8, 0.6, 0.0, 0.0)),
        Frame((0.05, 0.0, 0.0), (0.6, 0.0, 0.8, 0.0)),
    )
    forwards = Universal(
        "knee", "upper", "lower", on_upper, on_lower, q=(0.5, -0.4), qdot=(2.0, 1.0)
    )
    backwards = Universal(
        "knee",
        "lower",
        "upper",
        on_lower,
        on_upper,
        axes=((0, 1, 0), (1, 0, 0)),
        q=(0.4, -0.5),
        qdot=(-1.0, -2.0),
    )
    one, other = (
        reactions_of(Model(name="leg", bodies=[upper, lower], joints=[hip, knee]), "knee")
        for knee in (forwards, backwards)
    )
    assert np.linalg.norm(one.force) > 1.0 and np.linalg.norm(one.moment) > 1e-2
    for name in ("force", "moment"):
        assert other[name].values[0] == pytest.approx(-one[name].values[0], abs=1e-10)
    assert (one.attrs["body"], other.attrs["body"]) == ("lower", "upper")


# ---- a driven mechanism: its motion is known, its momenta are differentiated ---------------------
def crank_angle(t):
    return 0.7 + 10.0 * t + 0.4 * np.sin(6.0 * t)


def crank_speed(t):
    return 10.0 + 2.4 * np.cos(6.0 * t)


def driven_at(t):
    """A slider-crank whose crank turns as told, closed by the formulas of the library."""
    model = ht.library.slider_crank(offset=0.03, angle=crank_angle(t), speed=crank_speed(t))
    return model.with_(
        constraints=[Drive("crank_pivot", position="0.7 + 10*t + 0.4*sin(6*t)", name="motor")]
    )


TIMES = (0.0, 0.13, 0.31)


@pytest.fixture(scope="module")
def driven():
    """(reactions, samples) of the slider-crank."""
    samples = [start_of(driven_at(t), t) for t in TIMES]
    return Reactions(driven_at(0.0)), tuple(
        np.concatenate(parts) for parts in zip(*samples, strict=True)
    )


def test_the_power_of_a_drive_is_the_rate_of_energy(driven):
    reactions, samples = driven
    torque = reactions.drive_force("motor", *samples)
    for k, t in enumerate(TIMES):
        assert torque.values[k] * crank_speed(t) == pytest.approx(
            derivative(lambda x: energy_of(driven_at(x)), t), rel=1e-8
        )
    assert torque.attrs["units"] == "N m" and torque.dims == ("t",)
    assert np.array_equal(torque, reactions.drive_force("crank_pivot", *samples))


def test_reactions_weight_and_drive_make_the_rate_of_each_momentum(driven):
    reactions, samples = driven
    model, axis = reactions.model, np.array([0.0, -1.0, 0.0])
    torque = reactions.drive_force("motor", *samples).values
    felt = {body.name: np.zeros((len(TIMES), 6)) for body in model.bodies} | {
        GROUND: np.zeros((len(TIMES), 6))
    }
    for joint in model.joints:
        found = reactions.of(joint.name, *samples)
        about_origin = np.concatenate(
            [found.moment + np.cross(found.point, found.force), found.force], axis=1
        )
        felt[joint.child] += about_origin
        felt[joint.parent] -= about_origin
    felt["crank"][:, :3] += torque[:, None] * axis
    for k, t in enumerate(TIMES):
        wanted = derivative(lambda x: momenta_of(driven_at(x)), t)
        for b, (body, (x, R)) in enumerate(zip(model.bodies, frames(samples[1][k]), strict=True)):
            weight = body.mass * np.array(model.gravity)
            total = felt[body.name][k] + np.concatenate(
                [np.cross(x + R @ np.array(body.com), weight), weight]
            )
            assert total == pytest.approx(wanted[b], abs=2e-7)


# ---- four bars in the plane ----------------------------------------------------------------------
def plane_newton_euler(model):
    """Pin forces on the children by (joint, x z): 9 accelerations and 8 forces from Newton's and
    Euler's laws and the pins' accelerations.

    Angles counterclockwise in the plane x-z; the moment of f about a point at arm a is a_x f_z −
    a_z f_x.
    """
    _, pose, twist = start_of(model)
    bars = {body.name: k for k, body in enumerate(model.bodies)}
    at = [(x[[0, 2]], R[np.ix_([0, 2], [0, 2])]) for x, R in frames(pose[0])]
    centre = [
        x + R @ np.array(body.com)[[0, 2]] for body, (x, R) in zip(model.bodies, at, strict=True)
    ]
    spin = -twist[0, :, 1]
    A, b = np.zeros((17, 17)), np.zeros(17)
    for k, body in enumerate(model.bodies):
        A[3 * k, 3 * k] = A[3 * k + 1, 3 * k + 1] = body.mass
        A[3 * k + 2, 3 * k + 2] = body.inertia[1][1]
        b[3 * k + 1] = -body.mass * G
    for j, joint in enumerate(model.joints):
        for name, frame, sign in (
            (joint.child, joint.on_child, 1.0),
            (joint.parent, joint.on_parent, -1.0),
        ):
            if name in bars:
                k = bars[name]
                arm = at[k][0] + at[k][1] @ np.array(frame.position)[[0, 2]] - centre[k]
                # acceleration of the pin by that of the bar
                pin = np.array([[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]])
                A[9 + 2 * j : 11 + 2 * j, 3 * k : 3 * k + 3] += sign * pin
                b[9 + 2 * j : 11 + 2 * j] += sign * arm * spin[k] ** 2
                A[3 * k : 3 * k + 3, 9 + 2 * j : 11 + 2 * j] -= sign * pin.T
    return np.linalg.solve(A, b)[9:].reshape(4, 2)


@pytest.mark.parametrize("angle", [0.5, 2.4])
def test_a_four_bar_has_the_pin_forces_of_the_plane_and_none_across_it(angle):
    model = ht.library.four_bar(angle=angle)
    reactions, sample = Reactions(model), start_of(model)
    for joint, wanted in zip(model.joints, plane_newton_euler(model), strict=True):
        found = reactions.of(joint.name, *sample)
        assert found.force.values[0, [0, 2]] == pytest.approx(wanted, rel=1e-10, abs=1e-10)
        assert abs(found.force.values[0, 1]) < 1e-11 and np.abs(found.moment).max() < 1e-11
        assert not found.attrs["unique"] and "3 of joint 'coupler_pin'" in found.attrs["note"]
        assert found.attrs["note"].endswith(
            "determined: moment_in_joint y, force_in_joint x, force_in_joint z"
        )


def parallelogram(angle):
    """Flat at angle zero, where all four pins lie on one line."""
    model = ht.library.four_bar(crank=0.2, coupler=0.6, rocker=0.2, ground=0.6, angle=0.5)
    turns = {"crank_pivot": (angle, 6.0), "crank_pin": (-angle, -6.0), "rocker_pivot": (angle, 6.0)}
    return model.with_(joints={name: {"q": q, "qdot": qdot} for name, (q, qdot) in turns.items()})


def test_a_flat_parallelogram_has_no_reactions_and_is_no_start_for_those_of_others():
    beside, flat = parallelogram(0.3), parallelogram(0.0)
    assert np.isfinite(reactions_of(beside, "crank_pin").force).all()
    assert np.isnan(Reactions(beside).of("crank_pin", *start_of(flat)).force).all()
    with pytest.raises(ModelError, match="singular position.*'coupler_pin'"):
        Reactions(flat).of("crank_pin", *start_of(beside))


# ---- runs and refusals ---------------------------------------------------------------------------
def run_of(model, samples, q):
    """A Trajectory with these samples."""
    t, pose, twist = samples
    parts = {
        "q": (("t", "coordinate"), q),
        "pose": (("t", "body", "pose_part"), pose),
        "twist": (("t", "body", "twist_part"), twist),
    }
    return Trajectory(xr.Dataset(parts, {"t": t, "coordinate": list(model.coordinates)}), model)


def test_samples_of_a_run_may_lie_turns_apart_although_a_spring_counts_them():
    """A wheel on a torsion spring, off its centre: the reaction knows the acceleration, so the
    torque −k q of all turns.
    """
    wheel, k, r = Body("wheel", 2.0, (0.3, 0.0, 0.0), INERTIA), 1.7, 0.3
    turned = np.array([0.0, 0.4 + 6 * np.pi, -1.0 - 20 * np.pi])

    def at(q):
        hinge = Revolute("hinge", GROUND, "wheel", q=q)
        return Model(
            name="wheel",
            bodies=[wheel],
            joints=[hinge],
            forces=[JointSpring("hinge", k)],
            gravity=(0.0, 0.0, 0.0),
        )

    samples = tuple(
        np.concatenate(parts)
        for parts in zip(*(start_of(at(q), t) for t, q in enumerate(turned)), strict=True)
    )
    found = trajectory_reactions(run_of(at(0.0), samples, turned[:, None]), "hinge").force.values
    along = np.column_stack([-np.sin(turned), np.cos(turned), 0.0 * turned])
    tangential = wheel.mass * r * -k * turned / (INERTIA[2] + wheel.mass * r**2)
    assert found == pytest.approx(along * tangential[:, None], abs=1e-9)


def test_a_run_tells_the_same_as_its_samples(driven):
    reactions, samples = driven
    q = np.array([driven_at(t).start()[0] for t in TIMES])
    run = run_of(reactions.model, samples, q)
    assert trajectory_reactions(run, "slide").identical(reactions.of("slide", *samples))
    assert trajectory_drive_force(run, "motor").identical(reactions.drive_force("motor", *samples))


def test_unknown_names_and_models_without_inertia_are_refused_with_a_remedy(driven):
    reactions, samples = driven
    for ask, name, message in (
        (reactions.of, "slyde", "did you mean 'slide'"),
        (reactions.of, "motor", "drive_force"),
        (reactions.drive_force, "mottor", "did you mean 'motor'"),
        (reactions.drive_force, "slide", "no drive 'slide'"),
    ):
        with pytest.raises(OptionError, match=message):
            ask(name, *samples)
    with pytest.raises(OptionError, match=r"pose has shape .* give \(3, 3, 7\)"):
        reactions.of("slide", samples[0], samples[1][:, :2], samples[2])
    point = Model(
        name="point",
        bodies=[Body("point", 1.0)],
        joints=[Ball("ball", GROUND, "point", Frame(), Frame((0.0, 0.0, 1.0)))],
    )
    with pytest.raises(FitError, match="body 'point' has no inertia.*a small mass and inertia"):
        Reactions(point)
