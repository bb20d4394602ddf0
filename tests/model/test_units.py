"""Sets of units and models without units."""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import ModelError, OptionError
from hamiltree.model import (
    JOINTS,
    Body,
    BodyLoad,
    Buckingham,
    Coulomb,
    Drive,
    Fene,
    Free,
    HarmonicBond,
    JointDamper,
    JointLaw,
    LennardJones,
    Model,
    Morse,
    PairForce,
    PairFormula,
    Particles,
    PointSpring,
    library,
)
from hamiltree.model.units import (
    AVOGADRO,
    DALTON,
    FEMTOSECOND,
    METAL,
    MOLECULAR,
    REAL,
    SI,
    Units,
    nondimensionalise,
)
from hamiltree.model.values import Frame

POTENTIALS = [
    LennardJones(1.6e-21, 3.4e-10),
    {
        "A": LennardJones(1.6e-21, 3.4e-10),
        "A B": LennardJones(1e-21, 3e-10),
        "B B": LennardJones(2e-21, 3e-10),
    },
    Morse(2e-21, 2e10, 3.8e-10),
    Coulomb({"A": 1.6e-19, "B": -1.6e-19}, 8.99e9, screening=1e-9),
    Buckingham(1e-17, 3.5e10, 1e-77),
    HarmonicBond(3.0, 3e-10),
    Fene(0.3, 4e-9),
]


def argon(potential):
    """Four rigid molecules of three particles in SI, with a load, a spring and gravity."""
    rng = np.random.default_rng(7)
    shape = Particles(
        1e-10 * rng.normal(size=(3, 3)), DALTON * rng.uniform(10, 40, 3), ("A", "B", "A")
    )
    bodies = [Body.of_particles(f"b{i}", shape) for i in range(4)]
    turns = rng.normal(size=(4, 4))
    joints = [
        Free(
            f"j{i}",
            "ground",
            f"b{i}",
            q=(*(9e-10 * np.array([i, i % 2, i // 2]) + 1e-10), *turns[i]),
            qdot=(*300 * rng.normal(size=3), *1e12 * rng.normal(size=3)),
        )
        for i in range(4)
    ]
    pairs = PairForce(potential, cutoff=1.8e-9, switch=1.5e-9)
    spring = PointSpring("b0", "b3", (0, 0, 1e-10), (1e-10, 0, 0), stiffness=0.7, length=1e-9)
    load = BodyLoad("b2", (1e-11, 0, 2e-11), (0, 1e-21, 0), at=(1e-10, 0, 0))
    return Model(bodies, joints, [pairs, spring, load], gravity=(0, 0, -1e12))


def accelerations(model):
    """Newton and Euler by loops over the particles: a of the centres of mass, dω/dt in body axes,
    and V of the pairs.
    """
    pairs, spring, load = model.forces
    frames = [Frame(joint.q[:3], joint.q[3:]) for joint in model.joints]
    R, r = [frame.matrix for frame in frames], [np.array(frame.position) for frame in frames]
    place = {body.name: i for i, body in enumerate(model.bodies)}
    force, torque, energy = np.zeros((4, 3)), np.zeros((4, 3)), 0.0

    def push(i, local, f):
        force[i] += f
        torque[i] += np.cross(R[i] @ (np.array(local) - model.bodies[i].com), f)

    for i in range(4):
        for j in range(i):
            a, b = model.bodies[i].particles, model.bodies[j].particles
            for x, s in zip(a.positions, a.types, strict=True):
                for y, u in zip(b.positions, b.types, strict=True):
                    d = r[i] + R[i] @ x - r[j] - R[j] @ y
                    distance = float(np.linalg.norm(d))
                    law = pairs.parameters_of(s, u)
                    v, slope, _ = pairs.apply_cutoff(
                        distance, law.value(distance), law.slope(distance), law.curvature(distance)
                    )
                    energy += v
                    push(i, x, -slope * d / distance)
                    push(j, y, slope * d / distance)
    ends = [(place[spring.body_a], spring.at_a), (place[spring.body_b], spring.at_b)]
    d = np.subtract(*[r[i] + R[i] @ at for i, at in ends])
    length = np.linalg.norm(d)
    tension = spring.stiffness * (length - spring.length) / length * d
    push(*ends[0], -tension)
    push(*ends[1], tension)
    push(place[load.body], load.at, np.array(load.force))
    torque[place[load.body]] += load.torque
    linear = force / np.array([[body.mass] for body in model.bodies]) + model.gravity
    turning = []
    for i, (body, joint) in enumerate(zip(model.bodies, model.joints, strict=True)):
        omega, inertia = np.array(joint.qdot[3:]), np.array(body.inertia)
        turning.append(
            np.linalg.solve(inertia, R[i].T @ torque[i] - np.cross(omega, inertia @ omega))
        )
    return linear, np.array(turning), energy


@pytest.mark.parametrize("potential", POTENTIALS, ids=lambda x: type(x).__name__)
def test_the_equations_of_motion_of_a_model_without_units_are_the_same(potential):
    model, units = argon(potential), Units.lennard_jones(3.4e-10, 1.65e-21, 40 * DALTON)
    linear, turning, energy = accelerations(model)
    plain = accelerations(nondimensionalise(model, units))
    assert np.allclose(
        units.to_si(plain[0], "acceleration"), linear, rtol=1e-11, atol=1e-12 * abs(linear).max()
    )
    assert np.allclose(
        units.to_si(plain[1], "angular_acceleration"),
        turning,
        rtol=1e-11,
        atol=1e-12 * abs(turning).max(),
    )
    assert units.to_si(plain[2], "energy") == pytest.approx(energy, rel=1e-11)
    # of order one, as the reduced units promise
    assert 0.01 < abs(np.array(nondimensionalise(model, units).bodies[0].inertia)).max() < 100


@pytest.mark.parametrize("units", [MOLECULAR, REAL, METAL, Units(2.0, 3.0, 5.0)])
def test_a_model_comes_back_from_being_scaled_to_rounding(units):
    for model in (argon(POTENTIALS[1]), library.particle_ring(5), library.branched_molecule()):
        again = nondimensionalise(nondimensionalise(model, units), units, back=True)
        for one, other in zip(model.start(), again.start(), strict=True):
            assert np.allclose(one, other, rtol=4e-16, atol=0)
        assert np.allclose(model.bodies[0].inertia, again.bodies[0].inertia, rtol=4e-16, atol=0)
        assert [repr(type(force)) for force in again.forces] == [
            repr(type(force)) for force in model.forces
        ]
        assert again.forces[0].parameters_of("A", "A").numbers == pytest.approx(
            model.forces[0].parameters_of("A", "A").numbers, rel=1e-15
        )


def test_the_end_and_the_step_of_runs_are_times():
    model = library.pendulum().with_(until=6.0, step=3e-3)
    scaled = nondimensionalise(model, Units(length=2.0, mass=5.0, time=3.0))
    assert (scaled.until, scaled.step) == pytest.approx((2.0, 1e-3), rel=1e-15)


def test_bodies_that_share_particles_still_do():
    plain = nondimensionalise(library.particle_box(2), MOLECULAR, back=True)
    assert plain.bodies[0].particles is plain.bodies[7].particles


def test_the_molecular_units_have_the_constants_of_the_literature():
    """138.935458 kJ nm/(mol e²) is of the GROMACS manual, 332.06371 kcal Å/(mol e²) and 48.88821 fs
    of AMBER and CHARMM.
    """
    assert MOLECULAR.energy * AVOGADRO == pytest.approx(1000, rel=1e-9)
    assert MOLECULAR.coulomb_constant == pytest.approx(138.935458, rel=1e-8)
    assert REAL.energy * AVOGADRO == pytest.approx(
        4184, rel=1e-12
    ) and REAL.coulomb_constant == pytest.approx(332.06371, rel=1e-7)
    assert REAL.time / FEMTOSECOND == pytest.approx(48.88821, rel=1e-7)
    assert METAL.energy == pytest.approx(
        1.602176634e-19, rel=1e-14
    ) and METAL.coulomb_constant == pytest.approx(14.399645, rel=1e-7)
    assert METAL.mass / DALTON == pytest.approx(9648.5332, rel=1e-8)
    # k T in kJ/mol
    assert MOLECULAR.from_si(300, "temperature") == pytest.approx(2.494338785, rel=1e-8)
    assert Units.lennard_jones(3.4e-10, 1.65e-21, 6.63e-26).coulomb_constant == pytest.approx(
        1, rel=1e-14
    )


def test_argon_has_the_reduced_time_of_two_picoseconds():
    units = Units.lennard_jones(3.405e-10, 119.8 * 1.380649e-23, 39.948 * DALTON)
    assert units.time == pytest.approx(2.156e-12, rel=1e-3) and units.temperature == pytest.approx(
        119.8, rel=1e-12
    )
    assert SI.to_si(3.0, "force") == 3.0 and units.from_si(
        units.to_si(0.1, "pressure"), "pressure"
    ) == pytest.approx(0.1, rel=1e-15)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"forces": [PairForce(PairFormula("1/r"))]},
            r"force 1 \(pair_force\) \(PairFormula\): formula = '1/r' is a formula",
        ),
        (
            {"forces": [JointLaw("free.x", "-3*q", name="law")]},
            "force 'law' .JointLaw.: effort = '-3.q' is a formula",
        ),
        (
            {"forces": [JointLaw("free.x", lambda t, x, out: None)]},
            "force 1 .joint_law on 'free.x'. .JointLaw.: effort is a Python function",
        ),
        (
            {"forces": [JointDamper("free", 0.1)]},
            "force 1 .* damping is along lengths and angles of 'free' at once",
        ),
        (
            {"constraints": [Drive("free.x", "t", name="motor")]},
            "constraint 'motor' .Drive.: position = 't' is a formula",
        ),
    ],
)
def test_parts_of_unknown_dimensions_are_refused_by_name(parts, message):
    body = Body.of_particles("b", library.tetrahedron())
    with pytest.raises(ModelError, match=message):
        nondimensionalise(
            Model([body], **{"joints": [Free("free", "ground", "b")], **parts}), MOLECULAR
        )


# what a joint of some kinds must be given
JOINT_ARGUMENTS = {
    "screw": {"pitch": 0.3},
    "axes": {
        "axes": [
            ("turn", (0, 0, 1), (0.1, 0.0, 0.2)),
            ("slide", (1, 0, 0)),
            ("screw", (0, 1, 0), (0.2, 0.0, 0.1), 0.4),
        ]
    },
}


@pytest.mark.parametrize("kind", JOINTS)
def test_units_know_every_joint(kind):
    """q̈ of the model without units, given them back, is q̈ of the model; and it comes back."""
    units, rng = Units(2.0, 3.0, 5.0), np.random.default_rng(5)
    joint = JOINTS[kind]("joint", "ground", "b", (0.1, 0.2, 0.0), **JOINT_ARGUMENTS.get(kind, {}))
    extra = {"armature": 0.7} if hasattr(joint, "armature") else {}
    for name, count in (("q", joint.coordinates), ("qdot", joint.speeds)):
        values = tuple(rng.uniform(0.2, 0.9, count))
        if hasattr(joint, name):
            extra[name] = values if isinstance(getattr(joint, name), tuple) else values[0]
    body = Body("b", 2.0, (0.1, 0.0, 0.2), (0.2, 0.3, 0.25))
    model = Model([body], [replace(joint, **extra)])
    plain = nondimensionalise(model, units)
    again = nondimensionalise(plain, units, back=True)
    for one, other in zip(again.start(), model.start(), strict=True):
        assert one == pytest.approx(other, rel=1e-15)
    if joint.speeds:
        lengths = [units.length if each == "length" else 1.0 for each in joint.speed_dimensions()]
        wanted = ht.dynamics(model).forward_dynamics(*model.start())
        found = ht.dynamics(plain).forward_dynamics(*plain.start())
        assert found * lengths / units.time**2 == pytest.approx(wanted, rel=1e-11, abs=1e-13)


def test_couplings_and_constraints_of_numbers_are_converted():
    bodies = [Body(name, 1.0, inertia=0.1) for name in ("wheel", "rack", "far")]
    joints = [
        ht.Revolute("pinion", "ground", "wheel"),
        ht.Prismatic("rail", "ground", "rack"),
        Free("far", "ground", "far"),
    ]
    model = Model(
        bodies,
        joints,
        couplings=[ht.Rack("rail", "pinion", 0.3, 0.1)],
        constraints=[ht.Rod("rack", "far", (0, 0, 1), (0, 2, 0), 3.0), Drive("pinion", speed=4.0)],
    )
    plain = nondimensionalise(model, Units(2.0, 3.0, 5.0))
    assert plain.couplings == (ht.Rack("rail", "pinion", 0.15, 0.05),)
    assert plain.constraints == (
        ht.Rod("rack", "far", (0, 0, 0.5), (0, 1, 0), 1.5),
        Drive("pinion", speed=20.0),
    )


def test_an_unknown_dimension_and_impossible_units_are_refused():
    with pytest.raises(OptionError, match="no dimension 'forse'; did you mean 'force'"):
        SI.to_si(1.0, "forse")
    with pytest.raises(ModelError, match="units: length = 0.0 is not positive"):
        Units(0.0)
