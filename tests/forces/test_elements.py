"""Elements on bodies and joints: wrenches are minus the gradients of energies, two ends together
push nothing, dampers take energy.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import hamiltree as ht
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load, rows, store
from hamiltree.errors import ModelError
from hamiltree.files import model_from_toml
from hamiltree.files.toml import model_to_toml
from hamiltree.forces import BODY_LAWS, JOINT_LAWS, tabulate
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    add_all_generalised_forces,
    add_all_load_wrenches,
    add_all_wrenches,
    allocate_law_states,
    dissipated_power_of_joints,
    make_body_laws,
    make_joint_laws,
    potential_energy_of_bodies,
    potential_energy_of_joints,
)
from hamiltree.forces.laws import (
    Bodies,
    Placement,
    dissipated_power,
    generalised_force,
    joint_potential_energy,
)
from hamiltree.model import Body, Frame, JointLaw, elements, library
from hamiltree.model.couplings import Follower
from hamiltree.model.forces import FORCES
from tests.forces.every_law import (
    add_efforts,
    body_energy,
    joint_energy,
    joint_power,
    push_bodies,
    push_loads,
)

# forces of model/elements.py
ELEMENTS = [kind for kind in FORCES.values() if kind.__module__ == elements.__name__]
GROUND_ROW, MOVING = 3, (0, 2)
# of the body "flange", welded to the link of "arm"
MOUNT = Frame.about((1, -2, 0.5), 0.9, (0.2, -0.1, 0.3))
CARRIERS = {
    "arm": (0, Frame()),
    "flange": (0, MOUNT),
    "hand": (2, Frame.about((0, 1, 3), -1.4, (0.5, 0.0, -0.2))),
}
PARTS = {
    "arm": Body("arm", 2.0, (0.1, 0.0, 0.2), (0.2, 0.3, 0.25)),
    "flange": Body("flange", 1.5, (0.0, 0.3, -0.1), (0.1, 0.12, 0.11)),
    "hand": Body("hand", 0.7, (-0.2, 0.1, 0.0), (0.06, 0.01, -0.02, 0.09, 0.005, 0.08)),
}
JOINTS = ("elbow", "knee", "slide")
PLACEMENT = Placement(JOINTS.index, CARRIERS.__getitem__, ground=GROUND_ROW, body=PARTS.__getitem__)


def spd(seed, size=6):
    A = np.random.default_rng(seed).normal(size=(size, size))
    return (A @ A.T).tolist()


AT = (0.3, -0.2, 0.1), (-0.1, 0.4, 0.2)
FRAMES = (
    Frame.about((1, 1, -0.3), 0.4, (0.1, 0.2, 0.0)),
    Frame.about((0, 1, 0.4), -0.7, (0.0, -0.1, 0.3)),
)
REST = Frame.about((2, 0, 1), 0.8).rotation
STORING = {  # elements that store energy, without their dampers
    "spring": ht.PointSpring("arm", "hand", *AT, 3.0, 0.8),
    "spring of a welded body": ht.PointSpring("hand", "flange", *AT, 3.0, 4.0),
    "spring to the ground": ht.PointSpring("hand", "ground", *AT, 3.0),
    "taut cable": ht.PointSpring("arm", "hand", *AT, 3.0, 0.2, tension_only=True),
    "slack cable": ht.PointSpring("ground", "hand", *AT, 3.0, 30.0, tension_only=True),
    "constant force": ht.ConstantForceSpring("flange", "hand", *AT, 2.5),
    "constant push": ht.ConstantForceSpring("ground", "arm", *AT, -1.5),
    "torsion": ht.Torsion("flange", "hand", 1.3, rest=REST),
    "torsion to the ground": ht.Torsion("arm", "ground", 0.7),
    "bushing": ht.Bushing("flange", "hand", *FRAMES, spd(1)),
    "bushing of six": ht.Bushing("ground", "hand", *FRAMES, (1.0, 2.0, 3.0, 0.5, 0.6, 0.7)),
    "gravitation": ht.Gravitation(("flange", "hand"), constant=1.7),
    "softened gravitation": ht.Gravitation(("hand", "arm"), constant=1.7, softening=0.5),
    "point in a central field": ht.CentralGravity("flange", 3.0, (0.1, 0.2, -2.0), gradient=False),
    "central field": ht.CentralGravity("hand", 3.0, (0.1, 0.2, -2.0)),
}
DAMPED = {
    "damped spring": ht.PointSpring("arm", "hand", *AT, 3.0, 0.8, 0.6),
    "damped cable": ht.PointSpring("arm", "hand", *AT, 3.0, 0.2, 0.6, tension_only=True),
    "slack damped cable": ht.PointSpring("arm", "hand", *AT, 3.0, 30.0, 0.6, tension_only=True),
    "damped torsion": ht.Torsion("flange", "hand", 1.3, 0.4, REST),
    "damped bushing": ht.Bushing("flange", "hand", *FRAMES, spd(1), spd(2)),
    "damper of six": ht.Bushing(
        "hand", "ground", *FRAMES, (0.0,) * 6, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    ),
}
DRAGS = {
    "drag": ht.Drag("flange", 0.4, 0.2, (0.1, 0.2, 0.3)),
    "drag in the wind": ht.Drag("hand", 0.4, 0.2, wind=(1.0, -2.0, 0.5)),
}
ON_BODIES = [*STORING.values(), *DAMPED.values(), *DRAGS.values()]
JOINT_PARTS = [
    ht.JointLimit("elbow", -0.5, 0.8, stiffness=30.0, damping=4.0, ramp=0.05),
    ht.JointLimit("knee", upper=0.1, stiffness=20.0),
    ht.JointLimit("slide", lower=0.6, stiffness=10.0, damping=50.0),
    ht.JointFriction("elbow", 0.7, 0.2, 0.05),
    ht.JointFriction("slide", viscous=0.3),
]


# ---- bodies that stand and move somewhere --------------------------------------------------------
class Scene:
    """Frames and twists of four rows; the last is the ground, row 1 carries nothing."""

    def __init__(self, seed=1):
        rng = np.random.default_rng(seed)
        self.R = [
            *(Rotation.from_rotvec(rng.normal(size=3)).as_matrix() for _ in range(3)),
            np.eye(3),
        ]
        self.p = [*rng.normal(size=(3, 3)), np.zeros(3)]
        self.V = [*rng.normal(size=(3, 6)), np.zeros(6)]

    def moved(self, h):
        """All rows moved along their twists for a time h: turned about their origins, shifted by
        the velocity of these.
        """
        later = Scene()
        later.R = [
            expm(h * np.cross(np.eye(3), V[:3])) @ R for R, V in zip(self.R, self.V, strict=True)
        ]
        later.p = [p + h * V[3:] for p, V in zip(self.p, self.V, strict=True)]
        later.V = self.V
        return later

    def with_twists(self, V):
        changed = self.moved(0.0)
        changed.V = V
        return changed

    def frame(self, name, own=None):
        """(R, position) of a frame on a body."""
        row, mount = (GROUND_ROW, Frame()) if name == "ground" else CARRIERS[name]
        whole = mount @ (own or Frame())
        return self.R[row] @ whole.matrix, self.p[row] + self.R[row] @ whole.position


def bodies_of(*scenes):
    """Bodies of one scene in floats, or of four in lanes."""
    width = len(scenes)
    bodies = Bodies(
        *(rows(kind, 4, width) for kind in (Mat3, Vec3, Twist, Wrench)), np.zeros(1, dtype=np.int64)
    )
    for i in range(4):
        for array, values in (
            (bodies.rotation, [scene.R[i].T.ravel() for scene in scenes]),
            (bodies.position, [scene.p[i] for scene in scenes]),
            (bodies.twist, [scene.V[i] for scene in scenes]),
        ):
            array[i] = np.array(values).T.reshape(array[i].shape)
    return bodies


def tables_of(*parts):
    return tabulate(BODY_LAWS, parts, PLACEMENT)


def wrenches(scene, *parts, loads=False):
    """(4, 6): torque about the row's origin and force on every row; of the dampers and loads alone
    if `loads`.
    """
    bodies = bodies_of(scene)
    (push_loads if loads else push_bodies)(tables_of(*parts), 0.0, bodies)
    return bodies.wrench


def energy(scene, *parts):
    return float(body_energy(tables_of(*parts), 0.0, bodies_of(scene)))


def slope(f, h=2e-3):
    """f′(0) by differences of the sixth order."""
    return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h)


def total_about_the_origin(scene, wrench):
    """Moment about the world's origin, and force."""
    moment = sum(wrench[i, :3] + np.cross(scene.p[i], wrench[i, 3:]) for i in range(4))
    return np.concatenate([moment, wrench[:, 3:].sum(0)])


def powers(scene, wrench):
    return float((wrench * np.array(scene.V)).sum())


def ids(parts):
    return pytest.mark.parametrize("part", parts.values(), ids=parts.keys())


# ---- springs and fields --------------------------------------------------------------------------
@ids(STORING)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_wrench_is_minus_the_gradient_of_its_energy(part, seed):
    scene = Scene(seed)
    wrench, resting = wrenches(scene, part), np.zeros((4, 6))
    for row in MOVING:
        for direction in range(6):
            unit = resting.copy()
            unit[row, direction] = 1.0
            along = scene.with_twists(list(unit))
            assert wrench[row, direction] == pytest.approx(
                -slope(lambda h, along=along: energy(along.moved(h), part)), rel=1e-8, abs=1e-9
            )
    assert wrench.any() == (part is not STORING["slack cable"])


@ids(STORING)
def test_an_element_that_only_stores_does_no_other_work(part):
    assert not wrenches(Scene(), part, loads=True).any()


@ids(
    {
        name: part
        for name, part in (STORING | DAMPED).items()
        if not isinstance(part, ht.CentralGravity)
    }
)
def test_the_two_ends_together_push_nothing(part):
    for seed in (1, 2, 3):
        scene = Scene(seed)
        for loads in (False, True):
            wrench = wrenches(scene, part, loads=loads)
            assert abs(total_about_the_origin(scene, wrench)).max() <= 1e-13 * (
                1 + abs(wrench).max()
            )


def bushing_displacement(part, scene):
    """(d, φ) by SciPy."""
    (R, p), (Q, x) = scene.frame(part.body_a, part.frame_a), scene.frame(part.body_b, part.frame_b)
    return np.concatenate([R.T @ (x - p), Rotation.from_matrix(R.T @ Q).as_rotvec()])


def distance(part, scene):
    return np.linalg.norm(
        scene.frame(part.body_b, Frame(part.at_b))[1]
        - scene.frame(part.body_a, Frame(part.at_a))[1]
    )


def test_energies_are_those_of_the_definitions():
    for seed in range(5):
        scene = Scene(seed)
        for name in ("spring", "spring of a welded body", "spring to the ground", "taut cable"):
            part = STORING[name]
            assert energy(scene, part) == pytest.approx(
                0.5 * part.stiffness * (distance(part, scene) - part.length) ** 2, rel=1e-12
            )
        part = STORING["constant force"]
        assert energy(scene, part) == pytest.approx(part.force * distance(part, scene), rel=1e-13)
        part = STORING["torsion"]
        turn = Rotation.from_matrix(
            (scene.frame("flange")[0] @ Frame((0, 0, 0), REST).matrix).T @ scene.frame("hand")[0]
        )
        assert energy(scene, part) == pytest.approx(
            0.5 * part.stiffness * turn.magnitude() ** 2, rel=1e-12
        )
        for name in ("bushing", "bushing of six"):
            part = STORING[name]
            x, K = bushing_displacement(part, scene), np.array(part.stiffness)
            assert energy(scene, part) == pytest.approx(
                0.5 * x @ (np.diag(K) if K.ndim == 1 else K) @ x, rel=1e-12
            )
        (R, p), (Q, x) = scene.frame("flange"), scene.frame("hand")
        r = np.linalg.norm(p + R @ PARTS["flange"].com - x - Q @ PARTS["hand"].com)
        assert energy(scene, STORING["gravitation"]) == pytest.approx(
            -1.7 * 1.5 * 0.7 / r, rel=1e-12
        )


def test_a_list_of_bodies_attracts_pair_by_pair():
    scene, names = Scene(), ("arm", "flange", "hand")
    pairs = [
        ht.Gravitation(pair, 2.0)
        for pair in (("arm", "flange"), ("arm", "hand"), ("flange", "hand"))
    ]
    assert wrenches(scene, ht.Gravitation(names, 2.0)) == pytest.approx(
        wrenches(scene, *pairs), rel=1e-13, abs=1e-14
    )


def test_springs_are_regular_where_their_points_meet():
    scene = Scene()
    scene.R[2], scene.p[2] = (
        np.eye(3),
        np.array(CARRIERS["hand"][1].inverse().matrix.T @ (0, 0, 0)) - CARRIERS["hand"][1].position,
    )
    assert abs(scene.frame("hand")[1]).max() == 0.0
    for part in (
        ht.PointSpring("ground", "hand", (0, 0, 0), (0, 0, 0), 3.0),
        ht.PointSpring("ground", "hand", (0, 0, 0), (0, 0, 0), 3.0, 0.5, 0.2),
        ht.ConstantForceSpring("ground", "hand", (0, 0, 0), (0, 0, 0), 3.0),
    ):
        assert not wrenches(scene, part).any()
    scene.p[2][0] += 1e-12
    assert wrenches(scene, ht.PointSpring("ground", "hand", (0, 0, 0), (0, 0, 0), 3.0))[
        2, 3
    ] == pytest.approx(-3e-12, rel=1e-3)


@pytest.mark.parametrize(
    "angle", [0.0, 1e-170, 1e-12, 1e-9, 1e-4, 0.2, 0.223, 0.2237, 1.0, 3.0, 3.1415]
)
def test_rotations_of_every_size_are_turned_back(angle):
    """Torque by the closed formula; of a bushing about the same axis it is the same, its Jacobian
    leaves the axis alone.
    """
    scene, axis = Scene(), np.array([0.6, 0.0, 0.8])
    scene.R[0] = Rotation.from_rotvec(angle * axis).as_matrix() if angle > 1e-100 else np.eye(3)
    expected = -1.3 * (angle if angle > 1e-100 else 0.0) * axis
    for part in (
        ht.Torsion("ground", "arm", 1.3),
        ht.Bushing("ground", "arm", (0, 0, 0), (0, 0, 0), (0, 0, 0, 1.3, 1.3, 1.3)),
    ):
        assert wrenches(scene, part)[0, :3] == pytest.approx(expected, rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("angle", [1e-9, 1e-3, 0.1, 0.2235, 0.2237, 0.5, 2.0, 3.0])
def test_the_torque_of_an_unequal_bushing_is_its_gradient_at_every_angle(angle):
    scene = Scene()
    scene.R[0] = Rotation.from_rotvec(angle * np.array([0.6, -0.48, 0.64])).as_matrix()
    part = ht.Bushing("ground", "arm", (0, 0, 0), (0, 0, 0), (0, 0, 0, 1.0, 5.0, 9.0))
    for direction in range(3):
        V = np.zeros((4, 6))
        V[0, direction] = 1.0
        along = scene.with_twists(list(V))
        assert wrenches(scene, part)[0, direction] == pytest.approx(
            -slope(lambda h, a=along: energy(a.moved(h), part)), rel=1e-8, abs=1e-9
        )


def test_the_central_field_of_an_extended_body_is_that_of_its_particles_to_the_second_order():
    """Six particles in pairs have no third moments: the error of V falls with r⁻⁵, that of a point
    with r⁻³.
    """
    arms, masses = (
        0.2 * np.array([[1, 0.3, 0], [0, 1, 0.4], [-0.5, 0, 1.2]]),
        np.array([1.0, 2.0, 0.5]),
    )
    inertia = sum(
        2 * m * ((a @ a) * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True)
    )
    body = Body("hand", 2 * masses.sum(), (0, 0, 0), inertia)
    placement = PLACEMENT._replace(
        body={"hand": body}.__getitem__, link_of_body=lambda name: (2, Frame())
    )

    def error(distance, gradient):
        scene = Scene()
        scene.p[2] = distance * np.array([0.48, 0.6, 0.64])
        points = [scene.p[2] + sign * scene.R[2] @ a for a in arms for sign in (1, -1)]
        exact = -sum(
            3.0 * m / np.linalg.norm(x) for m, x in zip(np.repeat(masses, 2), points, strict=True)
        )
        table = tabulate(BODY_LAWS, [ht.CentralGravity("hand", 3.0, gradient=gradient)], placement)
        return body_energy(table, 0.0, bodies_of(scene)) - exact

    assert error(4.0, True) / error(8.0, True) == pytest.approx(2**5, rel=0.1)
    assert error(4.0, False) / error(8.0, False) == pytest.approx(2**3, rel=0.1)


# ---- dampers and loads ---------------------------------------------------------------------------
@ids(DAMPED)
@pytest.mark.parametrize("seed", range(6))
def test_a_damper_takes_what_its_definition_says(part, seed):
    """The rates by differences of SciPy's geometry along the motion."""
    scene = Scene(seed)
    power = powers(scene, wrenches(scene, part, loads=True))
    if isinstance(part, ht.Torsion):
        expected = -part.damping * np.sum((scene.V[2] - scene.V[0])[:3] ** 2)
    elif isinstance(part, ht.Bushing):
        C, x = np.array(part.damping), bushing_displacement(part, scene)
        if np.linalg.norm(x[3:]) > 3.0:
            pytest.skip("the rotation vector may jump between the differences")
        rate = slope(lambda h: bushing_displacement(part, scene.moved(h)))
        expected = -rate @ (np.diag(C) if C.ndim == 1 else C) @ rate
    else:
        rate, stretch = (
            slope(lambda h: distance(part, scene.moved(h))),
            distance(part, scene) - part.length,
        )
        expected = -part.damping * rate**2
        if part.tension_only:
            expected = (
                -rate * max(part.damping * rate, -part.stiffness * stretch) if stretch > 0 else 0.0
            )
    assert power == pytest.approx(expected, rel=1e-7, abs=1e-12) and power <= 0.0


@ids(DAMPED)
def test_a_damped_element_is_its_spring_and_its_damper(part):
    scene = Scene(4)
    resting = scene.with_twists([np.zeros(6)] * 4)
    assert wrenches(scene, part) == pytest.approx(
        wrenches(resting, part) + wrenches(scene, part, loads=True), rel=1e-12, abs=1e-13
    )


def test_a_damped_cable_never_pushes():
    part = replace(DAMPED["damped cable"], damping=500.0)
    for seed in range(20):
        scene = Scene(seed)
        line = scene.frame("hand", Frame(part.at_b))[1] - scene.frame("arm", Frame(part.at_a))[1]
        assert wrenches(scene, part)[2, 3:] @ line <= 0.0


def test_drag_pulls_against_the_velocity_in_the_medium():
    scene = Scene()
    for name, part in DRAGS.items():
        row, wrench = CARRIERS[part.body][0], wrenches(scene, part)
        arm = scene.frame(part.body, Frame(part.at))[1] - scene.p[row]
        force = -part.linear * (scene.V[row][3:] + np.cross(scene.V[row][:3], arm) - part.wind)
        assert wrench[row] == pytest.approx(
            np.concatenate([-part.angular * scene.V[row][:3] + np.cross(arm, force), force]),
            rel=1e-13,
        )
        assert (
            np.array_equal(wrench, wrenches(scene, part, loads=True)) and energy(scene, part) == 0.0
        )
        assert name != "drag" or powers(scene, wrench) < 0.0


def test_the_damper_of_a_ball_turns_against_the_turning_of_its_bodies():
    scene = Scene()
    placement = PLACEMENT._replace(
        axes=lambda name: [], ball={"ball": ("hand", "flange"), "knee": None}.__getitem__
    )
    bodies, parts = bodies_of(scene), [ht.JointDamper("ball", 0.6), ht.JointDamper("knee", 9.0)]
    push_loads(tabulate(BODY_LAWS, parts, placement), 0.0, bodies)
    torque = -0.6 * (scene.V[0] - scene.V[2])[:3]
    assert bodies.wrench[0] == pytest.approx([*torque, 0, 0, 0]) and bodies.wrench[
        2
    ] == pytest.approx([*-torque, 0, 0, 0])


def test_a_damper_of_a_whole_joint_damps_all_of_its_axes():
    placement = PLACEMENT._replace(axes={"table": [0, 2], "knee": [1]}.__getitem__)
    tables = tabulate(
        JOINT_LAWS, [ht.JointDamper("table", 0.5), ht.JointDamper("knee", 2.0)], placement
    )
    ydot = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])
    add_efforts(tables, 0.0, np.zeros(3), ydot, 3)
    assert ydot[3:].tolist() == [-0.5, -4.0, -1.5]


# ---- along joints --------------------------------------------------------------------------------
def joint_table(part, placement=PLACEMENT):
    """The one table that holds a part."""
    return tabulate([law for law in JOINT_LAWS if law.part is type(part)], [part], placement)[0]


def work_rate(table, x, v):
    """`dissipated_power` of element 0 at the position and rate of its coordinate."""
    return float(dissipated_power(table, 0, 0.0, np.full(3, x), np.full(3, v)))


@pytest.mark.parametrize("part", JOINT_PARTS[:3])
@pytest.mark.parametrize("x", [-1.3, -0.501, -0.2, 0.7, 0.81, 2.0])
def test_a_stop_pushes_by_its_gradient_and_otherwise_takes_energy(part, x):
    table = joint_table(part)
    force = -slope(lambda h: joint_potential_energy(table, 0, 0.0, x + h), 1e-4)
    assert generalised_force(table, 0, 0.0, x, 0.0) == pytest.approx(force, rel=1e-8, abs=1e-9)
    for v in (-30.0, -1.0, 0.0, 1.0, 30.0):
        Q = generalised_force(table, 0, 0.0, x, v)
        assert (
            work_rate(table, x, v) == pytest.approx((Q - force) * v, rel=1e-7, abs=1e-7)
            and work_rate(table, x, v) <= 0.0
        )
        outward = Q if part.upper is not None and x > part.upper else -Q
        assert outward <= 0.0


def test_between_its_bounds_a_stop_does_nothing_and_beyond_it_pushes_by_the_depth():
    table = joint_table(JOINT_PARTS[0])
    assert [generalised_force(table, 0, 0.0, x, 3.0) for x in (-0.5, 0.0, 0.8)] == [0.0] * 3
    assert [generalised_force(table, 0, 0.0, x, 0.0) for x in (-0.7, 1.1)] == pytest.approx(
        [30.0 * 0.2, -30.0 * 0.3]
    )
    # half the damping at the depth `ramp`
    assert generalised_force(table, 0, 0.0, 0.85, 2.0) == pytest.approx(
        -30.0 * 0.05 - 4.0 * 0.5 * 2.0
    )


def test_friction_opposes_the_rate_and_is_dry_beyond_its_smoothing():
    table = joint_table(JOINT_PARTS[3])
    for v in (-2.0, -0.01, 0.0, 0.3):
        assert generalised_force(table, 0, 0.0, 5.0, v) == pytest.approx(
            -0.2 * v - 0.7 * np.tanh(v / 0.05), rel=1e-13
        )
        assert work_rate(table, 5.0, v) == generalised_force(table, 0, 0.0, 5.0, v) * v <= 0.0
    assert (
        generalised_force(table, 0, 0.0, 0.0, 50.0) == pytest.approx(-10.7)
        and joint_potential_energy(table, 0, 0.0, 1.0) == 0.0
    )


# ---- forces on followers -------------------------------------------------------------------------
FOLLOWED = [
    *JOINT_PARTS,
    ht.JointSpring("elbow", 3.0, 0.4),
    ht.JointDamper("knee", 0.7),
    ht.JointEffort("slide", 1.1),
]


@pytest.mark.parametrize("part", FOLLOWED, ids=lambda part: f"{part.kind} of {part.joint}")
@pytest.mark.parametrize("ratio", [2.5, -0.4])
def test_a_force_on_a_follower_works_on_its_leader_as_much(part, ratio):
    leading = PLACEMENT._replace(
        coordinate={"crank": 1}.__getitem__, followers={part.joint: Follower("crank", ratio, 0.3)}
    )
    own, led = joint_table(part), joint_table(part, leading)
    assert led.at[0] == 1
    for x in (-3.0, -0.2, 0.5, 2.0):
        assert joint_potential_energy(led, 0, 0.0, x) == pytest.approx(
            joint_potential_energy(own, 0, 0.0, ratio * x + 0.3), rel=1e-12, abs=1e-15
        )
        for v in (-0.9, 0.03):
            assert generalised_force(led, 0, 0.0, x, v) == pytest.approx(
                ratio * generalised_force(own, 0, 0.0, ratio * x + 0.3, ratio * v), rel=1e-12
            )


def test_a_force_that_cannot_be_carried_over_to_the_leader_says_where_to_put_it():
    placement = PLACEMENT._replace(followers={"knee": Follower("elbow", 2.0, 0.0)})
    with pytest.raises(
        ModelError, match="joint = 'knee' follows 'elbow'; put the force on 'elbow'"
    ) as caught:
        tabulate(JOINT_LAWS, [ht.JointEffort("slide", 1.0), JointLaw("knee", "-q")], placement)
    assert caught.value.part == ("force", 2)


# ---- compiled, in floats and lanes ---------------------------------------------------------------
@kernel
def all_on_bodies(laws, time, bodies, loads, out):
    t = load(time, 0)
    add_all_wrenches(laws, t, bodies)
    add_all_load_wrenches(laws, t, loads)
    store(out, 0, potential_energy_of_bodies(laws, t, bodies, out))


def all_on_bodies_in_place(tables, time, bodies, loads, out):
    t = load(time, 0)
    push_bodies(tables, t, bodies)
    push_loads(tables, t, loads)
    store(out, 0, body_energy(tables, t, bodies))


@kernel
def all_on_joints(laws, time, y, ydot, out, scratch):
    t = load(time, 0)
    store(out, 0, dissipated_power_of_joints(laws, t, y, ydot, scratch))
    store(out, 1, potential_energy_of_joints(laws, t, y, scratch))
    add_all_generalised_forces(laws, t, y, ydot, y.shape[0])


def all_on_joints_in_place(tables, time, y, ydot, out, scratch):
    t = load(time, 0)
    store(out, 0, joint_power(tables, t, y, ydot))
    store(out, 1, joint_energy(tables, t, y))
    add_efforts(tables, t, y, ydot, y.shape[0])


OWN = [law for law in (*BODY_LAWS, *JOINT_LAWS) if law.part in ELEMENTS]
BODY_TABLES = tabulate([law for law in OWN if law in BODY_LAWS], ON_BODIES, PLACEMENT)
JOINT_TABLES = tabulate([law for law in OWN if law in JOINT_LAWS], JOINT_PARTS, PLACEMENT)


def run_on_bodies(function, laws, *scenes):
    lanes = () if len(scenes) == 1 else (len(scenes),)
    bodies, loads, out = bodies_of(*scenes), bodies_of(*scenes), np.full((1, *lanes), np.nan)
    if isinstance(laws, BodyLawDispatch):
        states = allocate_law_states(laws, len(scenes))
        bodies, loads = (each._replace(law_state=states) for each in (bodies, loads))
    function(laws, np.zeros((1, *lanes)), bodies, loads, out)
    return np.concatenate(
        [bodies.wrench.reshape(-1, *lanes), loads.wrench.reshape(-1, *lanes), out]
    )


def run_on_joints(function, laws, y, rates):
    ydot, out = np.concatenate([rates, np.zeros_like(y)]), np.full((2, *y.shape[1:]), np.nan)
    function(laws, np.zeros((1, *y.shape[1:])), y, ydot, out, np.empty((1, *y.shape[1:])))
    return np.concatenate([ydot, out])


def bits(x):
    return np.ascontiguousarray(x).view(np.int64)


def test_elements_on_bodies_in_lanes_equal_those_of_floats_bit_for_bit():
    scenes = [Scene(seed) for seed in range(WIDTH)]
    laws = make_body_laws(ON_BODIES, PLACEMENT)
    assert len(laws.table) == len(BODY_TABLES)
    together = run_on_bodies(all_on_bodies, laws, *scenes)
    assert run_on_bodies(all_on_bodies_in_place, BODY_TABLES, *scenes) == pytest.approx(
        together, rel=1e-10, abs=1e-12
    )
    for lane, scene in enumerate(scenes):
        alone = run_on_bodies(all_on_bodies, laws, scene)
        assert np.isfinite(alone).all() and np.array_equal(bits(alone), bits(together[..., lane]))


def test_elements_on_joints_in_lanes_equal_those_of_floats_bit_for_bit():
    rng = np.random.default_rng(3)
    y, rates = rng.normal(size=(2, 3, WIDTH))
    laws = make_joint_laws(JOINT_PARTS, PLACEMENT)
    assert len(laws.table) == len(JOINT_TABLES)
    together = run_on_joints(all_on_joints, laws, y, rates)
    assert run_on_joints(all_on_joints_in_place, JOINT_TABLES, y, rates) == pytest.approx(
        together, rel=1e-13, abs=1e-14
    )
    for lane in range(WIDTH):
        own = (np.ascontiguousarray(each[:, lane]) for each in (y, rates))
        alone = run_on_joints(all_on_joints, laws, *own)
        assert np.isfinite(alone).all() and np.array_equal(bits(alone), bits(together[..., lane]))


def test_every_element_is_run_here():
    assert (
        {type(part) for part in (*ON_BODIES, *JOINT_PARTS)}
        == set(ELEMENTS)
        == {law.part for law in OWN}
    )


# ---- in a tree -----------------------------------------------------------------------------------
CHAIN = library.tree(4, joints=("revolute", "prismatic"), seed=3)
RENAMED = {"arm": "b1", "flange": "b2", "hand": "b4"}
STILL_FIELDS = {
    "conservative": [part for part in STORING.values() if part.kind != "bushing"]
    + [STORING["bushing of six"]],
    "damped": [*DAMPED.values(), *DRAGS.values(), ht.JointFriction("elbow", 0.4, 0.1, 0.5)],
}


def in_chain(part):
    """The same element on the bodies and joints of the chain."""
    names = ("body", "body_a", "body_b")
    changes = {
        name: RENAMED.get(getattr(part, name), "ground") for name in names if hasattr(part, name)
    }
    if isinstance(part, ht.Gravitation):
        changes = {"bodies": tuple(RENAMED[name] for name in part.bodies)}
    if hasattr(part, "joint"):
        changes = {"joint": f"j{JOINTS.index(part.joint) + 1}"}
    return replace(part, **changes)


@pytest.mark.parametrize("group", STILL_FIELDS)
def test_the_energy_of_a_run_changes_by_the_work_of_the_dampers(group):
    """gauss8; conservative elements keep it, the others lose what `power` says."""
    model = CHAIN.with_(forces=[in_chain(part) for part in STILL_FIELDS[group]])
    run = ht.simulate(
        model, until=0.5, step=1e-3, integrator="gauss8", save_every=1, progress=False
    )
    change = abs(run.energy.values - run.energy.values[0]).max()
    assert run.energy_error < 1e-10
    assert (change > 1e-2) == (group == "damped") and run.work.values.any() == (group == "damped")


def test_a_pendulum_is_stopped_and_loses_what_the_damper_of_the_stop_takes():
    """The stop has a kink: the balance holds to the order that is left, better with a shorter
    step.
    """
    model = library.n_pendulum(1, angles=1.0).with_(
        forces=[ht.JointLimit("hinge1", lower=0.2, stiffness=400.0, damping=3.0, ramp=0.02)]
    )
    runs = [
        ht.simulate(model, until=2.0, step=step, integrator="gauss8", save_every=1, progress=False)
        for step in (1e-3, 1e-4)
    ]
    assert runs[1].energy_error < 1e-6 and runs[1].energy_error < runs[0].energy_error
    assert 0.0 < 0.2 - float(runs[1].q.min()) < 0.3
    assert runs[1].energy.values[-1] < runs[1].energy.values[0] - 1e-2


def test_a_central_field_gives_no_angular_momentum_about_its_centre():
    """A body across a hinge at the centre: the moment of the force is the opposite of the torque,
    neither is zero.
    """
    moon = Body("moon", 1.0, (2.0, 0, 0), (0.1, 0.03, 0.0, 0.3, 0.0, 0.35))
    joints = [
        ht.Revolute("orbit", "ground", "hub", qdot=0.4),
        ht.Prismatic("reach", "hub", "moon", axis=(1, 0, 0), qdot=0.1),
    ]
    hub, field = Body("hub", 1e-3, (0, 0, 0), 1e-3), ht.CentralGravity("moon", 1.0)
    run = ht.simulate(
        ht.Model(
            name="orbit", bodies=[hub, moon], joints=joints, forces=[field], gravity=(0, 0, 0)
        ),
        until=3.0,
        step=1e-3,
        integrator="gauss8",
        save_every=1,
        progress=False,
    )
    assert run.energy_error < 1e-12 and abs(run.p.values[:, 0] - run.p.values[0, 0]).max() < 1e-11
    assert np.ptp(run.q.values[:, 1]) > 0.05


# ---- as data -------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", [part.kind for part in ELEMENTS])
def test_elements_are_read_back_from_a_file_as_they_were(kind):
    forces = [in_chain(part) for part in (*ON_BODIES, *JOINT_PARTS) if part.kind == kind]
    model = CHAIN.with_(forces=forces)
    assert (
        forces
        and model_from_toml(model_to_toml(model)).forces == model.forces
        and FORCES[kind] is type(forces[0])
    )


BENT = np.diag([1.0, 1, 1, 1, 1, 1]) + np.eye(6, k=1)
REFUSED = [
    ("stiffness", lambda: ht.PointSpring("a", "b", *AT, -1.0), "is negative"),
    ("length", lambda: ht.PointSpring("a", "b", *AT, 1.0, -0.1), "is negative"),
    ("tension_only", lambda: ht.PointSpring("a", "b", *AT, 1.0, tension_only=1), "true nor false"),
    ("at_b", lambda: ht.PointSpring("a", "b", AT[0], (1, 2), 1.0), "give 3 numbers"),
    ("body_b", lambda: ht.PointSpring("a", "a", *AT, 1.0), "two different bodies"),
    ("body_a", lambda: ht.Torsion("", "a", 1.0), "is empty"),
    ("rest", lambda: ht.Torsion("a", "b", 1.0, rest=(1, 2)), "is not a rotation"),
    ("force", lambda: ht.ConstantForceSpring("a", "b", *AT, np.nan), "is not finite"),
    (
        "stiffness",
        lambda: ht.Bushing("a", "b", *FRAMES, (1, 2, 3)),
        "neither six numbers nor a 6x6",
    ),
    ("stiffness", lambda: ht.Bushing("a", "b", *FRAMES, (1, 2, 3, -1, 0, 0)), "is negative"),
    ("stiffness", lambda: ht.Bushing("a", "b", *FRAMES, BENT), "is not symmetric"),
    (
        "damping",
        lambda: ht.Bushing("a", "b", *FRAMES, (1,) * 6, BENT + BENT.T - 2.5 * np.eye(6)),
        "negative eigenvalue",
    ),
    ("frame_a", lambda: ht.Bushing("a", "b", 3, FRAMES[1], (1,) * 6), "is no frame"),
    ("bodies", lambda: ht.Gravitation(("a",)), "two names or more"),
    ("bodies", lambda: ht.Gravitation(("a", "b", "a")), "names 'a' twice"),
    ("softening", lambda: ht.Gravitation(("a", "b"), softening=-1), "is negative"),
    ("mu", lambda: ht.CentralGravity("a", "1"), "is not a number"),
    ("gradient", lambda: ht.CentralGravity("a", 1.0, gradient="no"), "true nor false"),
    ("linear", lambda: ht.Drag("a", -1.0), "is negative"),
    ("upper", lambda: ht.JointLimit("a", stiffness=1.0), "give one of them"),
    ("lower", lambda: ht.JointLimit("a", 1.0, 0.0, stiffness=1.0), "is above upper"),
    ("ramp", lambda: ht.JointLimit("a", 1.0, stiffness=1.0, ramp=0.0), "is not positive"),
    ("smoothing", lambda: ht.JointFriction("a", 1.0, smoothing=0.0), "is not positive"),
]


@pytest.mark.parametrize(("field", "make", "problem"), REFUSED)
def test_an_impossible_element_is_refused_by_its_field_with_a_remedy(field, make, problem):
    with pytest.raises(ModelError, match=problem) as caught:
        make()
    assert caught.value.field == field


def test_an_element_on_an_unknown_body_is_refused():
    with pytest.raises(ModelError, match="body_b = 'b9' is not a body of the model"):
        CHAIN.with_(forces=[ht.Torsion("ground", "b9", 1.0)])
    with pytest.raises(ModelError, match="body = 'ground' is not a body of the model"):
        CHAIN.with_(forces=[ht.Drag("ground", 1.0)])
    with pytest.raises(ModelError, match=r"^force 1 \(gravitation\): bodies: .*'b9'") as caught:
        ht.simulate(
            CHAIN.with_(forces=[ht.Gravitation(("b1", "b9"))]), until=0.1, step=0.1, progress=False
        )
    assert caught.value.part == ("force", 1) and caught.value.field == "bodies"
