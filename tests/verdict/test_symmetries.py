"""Momenta that a model keeps, found from its parts; and runs that lost them."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import FORCES
from hamiltree.model.constraints import CONSTRAINTS
from hamiltree.model.units import Units, nondimensionalise
from hamiltree.rotations import quaternion_rate, rotation_matrix
from hamiltree.trajectory.errors import momenta
from hamiltree.verdict.symmetries import invariant_lines, kept_momenta, momentum_line
from hamiltree.verdict.symmetry_rules import FORCE_RULES, ROWS
from tests.forces.examples import EXAMPLES, articulated_model

# runs are meant to be bad here
pytestmark = pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
NO_GRAVITY = (0.0, 0.0, 0.0)
GRAVITY = (0.0, 0.0, -9.81)
ALL_SIX = [f"linear {axis}" for axis in "xyz"]
ALL_SIX += [f"angular about {axis} through the centre of mass" for axis in "xyz"]
INERTIA = (0.2, 0.25, 0.3)


def simulate(model, until=0.5, step=2e-3, **rest):
    return ht.simulate(model, until, step, progress=False, **rest)


def components(model):
    return [words for group in kept_momenta(model).groups for words in group.components]


def one_body(joint, *forces, gravity=NO_GRAVITY, **rest):
    body = ht.Body("body", 2.0, (0.1, 0.05, -0.3), INERTIA)
    return ht.Model([body], [joint], forces, gravity, **rest)


def free(*forces, **rest):
    q = (0.4, 0.3, -0.5, 1.0, 0.0, 0.0, 0.0)
    joint = ht.Free("free", "ground", "body", q=q, qdot=(0.3, -0.5, 0.4, 1.0, 0.7, -0.6))
    return one_body(joint, *forces, **rest)


# ---- from the model ------------------------------------------------------------------------------
MODELS = {
    "free body": (lambda: ht.library.free_body(), ALL_SIX),
    "satellite": (lambda: ht.library.satellite(3, 2), ALL_SIX),
    "floating tree": (lambda: ht.library.floating_tree(5, seed=1), ALL_SIX),
    "free chain of particles": (lambda: ht.library.particle_chain(3, first="free"), ALL_SIX),
    "clamped chain of particles": (lambda: ht.library.particle_chain(3), []),
    "heavy top": (lambda: ht.library.top(), ["angular about z through (0, 0, 0)"]),
    "pendulum": (lambda: ht.library.pendulum(), []),
    "spherical chain": (
        lambda: ht.library.spherical_chain(2),
        ["angular about z through (0, 0, 0)"],
    ),
    "four-bar": (lambda: ht.library.four_bar(), []),
    "slider crank": (lambda: ht.library.slider_crank(), []),
    "governor": (lambda: ht.library.governor(), ["angular about z through (0, 0, 0)"]),
    "ball": (
        lambda: one_body(ht.Ball("b", "ground", "body", (1, 2, 3))),
        [f"angular about {axis} through (1, 2, 3)" for axis in "xyz"],
    ),
    "gimbal": (
        lambda: one_body(ht.Gimbal("b", "ground", "body", (1, 2, 3))),
        [f"angular about {axis} through (1, 2, 3)" for axis in "xyz"],
    ),
    "ball with gravity along x": (
        lambda: one_body(ht.Ball("b", "ground", "body", (1, 2, 3)), gravity=(3.0, 0.0, 0.0)),
        ["angular about x through (1, 2, 3)"],
    ),
    "universal joint": (
        lambda: one_body(ht.Universal("b", "ground", "body", (1, 2, 3))),
        ["angular about x through (1, 2, 3)"],
    ),
    "slider": (lambda: cart(), ["linear x"]),
    "hinge that names the ground as its child": (
        lambda: one_body(ht.Revolute("b", "body", "ground", (1, 2, 3), (4, 5, 6))),
        ["angular about z through (4, 5, 6)"],
    ),
    "screw": (
        lambda: one_body(ht.Screw("b", "ground", "body", (1, 2, 3), pitch=np.pi)),
        ["angular about z through (1, 2, 3), advancing 0.5 m/rad"],
    ),
    "cylindrical joint": (
        lambda: one_body(ht.Cylindrical("b", "ground", "body", (1, 2, 3))),
        ["linear z", "angular about z through (1, 2, 3)"],
    ),
    "planar joint": (
        lambda: one_body(ht.Planar("b", "ground", "body", (1, 2, 3)), gravity=GRAVITY),
        ["linear x", "linear y", "angular about z through the centre of mass"],
    ),
    "free body that falls": (
        lambda: free(gravity=GRAVITY),
        ["linear x", "linear y", "angular about z through the centre of mass"],
    ),
    "weld": (lambda: one_body(ht.Weld("b", "ground", "body")), []),
}


def cart(*forces, armature=0.0):
    bodies = [
        ht.Body("cart", 1.0, inertia=(1, 1, 1)),
        ht.Body("bob", 2.0, (0, 0, -0.5), (0.1, 0.1, 0.1)),
    ]
    joints = [
        ht.Prismatic("rail", "ground", "cart", axis=(1, 0, 0), qdot=0.5, armature=armature),
        ht.Revolute("hinge", "cart", "bob", axis=(0, 1, 0), q=1.0),
    ]
    return ht.Model(bodies, joints, forces, GRAVITY)


@pytest.mark.parametrize("name", MODELS)
def test_what_a_model_keeps_follows_from_its_parts(name):
    make, wanted = MODELS[name]
    assert components(make()) == wanted


@pytest.mark.parametrize("name", [name for name, (_, wanted) in MODELS.items() if wanted])
def test_what_is_said_to_be_kept_is_kept(name):
    model = MODELS[name][0]()
    if len(model.bodies) == 1:
        speeds = {model.joints[0].name: {"qdot": np.linspace(0.6, -0.4, model.joints[0].speeds)}}
        model = model.with_(joints=speeds) if model.joints[0].speeds > 1 else model
    for line in momentum_line(simulate(model)):
        assert line.verdict == "good" and line.number < 1e-11


def test_a_model_that_keeps_nothing_has_a_note():
    (line,) = momentum_line(simulate(ht.library.four_bar(), 0.1))
    assert line.verdict == "note" and line.number is None and "'crank_pivot'" in line.sentence


def test_every_kind_of_force_and_constraint_has_a_rule_or_keeps_nothing():
    without = {kind for kind, force in FORCES.items() if force not in FORCE_RULES}
    assert without == {"body_law"} and set(ROWS) == set(CONSTRAINTS.values())


@pytest.mark.parametrize("kind", FORCES)
def test_forces_on_a_floating_model_keep_exactly_what_their_rules_say(kind):
    """What is claimed is kept; of what is not claimed, something is lost."""
    for force in EXAMPLES[kind]:
        model = articulated_model(force)
        model = model.with_(joints={"elbow": {"qdot": 1.0}, "base": {"qdot": (0.4,) * 6}})
        inputs = {"hand": {"force": (1.0, 2.0, 3.0)}} if kind == "body_input" else None
        run = simulate(model, 0.3, inputs=inputs)
        bodies, lines = model.bodies, momentum_line(run)
        if lines[0].verdict != "note":
            assert max(line.number for line in lines) < 1e-8
        internal = "body" not in force.references.values() and force.is_relative
        internal = internal or kind in ("joint_law", "joint_potential", "point_actuator")
        internal = internal and not (kind == "pose_potential" and not force.is_relative)
        if internal:
            assert components(model) == ALL_SIX
        else:
            p, L = momenta(bodies, run.poses.values, run.twists.values)
            assert len(components(model)) < 6 and max(np.ptp(p, 0).max(), np.ptp(L, 0).max()) > 1e-3


FRAME = ht.Frame((0.3, 0.1, 0.2))
AT, ANCHOR = (0.1, 0.2, 0.3), (2.0, 1.0, -1.0)
ABOUT_ANCHOR = [f"angular about {axis} through (2, 1, -1)" for axis in "xyz"]
TRANSLATIONS = ALL_SIX[:3]
IN_PLANE = [*ALL_SIX[:2], ALL_SIX[5]]
TO_GROUND = {
    "spring": (ht.PointSpring("body", "ground", AT, ANCHOR, 9.0, 1.0, 0.3), ABOUT_ANCHOR),
    "spring, the other way": (ht.PointSpring("ground", "body", ANCHOR, AT, 9.0), ABOUT_ANCHOR),
    "constant force": (ht.ConstantForceSpring("body", "ground", AT, ANCHOR, 3.0), ABOUT_ANCHOR),
    "actuator": (ht.PointActuator("body", "ground", AT, ANCHOR, "sin(3*t) - v"), ABOUT_ANCHOR),
    "central field": (ht.CentralGravity("body", 9.0, ANCHOR), ABOUT_ANCHOR),
    "torsion": (ht.Torsion("ground", "body", 3.0, 0.2), TRANSLATIONS),
    "bushing": (ht.Bushing("ground", "body", FRAME, FRAME, (1.0,) * 6), []),
    "pose potential": (ht.PosePotential("ground", "body", "x**2 + R_33"), []),
    "drag": (ht.Drag("body", 0.4), []),
    "drag of rotations": (ht.Drag("body", 0.0, 0.4), TRANSLATIONS),
    "force along z": (ht.BodyLoad("body", (0, 0, 2), at=AT), IN_PLANE),
    "force along z that turns": (ht.BodyLoad("body", (0, 0, 2), at=AT, axes="body"), []),
    "torque about z": (ht.BodyLoad("body", torque=(0, 0, 2)), ALL_SIX[:5]),
    "torque that turns": (ht.BodyLoad("body", torque=(0, 0, 2), axes="body"), TRANSLATIONS),
    "table of forces along z": (
        ht.BodyTable("body", (0.0, 1.0), ((0, 0, 1), (0, 0, -3))),
        IN_PLANE,
    ),
    "law": (ht.BodyLaw("body", ("-x", "-y", "-z")), []),
    "spring along x of the free joint": (
        ht.JointSpring("free.x", 3.0),
        [*ALL_SIX[1:3], ALL_SIX[3]],
    ),
    "damper of the free joint": (ht.JointDamper("free", 0.3), []),
}


@pytest.mark.parametrize("name", TO_GROUND)
def test_forces_from_the_ground_keep_what_their_geometry_leaves(name):
    force, wanted = TO_GROUND[name]
    model = free(force)
    assert components(model) == wanted
    lines = momentum_line(simulate(model))
    assert all(line.verdict == "note" or line.number < 1e-9 for line in lines)


CONSTRAINED = {
    "rod": (ht.Rod("ground", "body", ANCHOR, AT), ABOUT_ANCHOR),
    "coincident": (ht.Coincident("body", "ground", AT, (0.5, 0.5, -0.2)), None),
    "point on a line": (
        ht.PointOnLine("ground", "body", (0.5, 0.5, -0.2), AT, axis=(0, 0, 1)),
        ["linear z", "angular about z through (0.5, 0.5, -0.2)"],
    ),
    "line through a point": (
        ht.PointOnLine("body", "ground", AT, (0.5, 0.5, -0.2), axis=(0, 0, 1)),
        None,
    ),
    "point in a plane": (ht.PointInPlane("ground", "body", (0.5, 0.5, -0.2), AT), IN_PLANE),
    "plane through a point": (ht.PointInPlane("body", "ground", AT, (0.5, 0.5, -0.2)), None),
    "parallel axes": (ht.ParallelAxes("ground", "body", (0, 0, 1)), [*TRANSLATIONS, ALL_SIX[5]]),
    "perpendicular axes": (
        ht.PerpendicularAxes("body", "ground", (1, 0, 0), (0, 0, 1)),
        [*TRANSLATIONS, ALL_SIX[5]],
    ),
    "drive": (ht.Drive("free.x", speed=0.3), [*ALL_SIX[1:3], ALL_SIX[3]]),
}


@pytest.mark.parametrize("name", CONSTRAINED)
def test_constraints_to_the_ground_keep_what_their_geometry_leaves(name):
    constraint, wanted = CONSTRAINED[name]
    model = free(constraints=[constraint])
    if wanted is None:
        wanted = [f"angular about {axis} through (0.5, 0.5, -0.2)" for axis in "xyz"]
    assert components(model) == wanted
    for line in momentum_line(simulate(model, assemble=True)):
        assert line.number < 1e-9


def test_a_drive_between_two_bodies_keeps_all_momenta():
    model = articulated_model().with_(
        constraints=[ht.Drive("elbow", position="0.4*sin(5*t)")], joints={"elbow": {"qdot": 2.0}}
    )
    assert components(model) == ALL_SIX
    assert max(line.number for line in momentum_line(simulate(model))) < 1e-9


def test_the_armature_of_a_joint_to_the_ground_counts():
    for armature in (0.0, 3.0):
        model = cart(armature=armature)
        (line,) = momentum_line(simulate(model, 1.0))
        assert line.name == "linear momentum x" and line.number < 1e-12
    lost = np.ptp(simulate(model, 1.0).linear_momentum.values[:, 0])
    assert lost > 0.1  # without the rotor


def test_forces_along_a_joint_to_the_ground_take_its_momentum_and_idle_inputs_do_not():
    assert components(cart(ht.JointDamper("hinge", 0.3))) == ["linear x"]
    assert components(cart(ht.JointDamper("rail", 0.3))) == []
    pushed = cart(ht.JointInput("rail", name="push"), ht.BodyInput("bob", name="wind"))
    assert components(pushed) == []
    (line,) = momentum_line(simulate(pushed))
    assert line.name == "linear momentum x" and line.number < 1e-12
    assert momentum_line(simulate(pushed, inputs={"push": 1.0}))[0].verdict == "note"


def test_couplings_to_the_ground_take_what_they_hold():
    """Two shafts along z that a gear joins keep nothing; shafts by themselves keep theirs."""
    bodies = [ht.Body(name, 1.0, inertia=INERTIA) for name in ("one", "two")]
    joints = [
        ht.Revolute("first", "ground", "one", qdot=1.0),
        ht.Revolute("second", "ground", "two", (1.0, 0.0, 0.0)),
    ]
    model = ht.Model(bodies, joints)
    groups = kept_momenta(model).groups
    assert [group.components for group in groups] == [
        ["angular about z through (0, 0, 0)"],
        ["angular about z through (1, 0, 0)"],
    ]
    assert components(model.with_(couplings=[ht.Gear("second", "first")])) == []
    (line,) = momentum_line(simulate(model, 0.1))
    assert line.name == "angular momentum about z through (0, 0, 0); about z through (1, 0, 0)"


def particles_in_box(box):
    particles = ht.Particles([(0.0, 0.0, 0.0), (0.3, 0.1, 0.0), (0.0, 0.2, 0.3)])
    bodies = [ht.Body.of_particles(f"b{k}", particles) for k in range(3)]
    places = ((0.5, 0.5, 0.5), (1.9, 0.6, 0.5), (3.4, 3.2, 0.7))
    joints = [
        ht.Free(f"j{k}", "ground", f"b{k}", q=(*at, 1, 0, 0, 0), qdot=(0.1 * k, 0.3, 0, 0.2, 0, 1))
        for k, at in enumerate(places)
    ]
    force = ht.PairForce(ht.LennardJones(1.0, 1.0), cutoff=1.9, switch=1.5, box=box)
    return ht.Model(bodies, joints, [force], NO_GRAVITY)


def test_a_periodic_box_keeps_linear_momentum_alone():
    model = particles_in_box((4.0, 4.0, 4.0))
    assert components(model) == TRANSLATIONS
    (line,) = momentum_line(simulate(model, 1.0))
    assert line.name == "linear momentum x, y, z" and line.number < 1e-11
    assert np.ptp(simulate(model, 1.0).angular_momentum.values, axis=0).max() > 1e-3
    tube = particles_in_box((4.0, 0.0, 0.0))
    assert components(tube) == [*TRANSLATIONS, ALL_SIX[3]]
    assert max(line.number for line in momentum_line(simulate(tube, 1.0))) < 1e-11


# ---- runs that lost momentum ---------------------------------------------------------------------
def two_tetrahedra():
    """The bodies of ERRATA 2-17: free tetrahedra of Lennard-Jones particles."""
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) * 0.35
    particles = ht.Particles(corners, masses=(1.0, 1.1, 1.2, 1.3))
    bodies = [ht.Body.of_particles(name, particles) for name in ("one", "two")]
    speeds = (0.1, 0.0, 0.0, 0.5, 0.2, -0.3), (-0.1, 0.1, 0.0, -0.4, 0.3, 0.6)
    turned = (0.8, 0.36, 0.0, 0.48)
    joints = [
        ht.Free("first", "ground", "one", q=(0, 0, 0, 1, 0, 0, 0), qdot=speeds[0]),
        ht.Free("second", "ground", "two", q=(1.9, 0.1, 0.2, *turned), qdot=speeds[1]),
    ]
    return ht.Model(bodies, joints, [ht.PairForce(ht.LennardJones(1.0, 1.0))], NO_GRAVITY)


def run_of_printed_equations(model, done, is_mixed):
    """The record of a run whose potential has R(q)ᵀ where it ought to have R(q), by RK4 in NumPy:
    T + V is kept all the same. Without the mixture it is the run itself.
    """
    particles = np.array(model.bodies[0].particles.positions)
    com = np.array(model.bodies[0].com)
    points = particles - com
    mass = model.bodies[0].mass
    inertia = np.array(model.bodies[0].inertia)

    def corners(r, R):
        return r[:, None] + points @ (R if is_mixed else np.swapaxes(R, 1, 2))

    def pair(r, R):
        """Forces on the particles of both bodies, and V."""
        x = corners(r, R)
        d = x[1][None] - x[0][:, None]
        s = (d**2).sum(-1)
        f = (24.0 * (2.0 * s**-6 - s**-3) / s)[..., None] * d  # on the second
        return np.array([-f.sum(1), f.sum(0)]), (4.0 * (s**-6 - s**-3)).sum()

    def rates(y):
        r, q, v, w = y[:, :3], y[:, 3:7], y[:, 7:10], y[:, 10:]
        R = rotation_matrix(q / np.linalg.norm(q, axis=1, keepdims=True))
        f, _ = pair(r, R)
        if is_mixed:  # δx = −θ' × Rᵀ X
            torque = -np.cross(points @ R, f).sum(axis=1)
        else:  # δx = R (θ' × X)
            torque = np.cross(points[None], f @ R).sum(axis=1)
        turned = w @ inertia
        acceleration = np.linalg.solve(inertia, (torque - np.cross(w, turned)).T).T
        return np.hstack([v, quaternion_rate(q, w), f.sum(1) / mass, acceleration])

    pose, twist = done.poses.values[0], done.twists.values[0]
    R = rotation_matrix(pose[:, 3:])
    arm, w = R @ com, np.einsum("nji,nj->ni", R, twist[:, :3])
    y = np.hstack([pose[:, :3] + arm, pose[:, 3:], twist[:, 3:] + np.cross(twist[:, :3], arm), w])
    states, inner = [y], 3
    for h in np.diff(done.t.values) / inner:
        for _ in range(inner):
            a = rates(y)
            b = rates(y + 0.5 * h * a)
            c = rates(y + 0.5 * h * b)
            y = y + h * (a + 2 * b + 2 * c + rates(y + h * c)) / 6.0
        states.append(y)
    return record_states(done, np.array(states), com, mass, inertia, pair)


def record_states(done, states, com, mass, inertia, pair):
    """A Trajectory like `done` with other poses, twists and energies."""
    q = states[..., 3:7] / np.linalg.norm(states[..., 3:7], axis=-1, keepdims=True)
    R = rotation_matrix(q)
    arm = R @ com
    v, w = states[..., 7:10], states[..., 10:]
    omega = np.einsum("tnij,tnj->tni", R, w)
    kinetic = 0.5 * (mass * (v**2).sum((1, 2)) + np.einsum("tni,ij,tnj->t", w, inertia, w))
    potential = np.array([pair(r, each)[1] for r, each in zip(states[..., :3], R, strict=True)])
    changed = done.dataset.drop_vars([x for x in done.dataset if str(x).endswith("_within")])
    changed["pose"].values[:] = np.concatenate([states[..., :3] - arm, q], axis=-1)
    changed["twist"].values[:] = np.concatenate([omega, v - np.cross(omega, arm)], axis=-1)
    changed["kinetic_energy"].values[:] = kinetic
    changed["potential_energy"].values[:] = potential
    return ht.Trajectory(changed, done.model)


def test_a_mixed_transpose_is_found_by_angular_momentum_and_not_by_energy():
    model = two_tetrahedra()
    done = simulate(model, 0.4, 5e-3)
    right = run_of_printed_equations(model, simulate(model, 0.4, 5e-3), is_mixed=False)
    assert right.poses.values == pytest.approx(done.poses.values, abs=1e-7)
    assert all(line.verdict == "good" for line in momentum_line(right))
    wrong = run_of_printed_equations(model, simulate(model, 0.4, 5e-3), is_mixed=True)
    assert right.energy_error < 1e-6 and wrong.energy_error < 1e-6
    linear, angular = momentum_line(wrong)
    assert linear.verdict == "good"
    assert angular.verdict == "bad" and angular.number > 1e-2
    assert "nothing in the model may change it" in angular.sentence


def test_a_force_without_its_reaction_is_found():
    """A run with a load on one body, said to be a run of the model without it."""
    model = ht.library.satellite(2, 2)
    done = simulate(model.with_(forces=[ht.BodyLoad("hub", (1.0, 0.0, 0.0))]))
    linear, _ = momentum_line(ht.Trajectory(done.dataset, model))
    assert linear.verdict == "bad" and "linear momentum x" in linear.sentence


def test_rk4_loses_angular_momentum_and_keeps_linear():
    model = ht.library.floating_tree(4, seed=2, joints=("revolute", "ball"))
    linear, angular = momentum_line(simulate(model, 2.0, 4e-2, integrator="rk4"))
    assert linear.number < 1e-12 and angular.number > 1e-9


def test_thresholds_can_be_changed():
    run = simulate(ht.library.satellite(2, 2), 2.0, 4e-2, integrator="rk4")
    strict = momentum_line(run, {"momentum": (1e-15, 1e-14)})
    assert momentum_line(run)[1].verdict != "bad" and strict[1].verdict == "bad"


def test_a_file_without_its_model_has_a_note(tmp_path):
    def push(t, x, out):
        for k in range(6):
            out[k] = -0.1 * x[k]

    run = simulate(free(ht.BodyLaw("body", function=push)), 0.1)
    loaded = ht.Trajectory.load(run.save(tmp_path / "run.nc"))
    (line,) = momentum_line(loaded)
    assert line.verdict == "note" and "Momenta are not judged" in line.sentence


# ---- scales --------------------------------------------------------------------------------------
def numbers(run):
    """Of a method that loses some."""
    return np.array([line.number for line in momentum_line(run)])


@pytest.mark.parametrize("exponents", [(-33, -88, -40), (37, 100, 25)])
def test_similar_models_have_equal_numbers(exponents):
    units = Units(*(2.0**k for k in exponents))
    for model in (ht.library.floating_tree(3, seed=2, joints=("ball",)), cart()):
        wanted = simulate(model, 1.0, 5e-2, integrator="rk4")
        scaled = nondimensionalise(model, units, back=True)
        found = simulate(scaled, units.time, 5e-2 * units.time, integrator="rk4")
        assert numbers(found) == pytest.approx(numbers(wanted), rel=1e-9, abs=1e-13)
        assert components(scaled)[0] == components(model)[0]


def test_a_boost_changes_no_number():
    model = ht.library.floating_tree(3, seed=2, joints=("ball",))
    wanted = numbers(simulate(model, 1.0, 5e-2, integrator="rk4"))
    root = model.joints[0]
    for speed in (1.0, 7.5e3):
        qdot = np.add(root.qdot, (speed, -speed, 0.5 * speed, 0, 0, 0))
        boosted = model.with_(joints={root.name: {"qdot": tuple(qdot)}})
        run = simulate(boosted, 1.0, 5e-2, integrator="rk4")
        assert wanted[1] > 1e-8
        assert numbers(run) == pytest.approx(wanted, rel=1e-3 * max(1.0, speed / 1e3), abs=1e-11)
        precise = momentum_line(simulate(boosted, 1.0, 5e-3))
        assert all(line.verdict == "good" for line in precise)


def test_momentum_within_a_fast_satellite_is_not_measured_by_its_speed():
    """A loss of a thousandth of the motion within, 7.5 km/s or not."""
    model = ht.library.satellite(2, 1)
    root = model.joints[0]
    fast = model.with_(joints={root.name: {"qdot": (7.5e3, 0, 0, *root.qdot[3:])}})
    run = simulate(fast)
    line = momentum_line(run)[0]
    assert line.verdict == "good"
    (scale,) = {each["scale"] for each in line.details["components"][:1]}
    drift = np.linspace(0.0, 2e-3 * scale, len(run.t))
    run.dataset["twist"].values[:, 0, 3] += drift / model.bodies[0].mass
    assert momentum_line(ht.Trajectory(run.dataset, fast))[0].verdict == "bad"


# ---- named invariants ----------------------------------------------------------------------------
def kepler(**rest):
    H = ht.hamiltonian(
        "(px**2 + py**2)/2 - k/sqrt(x**2 + y**2)",
        q={"x": 1.0, "y": 0.0},
        p={"px": 0.0, "py": 1.2},
        parameters={"k": 1.0},
        invariants={"L": "x*py - y*px", "Ay": "-px*(x*py - y*px) - k*y/sqrt(x**2 + y**2)"},
    )
    return ht.simulate(H, 10.0, progress=False, **rest)


def test_named_invariants_are_judged_by_what_they_are_sums_of():
    """The y component of the Laplace vector is zero: by itself it would be no scale."""
    good = invariant_lines(kepler(step=1e-2))
    assert [line.name for line in good] == ["invariant L", "invariant Ay"]
    assert all(line.verdict == "good" for line in good) and good[0].number < 1e-12
    bad = invariant_lines(kepler(step=1.0, integrator="rk4"))
    assert bad[1].verdict == "bad" and bad[1].details["value"] == 0.0
    assert bad[1].details["scale"] > 0.5 and momentum_line(kepler(step=0.1)) == []


def test_an_ode_and_a_file_have_lines_of_their_invariants(tmp_path):
    ode = ht.ode("x' = v; v' = -x", y={"x": 1.0, "v": 0.0}, invariants={"E": "x*x + v*v"})
    run = ht.simulate(ode, 5.0, 1e-1, integrator="euler", progress=False)
    (line,) = invariant_lines(run)
    assert line.verdict == "bad" and line.number > 0.1
    loaded = ht.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert invariant_lines(loaded) == [line]
    plain = ht.simulate(ht.ode("x' = -x", y={"x": 1.0}), 1.0, 0.1, progress=False)
    assert invariant_lines(plain) == []
