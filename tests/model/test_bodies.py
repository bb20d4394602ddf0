"""Bodies: what is legal, what is refused, and where mass properties come from."""

import math
import sys

import numpy as np
import pytest

from hamiltree.errors import ModelError, OptionError
from hamiltree.model import Body, Box, Frame, MassProperties, Sphere
from hamiltree.model.values import ZERO_MATRIX


def test_all_forms_of_inertia_give_the_same_tensor():
    forms = [
        2,
        2.0,
        (2, 2, 2),
        [2, 0, 0, 2, 0, 2],
        2 * np.eye(3),
        np.float64(2),
        np.array([2, 2, 2]),
    ]
    assert {Body("a", 1, inertia=form).inertia for form in forms} == {
        ((2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.0))
    }


def test_six_values_are_read_by_rows():
    assert Body("a", 1, inertia=(3, 0.1, 0.2, 4, 0.3, 5)).inertia == (
        (3.0, 0.1, 0.2),
        (0.1, 4.0, 0.3),
        (0.2, 0.3, 5.0),
    )


def test_point_masses_share_one_zero():
    assert Body("a", 1).inertia is Body("b", 2, inertia=np.zeros((3, 3))).inertia is ZERO_MATRIX


def turned(moments, seed):
    rotation = Frame(rotation=np.random.default_rng(seed).normal(size=4)).matrix
    return rotation @ np.diag(moments) @ rotation.T


@pytest.mark.parametrize(
    "moments",
    [(0, 0, 0), (1, 1, 0), (1, 2, 3), (1, 1, 2), (0.3, 0.4, 0.5)],
    ids=["point", "rod", "lamina", "disc", "solid"],
)
@pytest.mark.parametrize("size", [1e-30, 1e-6, 1, 1e12, 1e200])
def test_points_rods_laminae_and_solids_are_legal_in_any_direction_and_size(moments, size):
    for seed in range(20):
        tensor = turned(np.array(moments) * size, seed)
        assert np.allclose(
            Body("a", 1, inertia=tensor).inertia, tensor, rtol=1e-15, atol=1e-15 * size
        )


@pytest.mark.parametrize(
    "moments",
    [(1, 1, 2.0001), (0, 0, 1), (-1, 1, 1), (-1, -1, -1), (1, 1, 2 + 1e-9), (1, 1, -1e-9)],
)
@pytest.mark.parametrize("size", [1e-30, 1, 1e200])
def test_an_impossible_inertia_is_refused_in_any_direction_and_size(moments, size):
    for seed in range(20):
        with pytest.raises(ModelError, match="body 'a': inertia = .*(eigenvalue|principal)"):
            Body("a", 1, inertia=turned(np.array(moments) * size, seed))


def test_the_quick_test_never_contradicts_the_eigenvalues():
    rng = np.random.default_rng(0)
    for _ in range(2000):
        tensor = turned(rng.uniform(0, 1, 3), rng.integers(10**6))
        least, middle, largest = np.linalg.eigvalsh(tensor)
        if abs(least + middle - largest) < 1e-9:
            continue
        try:
            Body("a", 1, inertia=tensor)
            accepted = True
        except ModelError:
            accepted = False
        assert accepted == (least + middle > largest)


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("mass", {"mass": -1}),
        ("mass", {"mass": math.nan}),
        ("mass", {"mass": "1"}),
        ("mass", {"mass": True}),
        ("mass", {"mass": math.inf}),
        ("inertia", {"mass": 0, "inertia": 1}),
        ("inertia", {"inertia": math.nan}),
        ("inertia", {"inertia": (1, 2)}),
        ("inertia", {"inertia": "big"}),
        ("inertia", {"inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}),
        ("inertia", {"inertia": None}),
        ("com", {"com": (0, 0)}),
        ("com", {"com": (0, 0, math.inf)}),
        ("com", {"com": 3}),
        ("visuals", {"visuals": ["box"]}),
        ("visuals", {"visuals": 3}),
    ],
)
def test_an_impossible_body_is_refused_by_name_and_field(field, changes):
    with pytest.raises(ModelError, match=f"body 'upper': {field} = ") as caught:
        Body(**{"name": "upper", "mass": 1, **changes})
    assert caught.value.part == ("body", "upper") and caught.value.field == field


@pytest.mark.parametrize("name", ["", 3, None, "ground", "\ud800"])
def test_a_body_needs_a_name_of_its_own(name):
    with pytest.raises(ModelError, match="name = ") as caught:
        Body(name)
    assert caught.value.field == "name"


def test_bodies_are_hashable_and_compare_exactly():
    assert Body("a", 1, (0, 0, 1), 2) == Body("a", 1.0, [0, 0, 1], np.eye(3) * 2)
    assert len({Body("a", 1), Body("a", 1.0), Body("a", 1 + 1e-15)}) == 2


def test_a_solid_shares_its_mass_by_volume_and_keeps_its_shapes():
    small, large = Box((1, 1, 1), frame=(0, 0, 2)), Box((1, 1, 3))
    body = Body.solid("a", small, large, mass=8)
    assert (
        body.mass == pytest.approx(8)
        and body.com == pytest.approx((0, 0, 0.5))
        and body.visuals == (small, large)
    )
    assert np.allclose(body.inertia, Body.solid("a", small, large, density=2).inertia)


def test_a_pair_gives_a_shape_its_own_mass():
    body = Body.solid("a", (Sphere(1, frame=(1, 0, 0)), 3), (Sphere(1, frame=(-1, 0, 0)), 1))
    assert body.mass == 4 and body.com == pytest.approx((0.5, 0, 0))
    assert Body.solid("a", (Sphere(1), 3), Box((1, 1, 1)), density=2).mass == pytest.approx(5)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Body.solid("a", Sphere(1)),
        lambda: Body.solid("a", Sphere(1), mass=1, density=1),
        lambda: Body.solid("a", (Sphere(1), 1), mass=1),
        lambda: Body.solid("a", "box", mass=1),
        lambda: Body.solid("a", Sphere(1), mass=-1),
        lambda: Body.solid("a", (Sphere(1), "1")),
    ],
)
def test_a_solid_without_a_clear_mass_is_refused(make):
    with pytest.raises(ModelError, match="body 'a': "):
        make()


def test_a_body_made_of_bodies_and_mass_properties_adds_them_up():
    first = Body.solid("x", Sphere(1, frame=(0, 0, 1)), mass=1)
    whole = Body.from_parts("both", [first, MassProperties(1, (0, 0, -1))])
    assert whole.mass == 2 and whole.com == (0, 0, 0) and whole.visuals == first.visuals
    assert np.allclose(np.diag(whole.inertia), [2.4, 2.4, 0.4])
    for parts in ([], [3]):
        with pytest.raises(OptionError, match="body 'both': "):
            Body.from_parts("both", parts)


def test_a_body_has_no_dictionary():
    assert not hasattr(Body("a"), "__dict__") and sys.getsizeof(Body("a")) < 100
