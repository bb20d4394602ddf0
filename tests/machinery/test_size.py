"""Large models: what their making costs grows as they do, and quick ways give what slow ones
give.
"""

import gc
import re
import sys
from dataclasses import fields, replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly import links as assembly_links
from hamiltree.assembly.body_states import compute_body_states, compute_tree_body_states
from hamiltree.assembly.kinematics import tree_of
from hamiltree.assembly.links import build_links
from hamiltree.files.toml import _careful_model, _plain_model, model_from_toml, model_to_toml
from hamiltree.files.toml_columns import parts_by_columns
from hamiltree.files.toml_plain import NotPlain, plain_data
from hamiltree.model import particles, topology
from hamiltree.model.joints import JOINTS
from hamiltree.model.many_parts import MANY_OBJECTS, collect_garbage_later, make_many

MODELS = (
    ht.library.chain(20),
    ht.library.tree(30, joints=("revolute", "ball", "weld", "axes", "free")),
    ht.library.satellite(),
    ht.library.stewart(),
)


def calls_of(work) -> int:
    """How many functions of Python are called by `work`."""
    count = 0

    def on_event(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(on_event)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def read_chain(n):
    text = model_to_toml(ht.library.chain(n))
    return lambda: model_from_toml(text)


@pytest.mark.parametrize(
    "work",
    [
        lambda n: lambda: ht.library.chain(n),
        read_chain,
        lambda n: lambda: topology.spanning_tree(ht.library.chain(n)),
    ],
    ids=["model", "file", "tree"],
)
def test_twice_as_many_bodies_take_twice_as_many_calls(work):
    work(50)()
    small, large = calls_of(work(500)), calls_of(work(1000))
    assert large < 2.2 * small
    assert large < 60 * 1000


def test_parts_made_at_once_are_those_made_one_by_one():
    model = ht.library.chain(50)
    for part in (*model.bodies, *model.joints, *(joint.on_parent for joint in model.joints)):
        given = {field.name: getattr(part, field.name) for field in fields(part)}
        again = type(part)(**given)
        assert again == part
        assert repr(again) == repr(part)


def test_a_column_that_a_part_needs_is_asked_for():
    with pytest.raises(TypeError, match="'name'"):
        make_many(ht.Body, 2, mass=[1.0, 2.0])


def test_the_collector_of_garbage_goes_on_after_an_error():
    with pytest.raises(ValueError, match="there"), collect_garbage_later():
        raise ValueError("there")
    assert gc.isenabled()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_plain_file_gives_the_model_of_a_careful_reading(model):
    text = model_to_toml(model)
    assert _plain_model(text) == _careful_model(text, "a") == model


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_plain_data_are_those_of_tomllib(model):
    import tomllib

    text = model_to_toml(model)
    assert plain_data(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "line",
    [
        'a = 1, "a": 2',
        "a = null",
        "a = NaN",
        "a = { x = 1, x = 2 }",
        "a = { x = 1",
        'a = "\\u0041"',
        "a = 1 # comment",
        "a = 1\na = 2",
        "a.b = 1",
        "a = [\n1]",
        '"a" = 1',
        "[table]",
        "a = {}, b",
        "a = [{x = 1}]",
    ],
)
def test_what_is_not_plain_is_left_to_tomllib(line):
    with pytest.raises((NotPlain, ValueError)):
        plain_data(f"hamiltree = 1\n{line}\n")


def test_a_mistake_in_a_large_plain_file_is_named_by_its_line():
    text = model_to_toml(ht.library.chain(3000))
    lines = text.split("\n")
    wrong = lines.index('name = "b2777"') + 1
    lines[wrong] = "mass = -1.0"
    with pytest.raises(
        ht.ModelError, match=rf"^file:{wrong + 1}: body 'b2777': mass = -1.0 is neg"
    ):
        model_from_toml("\n".join(lines), "file")


def test_the_order_of_a_declared_tree_is_that_of_a_walk():
    for seed in range(5):
        model = ht.library.tree(40, branching=1 + seed, seed=seed)
        parents, children = model.joint_ends
        walked = topology._depth_first_order(40, parents.tolist(), children.tolist(), [])
        for quick, slow in zip(topology.spanning_tree(model), walked, strict=True):
            assert np.array_equal(quick, slow)


def turn_joints_around(model):
    """The same tree with every other joint declared from its other end."""
    joints = [
        replace(
            joint,
            parent=joint.child,
            child=joint.parent,
            on_parent=joint.on_child,
            on_child=joint.on_parent,
        )
        if k % 2
        else joint
        for k, joint in enumerate(model.joints)
    ]
    return model.with_(joints=joints)


EVERY_JOINT = ht.library.tree(40, joints=tuple(JOINTS), seed=3)
COUPLED = ht.library.chain(6).with_(
    couplings=[ht.Mimic("j4", "j2", ratio=-0.7, offset=0.2), ht.Mimic("j5", "j4", ratio=2.0)]
)


@pytest.mark.parametrize(
    "model",
    [EVERY_JOINT, turn_joints_around(EVERY_JOINT), COUPLED],
    ids=["every joint", "backwards", "coupled"],
)
def test_bodies_found_all_at_once_are_where_they_are_one_by_one(model):
    rng = np.random.default_rng(4)
    speeds = rng.normal(size=len(model.speeds))
    q = model.q_from(rng.normal(size=4) if model is COUPLED else None)
    one_by_one = compute_body_states(tree_of(model), q, speeds)
    at_once = compute_tree_body_states(model, q, speeds)
    for found, expected in zip(at_once, one_by_one, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * abs(expected).max())


def test_cells_find_the_overlaps_that_sorting_finds(monkeypatch):
    rng = np.random.default_rng(2)
    places, owners = rng.uniform(0.0, 8.0, (600, 3)), rng.integers(0, 300, 600)
    by_sorting = particles.find_overlaps(places, owners, 0.6)
    monkeypatch.setattr(particles, "MANY_PARTICLES", 10)
    assert particles.find_overlaps(places, owners, 0.6) == by_sorting
    assert len(by_sorting) > 20


def test_a_formula_in_use_survives_those_that_come_after_it():
    def problem(k):
        return ht.hamiltonian(f"p**2/2 + {k}.25*q**2/2")

    kept = ht.simulator(problem(3), step=1e-2)
    before = kept.run(until=0.1, q=[0.1], p=[0.0], progress=False).q.values
    for k in range(4, 7):
        ht.simulate(problem(k), q=[0.1], p=[0.0], until=0.1, step=1e-2, progress=False)
    gc.collect()
    after = kept.run(until=0.1, q=[0.1], p=[0.0], progress=False).q.values
    assert np.array_equal(before, after)


def test_a_run_and_its_verdict_write_no_text_of_the_model(monkeypatch):
    def refuse(model):
        raise AssertionError("the text of a large model takes long")

    monkeypatch.setattr("hamiltree.run.equations.model_to_toml", refuse)
    with pytest.warns(ht.AccuracyWarning):
        run = ht.simulate(ht.library.chain(3), until=2.0, step=0.1, integrator="rk4")
    assert "rk4" in repr(run)


def test_samples_up_to_a_time_are_those_with_labels():
    run = ht.simulate(ht.library.chain(3), until=0.1, step=0.01)
    plain = run._up_to(0.05, run.model)
    values = {name: plain._values(name) for name in ("t", "q", "pose")}
    assert len(values["t"]) == 6
    labelled = run.dataset.sel(t=slice(None, 0.05))
    for name, found in values.items():
        assert np.array_equal(found, labelled[name].values)


def test_links_some_rows_at_a_time_are_those_of_all_at_once(monkeypatch):
    """Several axes, balls and welds: a body may follow one of another block."""
    model = ht.library.tree(60, joints=("revolute", "axes", "weld", "ball", "free"))
    whole = build_links(model, "all at once")
    monkeypatch.setattr(assembly_links, "BLOCK", 7)
    for one, other in zip(whole, build_links(model, "some at a time"), strict=True):
        np.testing.assert_array_equal(one, other)


def test_parts_made_while_collecting_waits_are_old_and_what_was_frozen_stays_so():
    gc.unfreeze()  # some tool of another test freezes what it has loaded
    with collect_garbage_later():
        young = [[k] for k in range(2 * MANY_OBJECTS)]
    assert any(part is young for part in gc.get_objects(generation=2))
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with collect_garbage_later():
            more = [[k] for k in range(2 * MANY_OBJECTS)]
        assert gc.get_freeze_count() >= frozen - 100  # some may have been freed meanwhile
        assert len(more) > MANY_OBJECTS
    finally:
        gc.unfreeze()


def test_few_parts_are_made_without_counting_what_is_frozen(monkeypatch):
    def refuse():
        raise AssertionError("millions of objects may be frozen")

    monkeypatch.setattr(gc, "get_freeze_count", refuse)
    with collect_garbage_later():
        few = [[k] for k in range(10)]
    assert len(few) == 10 and gc.isenabled()


def test_two_bodies_of_one_name_are_refused_before_their_joints():
    body, other = ht.Body("a", 1.0), ht.Body("a", 2.0)
    joints = [ht.Revolute("j", "ground", "a"), ht.Revolute("k", "a", "nowhere")]
    with pytest.raises(ht.ModelError, match="body 'a': the name is used twice"):
        ht.Model([body, other], joints)


def test_tables_by_columns_are_those_one_by_one():
    """Also where a few of very many are unusual: whole numbers, points, turns that are no units."""
    text = model_to_toml(ht.library.chain(40))
    assert parts_by_columns(ht.Body, plain_data(text)["body"]) == list(_careful_bodies(text))
    changes = {
        "mass = .*": "mass = 1",
        "inertia = .*": "inertia = 0.0",
        "rotation = .*": "rotation = [2.0, 1.0, 0.0, 0.0] }",
        "com = .*": "com = [1, 2, 3]",
    }
    for old, new in changes.items():
        changed = re.sub(old, new, text, count=1)
        assert changed != text
        assert _plain_model(changed) == _careful_model(changed, "a")


def _careful_bodies(text):
    return _careful_model(text, "a").bodies


@pytest.mark.parametrize(
    ("column", "wrong"),
    [
        ("mass", [-1.0, 1e999, True, "1"]),
        ("com", [[1.0, 2.0], [1.0, 2.0, 1e999], "abc"]),
        ("inertia", [[1.0, 1.0, 3.0], [-1.0, 1.0, 1.0]]),
        ("name", ["", "ground", 1]),
    ],
)
def test_a_wrong_entry_of_a_column_leaves_its_tables_to_be_read_one_by_one(column, wrong):
    tables = plain_data(model_to_toml(ht.library.chain(40)))["body"]
    assert parts_by_columns(ht.Body, tables) is not None
    for value in wrong:
        changed = [*tables[:20], tables[20] | {column: value}, *tables[21:]]
        assert parts_by_columns(ht.Body, changed) is None


def test_a_wrong_joint_leaves_its_tables_to_be_read_one_by_one():
    tables = plain_data(model_to_toml(ht.library.chain(40)))["joint"][1:]
    assert parts_by_columns(ht.Revolute, tables) is not None
    frame = tables[20]["on_parent"]
    for change in (
        {"child": tables[20]["parent"]},
        {"on_parent": frame | {"rotation": [1.0, 1e-7, 0.0, 0.0]}},
        {"on_parent": {"position": [0.0, 0.0, 0.0]}},
    ):
        changed = [*tables[:20], tables[20] | change, *tables[21:]]
        assert parts_by_columns(ht.Revolute, changed) is None
