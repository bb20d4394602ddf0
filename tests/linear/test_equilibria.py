"""Where trees and mechanisms rest: against another formulation, closed forms and runs."""

import warnings

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_start

MECHANISMS = {
    "four_bar": ht.library.four_bar,
    "slider_crank": ht.library.slider_crank,
    "spatial_slider_crank": ht.library.spatial_slider_crank,
    "double_four_bar": ht.library.double_four_bar,
    "bricard": ht.library.bricard,
    "stewart": ht.library.stewart,
    "double_wishbone": ht.library.double_wishbone,
    "andrews": ht.library.andrews,  # its spring carries the torque of its motor
    "ten_body_tree": ht.library.ten_body_tree,
    "tree": lambda: ht.library.tree(5),
    "chain": lambda: ht.library.chain(4),
}
STAYING = [name for name in MECHANISMS if name != "andrews"]  # its natural time is a millisecond


@pytest.fixture(scope="module")
def rests():
    return {name: ht.equilibrium(make()) for name, make in MECHANISMS.items()}


@pytest.mark.parametrize("name", MECHANISMS)
def test_forces_of_another_formulation_balance_at_an_equilibrium(rests, name):
    rest = rests[name]
    assert rest.is_stable and rest.residual < 1e-12
    found = ht.accelerations(rest.model)  # cartesian_3, with all constraint forces
    scale = np.abs(found["constraint_force"].values).max()
    left = found["acceleration"].values * [[body.mass] for body in rest.model.bodies]
    assert np.abs(left).max() < 1e-12 * scale
    inertias = [body.inertia for body in rest.model.bodies]
    moments = np.einsum("bij,bj->bi", inertias, found["angular_acceleration"].values)
    assert np.abs(moments).max() < 1e-12 * scale * assemble_at_start(rest.model).scales.length
    if not rest.model.forces:
        weights = np.outer([body.mass for body in rest.model.bodies], rest.model.gravity)
        assert np.abs(found["constraint_force"].values + weights).max() < 1e-12 * scale


@pytest.mark.parametrize("name", STAYING)
def test_a_run_that_starts_at_a_stable_equilibrium_stays_there(rests, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = ht.simulate(rests[name].model, until=10.0, step=0.02, progress=False)
    moved = np.abs(run.poses.values[..., :3] - run.poses.values[0, :, :3]).max()
    assert moved < 1e-9 * np.ptp(run.poses.values[0, :, :3], axis=0).max()


@pytest.mark.parametrize("name", ["slider_crank", "bricard", "ten_body_tree"])
def test_reactions_of_the_ground_balance_the_weight_and_its_moment(rests, name):
    model = rests[name].model
    weight = sum(body.mass for body in model.bodies) * np.array(model.gravity)
    force = weight.copy()
    moment = np.cross(ht.dynamics(model).centre_of_mass(model.start()[0]), weight)
    for joint in model.joints:
        if "ground" in (joint.parent, joint.child):
            held = rests[name].reactions(joint.name)
            sign = -1.0 if held.attrs["body"] == "ground" else 1.0  # the last joint of the bricard
            push, turn, at = (held[key].values for key in ("force", "moment", "point"))
            force += sign * push
            moment += sign * (turn + np.cross(at, push))
    assert np.abs(force).max() < 1e-12 * np.abs(weight).max()
    size = assemble_at_start(model).scales.length
    assert np.abs(moment).max() < 1e-12 * np.abs(weight).max() * size


def test_static_reactions_carry_the_weight(rests):
    rest = rests["tree"]
    base = next(joint for joint in rest.model.joints if joint.parent == "ground")
    force = rest.reactions(base.name)["force"].values
    weight = sum(body.mass for body in rest.model.bodies) * 9.81
    assert np.abs(force - [0, 0, weight]).max() < 1e-12 * weight


def test_a_spring_on_a_hinge_rests_where_the_book_says():
    spring = ht.JointSpring("hinge", stiffness=20.0, rest=1.0)
    rest = ht.equilibrium(ht.library.pendulum(1.0, 2.0).with_(forces=[spring]))
    q = float(rest.q[0])
    assert 20.0 * (1.0 - q) == pytest.approx(2.0 * 9.81 * np.sin(q), rel=1e-13)
    assert rest.lowest == pytest.approx(20.0 + 2.0 * 9.81 * np.cos(q), rel=1e-10)


@pytest.mark.parametrize("ratio", [2.0**20, 1e10, 1e12])
def test_a_stiff_spring_hides_nothing_of_a_soft_one(ratio):
    rest = ht.equilibrium(two_rotors(1.0, ratio))
    assert float(rest.q[0]) == pytest.approx(0.5, rel=1e-10)
    assert float(rest.q[1]) == pytest.approx(0.25, rel=1e-10)
    assert rest.is_stable and rest.lowest == pytest.approx(1.0, rel=1e-10)


def two_rotors(soft, stiff, soft_rest=0.5):
    """Two discs about the vertical, each on a spring; nothing couples them."""
    discs = [ht.Body(name, 1.0, inertia=np.diag([1.0, 1.0, 2.0])) for name in ("a", "b")]
    joints = [
        ht.Revolute(f"yaw_{disc.name}", "ground", disc.name, axis=(0, 0, 1)) for disc in discs
    ]
    springs = [
        ht.JointSpring("yaw_a", stiffness=soft, rest=soft_rest),
        ht.JointSpring("yaw_b", stiffness=stiff, rest=0.25),
    ]
    return ht.Model(discs, joints, forces=springs)


def test_a_rest_near_a_stiff_spring_is_checked_along_the_soft_one():
    model = two_rotors(1.0, 1e10)
    with pytest.raises(ht.FitError, match="does not rest there: 0.1 N m along 'yaw_a'"):
        ht.linearise(model, [0.4, 0.25])
    assert ht.linearise(model, [0.5, 0.25]).K[0, 0] == pytest.approx(1.0, rel=1e-10)


def test_a_free_slider_that_a_small_force_pushes_does_not_rest_beside_a_stiff_spring():
    """0.01 N, which is 1e-12 of the stiffness of the other joint."""
    joints = [ht.Prismatic("rail", "ground", "a", axis=(1, 0, 0))]
    joints += [ht.Revolute("hinge", "ground", "b", axis=(0, 0, 1))]
    forces = [ht.JointSpring("hinge", stiffness=1e10), ht.JointEffort("rail", effort=0.01)]
    bodies = [ht.Body("a", 1.0), ht.Body("b", 1.0, (0.5, 0, 0))]
    with pytest.raises(ht.StepError, match="along 'rail'"):
        ht.equilibrium(ht.Model(bodies, joints, forces=forces))


def test_dampers_do_not_change_where_a_model_rests():
    model = ht.library.pendulum(angle=2.5)
    plain = ht.equilibrium(model)
    for damper in (ht.JointDamper("hinge", damping=0.1), ht.JointFriction("hinge", coulomb=0.1)):
        damped = ht.equilibrium(model.with_(forces=[damper]))
        assert damped.iterations == plain.iterations
        assert np.array_equal(damped.q.values, plain.q.values)


@pytest.mark.parametrize("angle", [2.5, -1.0, 0.3])
def test_a_torque_turns_a_pendulum_to_the_angle_of_the_book(angle):
    """effort = m g l sin q; far from it the torque has no energy that would fall."""
    effort = ht.JointEffort("hinge", effort=5.0)
    rest = ht.equilibrium(ht.library.pendulum(1.0, 2.0, angle=angle).with_(forces=[effort]))
    assert np.sin(float(rest.q[0])) == pytest.approx(5.0 / (2.0 * 9.81), rel=1e-12)
    assert rest.is_stable and np.cos(float(rest.q[0])) > 0.0


def test_an_equilibrium_keeps_its_time():
    """A torque sin t holds a pendulum at t = π/2; at t = 0 it would not rest there."""
    law = ht.JointLaw("hinge", effort="5*sin(t)")
    model = ht.library.pendulum(1.0, 2.0).with_(forces=[law])
    rest = ht.equilibrium(model, t=np.pi / 2)
    q = float(rest.q[0])
    assert rest.t == rest.to_dict()["t"] == np.pi / 2
    assert np.sin(q) == pytest.approx(5.0 / (2.0 * 9.81), rel=1e-12)
    wanted = 2.0 * 9.81 * np.cos(q)
    for linear in (ht.linearise(rest), ht.linearise(model, rest), ht.modes(rest).linear):
        assert linear.K[0, 0] == pytest.approx(wanted, rel=1e-10)
    with pytest.raises(ht.FitError, match="does not rest there"):
        ht.linearise(rest, t=0.0)
    force = rest.reactions("hinge")
    assert np.abs(force["force"].values - [0, 0, 2.0 * 9.81]).max() < 1e-9


def test_an_unstable_equilibrium_is_left_unless_any_will_do_and_a_run_leaves_at_its_rate():
    model = ht.library.pendulum(angle=np.pi - 0.1)
    assert abs(float(ht.equilibrium(model).q[0])) % (2 * np.pi) == pytest.approx(0.0, abs=1e-12)
    upright = ht.equilibrium(model, kind="any")
    assert float(upright.q[0]) == pytest.approx(np.pi, abs=1e-14) and upright.unstable == 1
    rate = ht.linearise(upright).growth
    assert rate == pytest.approx(np.sqrt(9.81), rel=1e-10)
    run = ht.simulate(
        upright.model, q=np.pi - 1e-7, until=3.0, step=0.01, save_every=100, progress=False
    )
    fallen = np.pi - run.q.values[[1, 2], 0]
    assert np.log(fallen[1] / fallen[0]) == pytest.approx(rate, rel=0.01)
    seen = np.cosh(rate * run.t.values[2]) * 1e-7
    assert fallen[1] == pytest.approx(seen, rel=1e-6)


@pytest.mark.parametrize(
    ("model", "start"),
    [
        (ht.library.four_bar, {"crank_pivot": 1.4}),
        (ht.library.slider_crank, {"crank_pivot": -np.pi / 2}),  # the crank upright
        (lambda: ht.library.n_pendulum(2), [np.pi, 0.0]),
    ],
    ids=["four_bar", "slider_crank", "n_pendulum"],
)
def test_a_run_leaves_an_unstable_equilibrium_at_the_rate_of_its_eigenvalue(model, start):
    """cosh(λ t) along the shape that grows fastest, to a thousandth."""
    rest = ht.equilibrium(model(), start, kind="any")
    assert rest.unstable
    modes = ht.modes(rest)
    chart = modes.linear.chart
    rate = ht.linearise(rest).growth
    assert rate == pytest.approx(-modes.frequencies[0], rel=1e-9)
    shape = modes.speeds.values[0] / np.abs(modes.speeds.values[0]).max()
    q = chart.moved(1e-6 * shape[chart.chosen])
    until = 5.0 / rate
    run = ht.simulate(
        rest.model, q=q, until=until, step=until / 500, save_every=100, progress=False
    )
    gone = (run.q.values - rest.q.values) @ shape / (shape @ shape)
    assert gone == pytest.approx(1e-6 * np.cosh(rate * run.t.values), rel=1e-3)


def test_starts_are_given_by_name_and_similar_models_take_the_same_steps():
    model = ht.library.four_bar()
    start = {"crank_pivot": model.start()[0][0] + 0.2}
    rest = ht.equilibrium(model, start)
    units = ht.units.Units(length=4.0, mass=0.5, time=2.0)
    similar = ht.equilibrium(ht.units.nondimensionalise(model, units), start)
    assert similar.iterations == rest.iterations
    assert np.array_equal(similar.q.values, rest.q.values)
    assert similar.energy == rest.energy / units.energy


@pytest.mark.parametrize(
    ("model", "kind", "message"),
    [
        (
            lambda: ht.library.pendulum().with_(forces=[ht.JointEffort("hinge", effort=20.0)]),
            ht.StepError,
            "no equilibrium after 1.. steps: .* along 'hinge'",
        ),
        (ht.library.car_axis, ht.OptionError, "'road' moves at t = 0, so that nothing rests"),
        (ht.library.governor, ht.FitError, "a singular position of .governor"),
        (
            lambda: ht.Model([ht.Body("b", 1.0)], [ht.Prismatic("rail", "ground", "b")]),
            ht.StepError,
            "largest force left is .* along 'rail'",
        ),
    ],
    ids=["motor", "car_axis", "governor", "falling"],
)
def test_what_cannot_rest_is_refused_by_name(model, kind, message):
    with pytest.raises(kind, match=message):
        ht.equilibrium(model())


def test_a_force_along_a_joint_that_closes_a_loop_is_refused_by_name():
    model = ht.library.four_bar()
    spring = ht.JointSpring(model.closing[0], stiffness=1.0)
    with pytest.raises(ht.FitError, match=f"acts along joint '{model.closing[0]}', which closes"):
        ht.equilibrium(model.with_(forces=[spring]))
