"""Reactions of bodies without inertia and of motions, multipliers with their forces in the world,
momenta of every formulation, the fictitious inertia of the thesis.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import hamiltree as ht
from hamiltree.analysis.newton_euler_reactions import angular_acceleration
from hamiltree.errors import FitError, OptionError
from hamiltree.rotations import rotation_matrix

RUN = {"until": 0.4, "step": 0.01, "progress": False}


# ---- reactions by Newton and Euler ---------------------------------------------------------------
def test_the_hinge_of_a_point_mass_carries_its_weight_and_centripetal_force():
    run = ht.simulate(ht.library.pendulum(length=0.7, mass=2.0, angle=1.0), **RUN)
    found = run.reactions("hinge")
    angle, rate = run.q.values[:, 0], run.qdot.values[:, 0]
    along = 2.0 * (9.81 * np.cos(angle) + 0.7 * rate**2)
    # a rod without mass of its own carries no force across
    assert np.linalg.norm(found.force, axis=1) == pytest.approx(np.abs(along), rel=1e-12)
    assert found.moment.values == pytest.approx(0.0, abs=1e-12)
    assert found.attrs["body"] == "bob" and found.attrs["unique"]


def two_point_masses(is_inward):
    """A double pendulum whose second hinge is declared outward or inward."""
    bodies = [ht.Body(name, 1.0, (0.0, 0.0, -1.0)) for name in "ab"]
    below = ht.Frame((0.0, 0.0, -1.0))
    first = ht.Revolute("first", "ground", "a", axis=(0, 1, 0), q=0.5)
    second = (
        ht.Revolute("second", "b", "a", on_child=below, axis=(0, 1, 0), q=-0.8)
        if is_inward
        else ht.Revolute("second", "a", "b", on_parent=below, axis=(0, 1, 0), q=0.8)
    )
    return ht.Model(name="two", bodies=bodies, joints=[first, second])


def test_reactions_do_not_depend_on_which_way_a_hinge_is_declared():
    outward, inward = (
        ht.simulate(two_point_masses(is_inward), **RUN) for is_inward in (False, True)
    )
    for name, sign in {"first": 1.0, "second": -1.0}.items():
        expected = outward.reactions(name).force.values
        assert np.abs(expected).max() > 1.0
        assert inward.reactions(name).force.values == pytest.approx(sign * expected, abs=1e-10)


def with_inertia(model, extra):
    """Slender rods that are not quite slender."""
    bodies = [
        ht.Body(b.name, b.mass, b.com, tuple(np.diag(np.array(b.inertia)) + extra))
        for b in model.bodies
    ]
    return model.with_(bodies=bodies)


def test_reactions_of_slender_rods_are_those_that_cartesian_3_finds():
    """The moment about a rod does not matter to a plane motion: there both may be asked."""
    rods = ht.library.n_pendulum(3, angles=[0.3, 0.9, -0.4])
    motor = [ht.JointSpring("hinge2", 3.0, 0.2), ht.JointDamper("hinge3", 0.1)]
    slender = ht.simulate(rods.with_(forces=motor), **RUN)
    thick = ht.simulate(with_inertia(rods.with_(forces=motor), np.array([0, 0, 1e-3])), **RUN)
    for joint in ("hinge1", "hinge2", "hinge3"):
        found, expected = slender.reactions(joint), thick.reactions(joint)
        for name in ("force", "moment", "force_in_joint", "moment_in_joint", "point"):
            assert found[name].values == pytest.approx(expected[name].values, rel=1e-10, abs=1e-11)


def test_what_newton_and_euler_cannot_tell_is_refused_with_one_remedy():
    chain = ht.library.n_pendulum(2)
    looped = chain.with_(constraints=[ht.Rod("rod1", "rod2", (0, 0, -0.3), (0, 0, -0.3), 0.6)])
    run = ht.simulate(chain, until=0.02, step=0.01, progress=False)
    run._problem = looped
    with pytest.raises(FitError, match=r"give those bodies a small mass and inertia$"):
        run.reactions("hinge1")
    moved = chain.with_(forces=[ht.JointInput("hinge1")])
    with pytest.raises(FitError, match="the input 'hinge1'"):
        ht.simulate(moved, until=0.02, step=0.01, progress=False).reactions("hinge1")
    with pytest.raises(OptionError, match="no joint or constraint 'hinge9'"):
        run._problem = chain
        run.reactions("hinge9")


# ---- prescribed motions --------------------------------------------------------------------------
def pulled_grains():
    """Two grains on a spring, the first led along a path while it turns."""
    bodies = [ht.Body(name, 1.5, inertia=(0.2, 0.3, 0.4)) for name in "ab"]
    joints = [ht.Free("a", "ground", "a"), ht.Free("b", "ground", "b", q=(0.9, 0, 0, 1, 0, 0, 0))]
    spring = ht.PointSpring("a", "b", (0.1, 0, 0), (0, 0.1, 0), 20.0, 0.5, name="spring")
    pull = ht.Motion(
        "a",
        position=("0.3*sin(w*t)", "0.2*t**2", "0"),
        rotation=("0.4*t", "0.5*sin(t)", "t**2"),
        parameters={"w": 2.0},
        name="pull",
    )
    return ht.Model(bodies, joints, [spring], constraints=[pull])


def test_the_force_of_a_motion_is_what_the_chain_s_end_is_pulled_with():
    run = ht.simulate(pulled_grains(), **RUN)
    found = run.reactions("pull")
    pose = run.poses.values
    R, at = rotation_matrix(pose[:, :, 3:]), pose[:, :, :3]
    ends = [at[:, k] + R[:, k] @ np.array(x) for k, x in ((0, (0.1, 0, 0)), (1, (0, 0.1, 0)))]
    line = ends[1] - ends[0]
    length = np.linalg.norm(line, axis=1, keepdims=True)
    tension = 20.0 * (length - 0.5) * line / length
    t = run.t.values
    acceleration = np.stack([-1.2 * np.sin(2 * t), 0.4 + 0 * t, 0 * t], axis=1)
    expected = 1.5 * (acceleration - np.array([0, 0, -9.81])) - tension
    assert found.force.values == pytest.approx(expected, rel=1e-11, abs=1e-11)
    # the moment keeps the angular momentum on its way: dL/dt by differences of the samples
    J = np.diag([0.2, 0.3, 0.4])
    momentum = np.einsum("nij,jk,nlk,nl->ni", R[:, 0], J, R[:, 0], run.twists.values[:, 0, :3])
    rate = np.gradient(momentum, t, axis=0, edge_order=2)[2:-2]
    torque = found.moment.values + np.cross(ends[0] - at[:, 0], tension)
    assert torque[2:-2] == pytest.approx(rate, abs=2e-4)
    # by the name of the body, or of its joint, too
    assert np.array_equal(run.reactions("a").force, found.force)


def test_angular_accelerations_of_rotation_vectors_are_rates_of_angular_velocities():
    """By differences of R(t) = exp(θ(t)×), near zero, small and large."""
    for size in (0.0, 1e-3, 0.9, 1.1, 2.5):
        theta = size * np.array([0.6, -0.48, 0.64])
        rate, second = np.array([0.3, 0.5, -0.2]), np.array([-0.7, 0.1, 0.4])

        def turned(t, at=theta, rate=rate, second=second):
            return Rotation.from_rotvec(at + rate * t + 0.5 * second * t * t)

        def omega(t, h=1e-4, turned=turned):
            return (turned(t + h) * turned(t - h).inv()).as_rotvec() / (2 * h)

        found = angular_acceleration(theta, rate, second)
        assert found == pytest.approx((omega(1e-3) - omega(-1e-3)) / 2e-3, abs=1e-6)


# ---- accelerations -------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", ["cartesian_1", "cartesian_2", "cartesian_3"])
def test_multipliers_and_their_forces_move_the_bodies(formulation):
    """m a = m g + Σ force, J ω̇' + ω' × J ω' = Rᵀ Σ moment; rows of a joint are its reaction."""
    model = ht.library.chain(3, seed=2)
    found = ht.accelerations(model, formulation=formulation)
    run = ht.simulate(model, until=1e-3, step=1e-3, progress=False)
    pose, twist = run.poses.values[0], run.twists.values[0]
    R = rotation_matrix(pose[:, 3:])
    for k, body in enumerate(model.bodies):
        force = found.constraint_force.values[k] + body.mass * np.array(model.gravity)
        assert body.mass * found.acceleration.values[k] == pytest.approx(force, rel=1e-9, abs=1e-9)
        J, w = np.array(body.inertia), R[k].T @ twist[k, :3]
        inertial = J @ found.angular_acceleration.values[k] + np.cross(w, J @ w)
        moment = R[k].T @ found.constraint_moment.values[k]
        assert inertial == pytest.approx(moment, rel=1e-9, abs=1e-9)
    for joint in model.joints:
        own = [str(row).startswith(f"joint {joint.name}:") for row in found.row.values]
        assert {str(x) for x in found.on.values[own]} == {joint.child}
        reaction = run.reactions(joint.name).force.values[0]
        assert found.row_force.values[own].sum(axis=0) == pytest.approx(
            reaction, rel=1e-8, abs=1e-8
        )
    assert {*found.unit.values.tolist()} == {"N", "N m"}
    with pytest.raises(OptionError, match="formulation = 'kane'"):
        ht.accelerations(model, formulation="kane")


# ---- momenta -------------------------------------------------------------------------------------
@pytest.mark.parametrize("formulation", ["free_bodies_quaternion", "cartesian_hamiltonian"])
def test_momenta_of_quaternion_formulations_are_those_of_the_tree(formulation):
    body = ht.library.free_body(inertia=(2.0, 2.5, 3.0))
    start = {"qdot": [0.3, -0.2, 0.5, 0.7, -0.4, 0.9], **RUN}
    tree = ht.simulate(body, **start)
    run = ht.simulate(body, formulation=formulation, **start)
    assert run.p.dims == tree.p.dims == ("t", "momentum")
    assert run.p["momentum"].values.tolist() == list(body.coordinates)
    assert run.p.values == pytest.approx(tree.p.values, abs=1e-7)


def test_momenta_of_a_model_and_of_an_h_have_one_dimension():
    run = ht.simulate(ht.hamiltonian("p**2/2 - cos(q)"), q=1.0, p=0.0, **RUN)
    assert run.p.dims == ht.simulate(ht.library.pendulum(), **RUN).p.dims == ("t", "momentum")


# ---- fictitious inertia --------------------------------------------------------------------------
def test_the_fictitious_inertia_changes_nothing_as_long_as_the_norm_is_one():
    """Appendix C of the thesis: J₀ is arbitrary; it decides only how fast ‖q‖ = 1 is left."""
    body = ht.library.free_body(inertia=(2.0, 2.5, 3.0))
    thesis = {"formulation": "free_bodies_quaternion_thesis", "integrator": "gauss8", **RUN}
    right = ht.simulate(body, **RUN)
    for inertia in (0.5, 3.75, 20.0):
        run = ht.simulate(body, **thesis, fictitious_inertia=inertia)
        assert run.poses.values == pytest.approx(right.poses.values, abs=1e-9)
        assert run.quaternion_error < 1e-9
    for wrong in (0.0, -1.0, float("inf"), True, "big"):
        with pytest.raises(OptionError, match="it must be finite and above zero"):
            ht.simulate(body, **thesis, fictitious_inertia=wrong)
    with pytest.raises(OptionError, match="no option 'fictitious_inertia'"):
        ht.simulate(body, fictitious_inertia=1.0, **RUN)
