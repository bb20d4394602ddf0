"""Equilibria along a parameter: buckling, folds and flutter against closed forms."""

import numpy as np
import pytest

import hamiltree as ht

LOAD = "forces.load.force.z"


def column(n, c=2.0, length=0.5, axes="world"):
    """n rods upright on joint springs, with a load on top."""
    inertia = np.diag([0.02, 0.02, 0.001])
    bodies = [ht.Body(f"rod{k}", 1.0, (0, 0, length / 2), inertia) for k in range(n)]
    joints = [
        ht.Revolute(
            f"joint{k}",
            f"rod{k - 1}" if k else "ground",
            f"rod{k}",
            axis=(0, 1, 0),
            on_parent=ht.Frame((0, 0, length if k else 0.0)),
        )
        for k in range(n)
    ]
    springs = [ht.JointSpring(f"joint{k}", stiffness=c) for k in range(n)]
    load = ht.BodyLoad(f"rod{n - 1}", at=(0, 0, length), axes=axes, name="load")
    return ht.Model(bodies, joints, [*springs, load], gravity=(0, 0, 0))


def critical_load(n, c=2.0, length=0.5):
    """The lowest eigenvalue of c (2, −1; −1, 2, −1; …; −1, 1) / l: 2 c/l (1 − cos(π/(2n + 1)))."""
    return 2.0 * c / length * (1.0 - np.cos(np.pi / (2 * n + 1)))


@pytest.mark.parametrize("n", [1, 3])
def test_a_column_of_rods_and_springs_buckles_at_the_load_of_the_book(n):
    wanted = critical_load(n)
    branch = ht.continuation(column(n), LOAD, (0.0, -1.3 * wanted), step=0.4)
    assert branch.stopped == "the end" and float(branch.parameter[-1]) == -1.3 * wanted
    (found,) = branch.bifurcations
    assert -found.parameter == pytest.approx(wanted, rel=1e-10)
    assert branch.special == (found,) and found.multiplicity == 1
    before = np.arange(len(branch)) <= found.after
    assert np.array_equal(branch.unstable.values > 0, ~before)
    buckled = np.cumsum(found.direction.values)  # angles of the rods
    wanted = np.sin(np.arange(1, n + 1) * np.pi / (2 * n + 1))
    assert buckled / buckled[-1] == pytest.approx(wanted / wanted[-1], rel=1e-9)


def test_the_buckled_branch_of_one_rod_is_that_of_the_book():
    """c θ = P l sin θ, on both sides, to the end of the range."""
    branch = ht.continuation(column(1), LOAD, (0.0, -6.0), step=0.5)
    right, left = branch.switch(0), branch.switch(0, side=-1)
    theta, load = right.q.values[:, 0], -right.parameter.values
    assert theta[0] == 0.0 and load[0] == pytest.approx(4.0, rel=1e-12) and load[-1] == 6.0
    assert np.abs(2.0 * theta - load * 0.5 * np.sin(theta)).max() < 1e-11
    assert theta[-1] > 1.0 and not right.unstable.values[1:].any()
    assert np.array_equal(left.q.values, -right.q.values)
    figure = branch.plot.diagram(others=[right, left])
    styles = [line.get_linestyle() for line in figure.axes[0].get_lines()]
    assert "--" in styles and "-" in styles
    rest = right.equilibrium(-1)
    assert rest.is_stable and float(rest.q[0]) == pytest.approx(theta[-1], rel=1e-13)
    foot = rest.reactions("joint0")["force"].values
    assert np.abs(foot - [0, 0, 6.0]).max() < 1e-12


def arch(stiffness=100.0, height=0.5):
    """A mass on a vertical rail, held by a slanted spring: V = ½k (√(1 + z²) − L)² − F z."""
    spring = ht.PointSpring(
        "ground", "mass", (1, 0, 0), (0, 0, 0), stiffness=stiffness, length=np.hypot(1.0, height)
    )
    rail = ht.Prismatic("rail", "ground", "mass", axis=(0, 0, 1), q=height)
    forces = [spring, ht.BodyLoad("mass", name="load")]
    return ht.Model([ht.Body("mass", 1.0)], [rail], forces, gravity=(0, 0, 0))


@pytest.fixture(scope="module")
def snapping():
    return ht.continuation(arch(), LOAD, (3.0, -3.0), step=0.25)


def test_a_shallow_arch_snaps_through_at_its_folds(snapping):
    """dF/dz = 0 where (1 + z²)^(3/2) = L."""
    L = np.hypot(1.0, 0.5)
    z = np.sqrt(L ** (2 / 3) - 1.0)
    F = 100.0 * z * (1.0 - L / np.hypot(1.0, z))
    assert [found.kind for found in snapping.special] == ["fold", "fold"]
    assert [found.parameter for found in snapping.folds] == pytest.approx([F, -F], rel=1e-11)
    places = [float(found.q[0]) for found in snapping.folds]
    assert places == pytest.approx([z, -z], rel=1e-7)
    rail = snapping.q.values[:, 0]
    force = 100.0 * rail * (1.0 - L / np.hypot(1.0, rail))
    assert np.abs(force - snapping.parameter.values).max() < 1e-9
    assert np.array_equal(snapping.unstable.values > 0, np.abs(rail) < z)


def test_similar_models_have_similar_branches(snapping):
    units = ht.units.Units(length=4.0, mass=0.5, time=2.0)
    force = units.energy / units.length
    ends = 3.0 / force, -3.0 / force
    similar = ht.continuation(ht.units.nondimensionalise(arch(), units), LOAD, ends, step=0.25)
    assert np.array_equal(similar.q.values * units.length, snapping.q.values)
    assert np.array_equal(similar.parameter.values * force, snapping.parameter.values)
    for ours, theirs in zip(snapping.special, similar.special, strict=True):
        assert theirs.parameter * force == ours.parameter


def test_a_follower_force_makes_two_rods_flutter():
    """Ziegler's column, masses 2m and m at the ends of the rods: P l/c = 7/2 − √2."""
    bodies = [ht.Body("a", 2.0, (0, 0, 1)), ht.Body("b", 1.0, (0, 0, 1))]
    model = column(2, c=1.0, length=1.0, axes="body")
    model = model.with_(
        bodies=[ht.Body(f"rod{k}", body.mass, body.com) for k, body in enumerate(bodies)]
    )
    branch = ht.continuation(model, LOAD, (0.0, -3.0), step=0.5)
    (found,) = branch.special
    assert found.kind == "flutter"
    assert -found.parameter == pytest.approx(3.5 - np.sqrt(2.0), rel=1e-10)
    assert branch.unstable.values[0] == 0 and branch.unstable.values[-1] == 2


def test_a_pair_of_particles_is_torn_apart_at_its_largest_force():
    """Lennard-Jones along a rail: the fold is where r⁶ = 26/7 σ⁶."""
    ball = ht.Particles([(0.0, 0.0, 0.0)])
    bodies = [ht.Body.of_particles(name, ball) for name in ("still", "pulled")]
    joints = [
        ht.Weld("clamp", "ground", "still"),
        ht.Prismatic("rail", "ground", "pulled", axis=(1, 0, 0), q=1.12),
    ]
    forces = [ht.PairForce(ht.LennardJones(5.0, 1.0)), ht.BodyLoad("pulled", name="load")]
    model = ht.Model(bodies, joints, forces, gravity=(0, 0, 0))
    branch = ht.continuation(model, "forces.load.force.x", (0.0, 20.0), step=0.3, points=14)
    assert branch.stopped == "14 points"  # far away the force goes to zero and never is
    (found,) = branch.folds
    r = (26.0 / 7.0) ** (1.0 / 6.0)
    assert float(found.q[0]) == pytest.approx(r, rel=1e-7)
    assert found.parameter == pytest.approx(20.0 * (6.0 / r**7 - 12.0 / r**13), rel=1e-11)


def test_the_position_of_a_drive_and_a_length_are_parameters():
    model = ht.library.n_pendulum(2)
    drive = ht.Drive("hinge1", position=0.0, name="motor")
    driven = model.with_(constraints=[drive])
    branch = ht.continuation(driven, "constraints.motor.position", (0.0, 1.0), step=0.7)
    assert branch.q.values[:, 0] == pytest.approx(branch.parameter.values, abs=1e-13)
    assert branch.q.values.sum(axis=1) == pytest.approx(0.0, abs=1e-12)  # the lower rod hangs
    bar = ht.library.four_bar()
    length = bar.joints[1].on_parent.position[0]
    name = f"joints.{bar.joints[1].name}.on_parent.position.x"
    longer = ht.continuation(bar, name, (length, 1.1 * length), step=0.7)
    joint = {bar.joints[1].name: {"on_parent": ht.Frame((1.1 * length, 0, 0))}}
    start = dict(zip(bar.coordinates, longer.q.values[-1] + 0.01, strict=True))
    alone = ht.equilibrium(bar.with_(joints=joint), start)
    assert longer.q.values[-1] == pytest.approx(alone.q.values, abs=1e-10)


def test_gravity_turns_a_pendulum_and_parameters_of_formulas_have_names():
    model = ht.library.pendulum(1.0, 2.0)
    branch = ht.continuation(model, "gravity.x", (0.0, 20.0), step=0.5)
    wanted = -np.arctan2(branch.parameter.values, 9.81)
    assert branch.q.values[:, 0] == pytest.approx(wanted, abs=1e-12)
    law = ht.JointLaw("hinge", effort="a", parameters={"a": 0.0}, name="motor")
    branch = ht.continuation(
        model.with_(forces=[law]), "forces.motor.parameters.a", (0.0, 30.0), step=0.5
    )
    assert branch.folds[0].parameter == pytest.approx(2.0 * 9.81, rel=1e-11)  # m g l


def test_a_branch_that_cannot_go_on_says_why():
    spring = ht.JointSpring("hinge", stiffness=20.0, name="spring")
    model = ht.library.pendulum().with_(forces=[spring])
    with pytest.warns(ht.AccuracyWarning, match="ends early: no step from .* is negative"):
        branch = ht.continuation(model, "forces.spring.stiffness", (1.0, -1.0), step=1.0)
    assert 0.0 <= float(branch.parameter[-1]) < 0.1 and "is negative" in branch.stopped


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("forces.lod.force.z", (0, 1)), "no number 'forces.lod.force.z'; did you mean"),
        (("joints.joint0.q", (0, 1)), "is a start value, on which no equilibrium depends"),
        (("q.joint0", (0, 1)), "is a start value"),
        ((LOAD, (1, 1)), "is no range"),
        ((LOAD, "a"), "give two numbers"),
    ],
)
def test_what_is_no_parameter_is_refused_by_name(arguments, message):
    with pytest.raises(ht.OptionError, match=message):
        ht.continuation(column(1), *arguments)


def test_options_and_bifurcations_that_are_not_there_are_refused():
    with pytest.raises(ht.OptionError, match="step = 0"):
        ht.continuation(column(1), LOAD, (0, -1), step=0)
    with pytest.raises(ht.OptionError, match="kind = 'best'"):
        ht.continuation(column(1), LOAD, (0, -1), kind="best")
    branch = ht.continuation(column(1), LOAD, (0, -1), step=1.0)
    with pytest.raises(ht.OptionError, match="this branch has 0 bifurcations"):
        branch.switch()
    with pytest.raises(ht.OptionError, match="no coordinate 'joint'; did you mean 'joint0'"):
        branch.plot.diagram("joint")
    free = ht.Model([ht.Body("b", 1.0)], [ht.Prismatic("rail", "ground", "b")])
    with pytest.raises(ht.StepError, match="no equilibrium after .* along 'rail'"):
        ht.continuation(free, "gravity.x", (0, 1))
