"""Particles, pair forces and motions as TOML: exact round trips, and errors with their line."""

import numpy as np
import pytest

from hamiltree.errors import ModelError
from hamiltree.files import model_from_toml, model_to_toml
from hamiltree.files.urdf_writer import urdf_text
from hamiltree.model import (
    Body,
    Buckingham,
    Coulomb,
    Fene,
    Free,
    HarmonicBond,
    LennardJones,
    Model,
    Morse,
    Motion,
    PairForce,
    PairFormula,
    Particles,
    library,
)

POTENTIALS = [
    LennardJones(0.1, 1 / 3),
    {"A": LennardJones(1.0, 1.0), "B": LennardJones(2.0, 0.9), "B A": LennardJones(0.7, 0.8)},
    Morse(2.0, 1.7, 1.1),
    Coulomb({"A": 0.4, "B": -0.8}, 138.935, screening=3.0),
    Buckingham(900.0, 3.0, 4.0),
    HarmonicBond(5.0),
    Fene(30.0, 1.5),
    PairFormula("a/r**9 - b/r**3", {"a": 0.1, "b": 2.0}),
    {"A A": PairFormula("1/r"), "A B": PairFormula("2/r"), "B B": PairFormula("exp(-r)/r")},
]
TEXT = """\
hamiltree = 1
[[body]]
name = "b1"
[body.particles]
positions = [[0, 0, 0], [0, 1, 0]]
types = ["A", "B"]
[[body]]
name = "b2"
mass = 1.0
particles = { positions = [[0, 0, 0]] }
[[joint]]
kind = "free"
name = "j1"
parent = "ground"
child = "b1"
[[joint]]
kind = "free"
name = "j2"
parent = "ground"
child = "b2"
[[force]]
kind = "pair_force"
cutoff = 3.0
[force.potential]
A = { kind = "lennard_jones", epsilon = 1.0, sigma = 1.0 }
B = { kind = "lennard_jones", epsilon = 1.0, sigma = 0.5 }
"""


def model(*forces, constraints=()):
    rng = np.random.default_rng(1)
    cloud = Particles(rng.normal(size=(3, 3)), rng.uniform(1, 2, 3), ("A", "B", "A"))
    bodies = [
        Body.of_particles("b1", cloud),
        Body("b2", 0.3, inertia=0.1, particles=cloud),
        Body("b3", particles=cloud),
    ]
    joints = [Free(f"j{i}", "ground", f"b{i}") for i in (1, 2, 3)]
    return Model(bodies, joints, forces, constraints=constraints)


@pytest.mark.parametrize("potential", POTENTIALS, ids=lambda x: type(x).__name__)
def test_a_pair_force_reads_back_bit_for_bit(potential):
    options = {
        "cutoff": 2.5,
        "switch": 2.1,
        "skin": 0.3,
        "box": (7.0, 0, 9.5),
        "exclude": [("b1", "b3")],
        "mixing": "geometric",
    }
    whole = model(
        PairForce(potential, **options), PairForce(potential, [("b1:0", "b2:2")], name="bond")
    )
    again = model_from_toml(model_to_toml(whole))
    assert again == whole and hash(again) == hash(whole)


@pytest.mark.parametrize("make", library.MOLECULES, ids=lambda make: make.__name__)
def test_the_molecules_of_the_library_read_back_bit_for_bit(make):
    assert model_from_toml(model_to_toml(make())) == make()


def test_a_motion_reads_back_bit_for_bit():
    whole = model(
        constraints=[
            Motion("b1", ("a*sin(t)", 0.1, 0), None, {"a": 0.3}),
            Motion("b2", rotation=(0, 0, "t**2"), name="turn"),
        ]
    )
    assert model_from_toml(model_to_toml(whole)) == whole


def test_a_body_weighs_what_its_particles_do_unless_it_says_otherwise():
    read = model_from_toml(TEXT)
    assert read.bodies[0] == Body.of_particles(
        "b1", Particles([(0, 0, 0), (0, 1, 0)], types=("A", "B"))
    )
    assert read.bodies[1].mass == 1.0 and read.bodies[1].inertia == ((0, 0, 0),) * 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0, 1, 0]]", "[0, 0, 0]]", r"^f:5: body 'b1', particles: .*positions\[1\] are 0 m apart"),
        (
            'types = ["A", "B"]',
            'types = ["A"]',
            "^f:6: body 'b1', particles: .* has 1 entries for 2 particles",
        ),
        ("types =", "kinds =", "^f:6: body 'b1', particles: unknown key 'kinds'"),
        ("B = {", "C = {", "^f:24: force 1 .pair_force.: .*no potential for the types 'A' and 'B'"),
        (
            'B = { kind = "lennard_jones"',
            'B = { kind = "lennard"',
            "^f:26: force 1, potential.B: kind = 'lennard' is unknown",
        ),
        (
            "sigma = 0.5",
            "sigma = -0.5",
            "^f:26: force 1, potential.B: .*sigma = -0.5 is not positive",
        ),
        (", sigma = 0.5", "", "^f:26: force 1, potential.B: the key 'sigma' is missing"),
        (
            "cutoff = 3.0",
            "cutoff = 3.0\nswitch = 4.0",
            "^f:24: force 1: .*switch = 4.0 is not below the cutoff 3",
        ),
        ("cutoff = 3.0", 'between = [["b1", "b7"]]', "^f:23: force 1 .*'b7' is not a body"),
    ],
)
def test_what_is_wrong_with_particles_and_potentials_is_said_with_its_line(old, new, message):
    with pytest.raises(ModelError, match=message):
        model_from_toml(TEXT.replace(old, new), "f")


def test_urdf_refuses_particles_unless_they_may_be_dropped():
    whole = Model([Body.of_particles("b1", library.tetrahedron())], [Free("j1", "ground", "b1")])
    with pytest.raises(
        ModelError,
        match="body 'b1' has particles, which URDF cannot hold; leave it out with drop='particles'",
    ):
        urdf_text(whole)
    assert urdf_text(whole, drop="particles")[1] == ("body 'b1' has particles",)
