"""evaluate: (q̇, ṗ) for one state or many, whatever they come in."""

import gc
import importlib
import pickle

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import library

module = importlib.import_module("hamiltree.algorithms.evaluation")
evaluate, evaluator = module.evaluate, module.evaluator


@pytest.fixture(scope="module")
def model(with_every_law):
    return with_every_law(
        library.tree(12, joints=("revolute", "prismatic", "screw", "weld"), seed=3)
    )


@pytest.fixture(scope="module")
def states(model):
    """A thousand states: q, p."""
    return np.random.default_rng(5).normal(size=(2, 1000, len(model.coordinates)))


@pytest.fixture(scope="module")
def expected(model, states):
    """State by state."""
    rows = [evaluate(model, q, p) for q, p in zip(*states, strict=True)]
    return np.array([qdot for qdot, _ in rows]), np.array([pdot for _, pdot in rows])


@pytest.mark.parametrize("k", [1, 3, 4, 5, 1000])
def test_many_states_are_one_state_many_times_to_the_bit(model, states, expected, k):
    qdot, pdot = evaluate(model, states[0, :k], states[1, :k])
    assert qdot.shape == pdot.shape == (k, len(model.coordinates))
    np.testing.assert_array_equal(qdot, expected[0][:k])
    np.testing.assert_array_equal(pdot, expected[1][:k])


def test_a_state_is_not_disturbed_by_its_neighbours(model, states, expected):
    """The lanes past the last state repeat it, whatever was there before."""
    f = evaluator(model)
    f(states[0, :4] * 1e6, states[1, :4] * 1e6)
    np.testing.assert_array_equal(f(states[0, :1], states[1, :1])[1], expected[1][:1])


def test_no_states_give_no_rates(model):
    empty = np.zeros((0, len(model.coordinates)))
    assert [rates.shape for rates in evaluate(model, empty, empty)] == [empty.shape, empty.shape]


def test_the_rates_are_those_of_the_verbs(model, states, expected, bind):
    qdot, pdot = bind(model).rates(states[0, 7], states[1, 7])
    np.testing.assert_array_equal(qdot, expected[0][7])
    np.testing.assert_array_equal(pdot, expected[1][7])


@pytest.mark.parametrize(
    "given",
    [
        lambda x: x.tolist(),
        lambda x: tuple(x),
        lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
        lambda x: x[..., ::-1].copy()[..., ::-1],
        lambda x: np.asfortranarray(x),
        lambda x: x.astype(">f8"),
        lambda x: x.astype(np.longdouble),
        lambda x: x.astype(object),
        lambda x: pickle.loads(pickle.dumps(x)),
        lambda x: np.frombuffer(b"." + x.tobytes(), offset=1).reshape(x.shape),
    ],
    ids=[
        "list",
        "tuple",
        "strided",
        "reversed",
        "fortran",
        "big-endian",
        "longdouble",
        "object",
        "unpickled",
        "unaligned",
    ],
)
@pytest.mark.parametrize("rows", [3, slice(0, 6)], ids=["one", "six"])
def test_the_form_of_the_input_changes_no_bit(model, states, expected, rows, given):
    qdot, pdot = evaluate(model, given(states[0, rows]), given(states[1, rows]))
    np.testing.assert_array_equal(qdot, expected[0][rows])
    np.testing.assert_array_equal(pdot, expected[1][rows])


@pytest.mark.parametrize("kind", [np.float32, np.float16, int, np.int8, bool])
@pytest.mark.parametrize("rows", [3, slice(0, 6)], ids=["one", "six"])
def test_other_numbers_mean_the_same_values_as_floats(model, states, rows, kind):
    q, p = (3 * states[:, rows]).astype(kind)
    for got, wanted in zip(
        evaluate(model, q, p), evaluate(model, q.astype(float), p.astype(float)), strict=True
    ):
        assert got.dtype == float
        np.testing.assert_array_equal(got, wanted)


def test_inputs_are_left_alone_and_results_are_the_caller_s_own(model, states):
    q, p = states[:, 3].copy()
    q.flags.writeable = p.flags.writeable = False
    first = evaluate(model, q, p)
    kept = [rates.copy() for rates in first]
    evaluate(model, states[0, 4], states[1, 4])
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal((q, p), states[:, 3])


@pytest.mark.parametrize(
    ("q", "p", "message"),
    [
        (
            np.zeros(2),
            np.zeros(3),
            (
                r"q has shape \(2,\); expected \(3,\) or \(states, 3\), "
                r"in the order hinge1, hinge2, hinge3"
            ),
        ),
        (np.zeros(3), np.zeros((4, 2)), r"p has shape \(4, 2\); expected \(3,\)"),
        (np.zeros((2, 4, 3)), np.zeros((2, 4, 3)), r"q has shape \(2, 4, 3\)"),
        (
            np.zeros(3),
            np.zeros((4, 3)),
            r"q has shape \(3,\) and p has shape \(4, 3\); give as many states",
        ),
        (np.zeros((5, 3)), np.zeros((4, 3)), r"q has shape \(5, 3\) and p has shape \(4, 3\)"),
        (0.0, np.zeros(3), r"q has shape \(\); expected"),
        ({"hinge1": 0.0}, np.zeros(3), "q must be numbers"),
        (
            np.zeros(3),
            np.ma.array([0.0, 1.0, 2.0], mask=[0, 1, 0]),
            "p has numbers that are masked",
        ),
        (np.zeros(3), ["a", "b", "c"], "p must be numbers"),
        ([[0.0, 0.0, 0.0], [0.0]], np.zeros((2, 3)), "q must be numbers"),
        (np.zeros(3), [0.0, np.nan, 0.0], "p of joint 'hinge2' is not finite"),
        (
            [[0.0, 0.0, 0.0], [0.0, 0.0, np.inf]],
            np.zeros((2, 3)),
            "q of joint 'hinge3' is not finite in state 1",
        ),
    ],
)
def test_what_is_no_state_is_refused_by_name(q, p, message):
    with pytest.raises(ht.OptionError, match=message):
        evaluate(library.n_pendulum(3), q, p)


def test_an_unknown_formulation_is_refused():
    with pytest.raises(ht.OptionError, match="unknown formulation 'kane'"):
        evaluator(library.pendulum(), formulation="kane")


def test_an_evaluator_is_made_once_for_a_model_and_dropped_with_it():
    before = len(module.EVALUATORS)
    model = library.chain(3)
    evaluate(model, np.zeros(3), np.zeros(3))
    key = id(model)
    bound = module.EVALUATORS[key]
    evaluate(model, np.ones(3), np.ones(3))
    assert module.EVALUATORS[key] is bound
    assert len(module.EVALUATORS) == before + 1
    del model
    gc.collect()
    assert key not in module.EVALUATORS


def test_a_new_model_never_meets_the_evaluator_of_an_old_one():
    """Python gives the address of a dropped model to the next one."""
    for n in (1, 2, 3, 2, 1):
        assert evaluate(library.chain(n), np.zeros(n), np.ones(n))[0].shape == (n,)


def test_a_model_without_coordinates_has_no_rates():
    model = ht.Model(bodies=[ht.Body("a", 1.0)], joints=[ht.Weld("w", "ground", "a")])
    assert [rates.shape for rates in evaluate(model, [], [])] == [(0,), (0,)]


def test_the_rates_of_kane_relative_are_speeds_and_their_derivatives():
    model = ht.library.tree(4, 2, 3, ("revolute", "ball", "universal"))
    q, u = model.start()
    qdot, udot = ht.evaluator(model, "kane_relative")(q, u)
    assert udot == pytest.approx(ht.dynamics(model).forward_dynamics(q, u), rel=1e-11)
    many = ht.evaluator(model, "kane_relative")(np.tile(q, (5, 1)), np.tile(u, (5, 1)))
    assert np.array_equal(many[0], np.tile(qdot, (5, 1))) and many[1] == pytest.approx(
        np.tile(udot, (5, 1)), rel=1e-13
    )
    with pytest.raises(ht.OptionError, match=rf"p has shape .*in the order {model.speeds[0]}"):
        ht.evaluator(model, "kane_relative")(q, np.zeros(len(u) + 1))


def test_the_parts_of_a_state_in_absolute_coordinates_are_named_by_bodies():
    model = ht.library.spatial_slider_crank()
    f = ht.evaluator(model, "cartesian_3")
    bodies = ", ".join(body.name for body in model.bodies)
    with pytest.raises(ht.OptionError, match=f"q has shape .*in the order {bodies}"):
        f(np.zeros(3), np.zeros(3))
    with pytest.raises(ht.OptionError, match="count the turns of angles from state to state"):
        ht.evaluator(model.with_(forces=[ht.JointSpring(model.joints[0].name, 1.0)]), "cartesian_3")
    with pytest.raises(ht.OptionError, match="its equations have constraints"):
        ht.evaluator(model, "hamiltonian_loops")
