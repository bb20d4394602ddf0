"""Tables of many trees that are made at once are those of each by itself."""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.links import build_links
from hamiltree.formulations.filled_tables import numbers_of, rest_of
from hamiltree.formulations.tree.hamiltonian_tree import make_tree_tables
from hamiltree.formulations.tree.many_trees import assemble_trees
from hamiltree.problems.numbers import names_of, present_value, with_numbers
from hamiltree.studies import lane_starts, uniform
from tests.studies.families import SPRUNG, compare

ALL_LAWS = frozenset(("joint_laws", k) for k in range(9)) | {("body_laws", k) for k in range(9)}
WELDED = SPRUNG.with_(
    bodies=[*SPRUNG.bodies, ht.Body("mount", mass=1.0), ht.Body("lamp", mass=0.2)],
    joints=[
        ht.Weld("base", "ground", "mount", on_parent=ht.Frame((0.1, 0.0, 0.0))),
        *SPRUNG.joints,
        ht.Weld("clamp", "rod2", "lamp", on_parent=ht.Frame((0.0, 0.1, -0.3))),
    ],
    forces=[*SPRUNG.forces, ht.PointSpring("rod1", "lamp", (0.0, 0.1, 0.0), (0.0, 0.0, 0.1), 3.0)],
)
MODELS = {
    "chain": ht.library.chain(4),
    "tree": ht.library.tree(7),
    "balls": ht.library.spherical_chain(3),
    "flying": ht.library.floating_tree(4),
    "welded": WELDED,
}


def variants(model, count):
    """Models with other numbers of some parts; not all of them are allowed."""
    rng = np.random.default_rng(3)
    names = [target for _, target in names_of(model) if target.kind in ("part", "gravity")]
    found = [model]
    while len(found) < count:
        chosen = {names[k] for k in rng.choice(len(names), 4)}
        changes = {x: present_value(model, x) * 1.1 + 0.01 * rng.random() for x in chosen}
        try:
            found.append(with_numbers(model, changes))
        except ht.ModelError:  # an inertia that no body has
            continue
    return found


@pytest.mark.parametrize("name", MODELS)
def test_trees_of_a_forest_have_the_tables_of_each_alone(name):
    models = variants(MODELS[name], 12)
    together = assemble_trees(models)
    different = set()
    for model, found in zip(models, together, strict=True):
        alone = make_tree_tables(model, build_links(model, "hamiltonian_tree"))
        assert np.array_equal(numbers_of(found, ALL_LAWS), numbers_of(alone, ALL_LAWS))
        assert rest_of(found, ALL_LAWS) == rest_of(alone, ALL_LAWS)
        different.add(numbers_of(found, ALL_LAWS).tobytes())
    assert len(different) > 8


def screws():
    """A screw without pitch is a hinge."""
    first, second = SPRUNG.joints
    parts = {name: getattr(second, name) for name in ("parent", "child", "on_parent", "axis")}
    for pitch in (0.1, 0.0, 0.2):
        yield SPRUNG.with_(joints=[first, ht.Screw(name="hinge2", pitch=pitch, **parts)])


def balls():
    """A ball whose axes are its parent's at zero is not turned by that rotation."""
    model = ht.library.spherical_chain(2)
    first, second = model.joints
    for turn in ((1.0, 0.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)):
        frame = ht.Frame(second.on_parent.position, turn)
        yield model.with_(joints=[first, replace(second, on_parent=frame)])


@pytest.mark.parametrize("variants", [screws, balls])
def test_a_joint_of_other_code_has_tables_of_its_own(variants):
    models = list(variants())
    for model, found in zip(models, assemble_trees(models), strict=True):
        alone = make_tree_tables(model, build_links(model, "hamiltonian_tree"))
        assert np.array_equal(found.flags, alone.flags)
        assert rest_of(found, frozenset()) == rest_of(alone, frozenset())


SETTINGS = {"until": 0.1, "step": 0.02, "integrator": "rk4"}
MASSES = {"bodies.rod1.mass": uniform(1, 2)}


def test_tables_that_come_out_otherwise_together_are_made_one_by_one(monkeypatch):
    def wrong(models):
        return [system._replace(gravity=system.gravity + 1.0) for system in assemble_trees(models)]

    monkeypatch.setattr(lane_starts, "assemble_trees", wrong)
    assert not compare(SPRUNG, MASSES, SETTINGS)[0]


def test_a_member_whose_joint_moves_no_inertia_is_named():
    """It is left to a run alone, which refuses it."""
    light = SPRUNG.bodies[1].__class__("rod2", mass=1.0, com=(0.0, 0.0, -0.5))
    model = SPRUNG.with_(bodies=[SPRUNG.bodies[0], light])
    masses = {"bodies.rod2.mass": [1.0, 0.0, 2.0]}
    alone, found = compare(model, masses, SETTINGS, ["end"])
    assert alone == [1]
    assert "hinge2" in found.status[1]
