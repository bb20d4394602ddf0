"""Members of a study: grids, samples, seeds, and the dotted names of what varies."""

import math

import numpy as np
import pytest
from scipy.stats import kstest, qmc

import hamiltree as ht
from hamiltree.errors import OptionError
from hamiltree.problems.numbers import find_target, names_of, present_value, with_numbers
from hamiltree.studies.design import make_design
from hamiltree.studies.sampling import SAMPLERS, normal, uniform
from hamiltree.studies.sobol import MAX_DIMENSIONS, sobol_points


def test_sobol_points_are_those_of_another_implementation():
    ours = sobol_points(1024, MAX_DIMENSIONS, None)
    theirs = qmc.Sobol(MAX_DIMENSIONS, scramble=False, bits=52).random(1024)
    assert np.array_equal(ours, theirs)


def test_scrambled_points_stay_evenly_spread():
    """Any 2ᵏ consecutive points of a (0, m, 1) net have one in each interval of length 2⁻ᵏ."""
    points = sobol_points(256, 5, 7)
    assert qmc.discrepancy(points) < 0.1 * qmc.discrepancy(SAMPLERS["random"](256, 5, 7))
    for column in points.T:
        assert np.array_equal(np.sort(np.floor(256 * column)), np.arange(256))


def test_a_latin_hypercube_has_one_point_in_every_stratum():
    for column in SAMPLERS["latin_hypercube"](50, 3, 1).T:
        assert np.array_equal(np.sort(np.floor(50 * column)), np.arange(50))


@pytest.mark.parametrize("sampler", ["random", "sobol"])
def test_a_longer_study_begins_with_the_members_of_a_shorter_one(sampler):
    short, long = (SAMPLERS[sampler](count, 4, 3) for count in (10, 1000))
    assert np.array_equal(short, long[:10])
    assert not np.array_equal(short, SAMPLERS[sampler](10, 4, 4))


@pytest.mark.parametrize("sampler", list(SAMPLERS))
def test_distributions_have_their_moments(sampler):
    vary = {"a": normal(2.0, 0.5), "b": uniform(-1.0, 3.0)}
    columns = make_design(vary, 2000, sampler, 5).columns
    assert kstest(columns["a"], "norm", (2.0, 0.5)).pvalue > 0.01
    assert kstest(columns["b"], "uniform", (-1.0, 4.0)).pvalue > 0.01


def test_a_grid_times_samples_has_every_pair():
    design = make_design({"a": [1, 2, 3], "b": uniform(0, 1), "c": ["x", "y"]}, 4, "random", 0)
    assert design.axes == {"a": 3, "c": 2, "sample": 4}
    assert design.count == 24
    rows = list(zip(*(design.columns[name].tolist() for name in "acb"), strict=True))
    assert len(set(rows)) == 24
    assert [row[2] for row in rows[:4]] == [row[2] for row in rows[-4:]]


@pytest.mark.parametrize(
    ("vary", "members", "words"),
    [
        ({}, None, "nothing is varied"),
        ({"a": []}, None, "is empty"),
        ({"a": {"unifrom": [0, 1]}}, None, "did you mean 'uniform'"),
        ({"a": {"uniform": [1, 0]}}, None, "not below"),
        ({"a": {"normal": [0, -1]}}, None, "not above zero"),
        ({"a": {"grid": [0, 1]}}, None, "grid"),
        ({"a": [1, 2]}, 0, "members = 0"),
        ({"a": range(10**5), "b": range(10**5)}, None, "more than"),
        ({"a": [1]}, {"a": [1, 2]}, "leave one out"),
        (None, {"a": [1, 2], "b": [1]}, "different lengths"),
        (None, {"a": np.ma.array([1, 2], mask=[0, 1])}, "masked"),
        ({"a": {"uniform": [0, 1]}}, {"b": [1, 2]}, "is distributed"),
    ],
)
def test_members_that_make_no_sense_are_refused(vary, members, words):
    with pytest.raises(OptionError, match=words):
        make_design(vary, members, "random", 0)


def test_unknown_samplers_and_too_many_dimensions_are_refused():
    with pytest.raises(OptionError, match="sobol"):
        make_design({"a": uniform(0, 1)}, 3, "soboll", 0)
    many = {f"a{k}": uniform(0, 1) for k in range(MAX_DIMENSIONS + 1)}
    with pytest.raises(OptionError, match="latin_hypercube"):
        make_design(many, 3, "sobol", 0)


# ---- names ---------------------------------------------------------------------------------------
MODELS = {
    "chain": ht.library.chain(3),
    "four_bar": ht.library.build("four_bar"),
    "satellite": ht.library.build("satellite"),
    "sprung": ht.library.n_pendulum(2).with_(
        forces=[ht.JointSpring("hinge1", 3.0, name="spring"), ht.JointDamper("hinge2", 0.1)]
    ),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_every_number_of_a_model_can_be_changed_and_nothing_else_is(name):
    """A change by a few parts in a thousand is accepted or refused by the model itself; where it is
    accepted, the number is the new one, and that of the old model is the old one.
    """
    model, changed = MODELS[name], 0
    for label, target in names_of(model):
        if target.kind == "start":
            continue
        assert find_target(model, label, [], []) == target
        before = present_value(model, target)
        value = before * 1.001 if before else 0.01
        try:
            other = with_numbers(model, {target: value})
        except ht.ModelError:
            continue  # a rotation that is no unit quaternion, an impossible inertia
        changed += 1
        # made to length one again
        is_scaled = any(word in label for word in ("axis", "rotation", ".q."))
        assert is_scaled or math.isclose(present_value(other, target), value, rel_tol=1e-15)
        assert present_value(model, target) == before
        if not is_scaled:
            assert with_numbers(other, {target: before}) == model
    assert changed > 10


def test_forces_without_a_name_go_by_their_place():
    model = MODELS["sprung"]
    assert present_value(model, find_target(model, "forces.spring.stiffness", [], [])) == 3.0
    assert present_value(model, find_target(model, "forces.2.damping", [], [])) == 0.1


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bodies.rod1.mas", "bodies.rod1.mass"),
        ("q.hinge3", "q.hinge"),
        ("forces.sprin.stiffness", "forces.spring.stiffness"),
        ("integrater", "integrator"),
        ("gravity.w", "gravity"),
    ],
)
def test_a_number_that_does_not_exist_is_refused_with_the_nearest(typed, meant):
    with pytest.raises(OptionError, match="did you mean") as refused:
        find_target(MODELS["sprung"], typed, [], [])
    assert meant in str(refused.value)


def test_gravity_is_scaled_along_its_direction():
    model = MODELS["chain"].with_(gravity=(3.0, 0.0, -4.0))
    moon = with_numbers(model, {find_target(model, "gravity", [], []): 1.0})
    assert np.allclose(moon.gravity, (0.6, 0.0, -0.8), rtol=1e-15)
