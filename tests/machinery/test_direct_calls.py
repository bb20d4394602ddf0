"""Direct calls: built-in functions that take no Python where all is as expected, leave everything
else to Python, and leave nothing behind.
"""

import copy
import gc
import importlib
import inspect
import sys
import threading
import weakref
from functools import partial
from types import BuiltinFunctionType

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.compiled import direct_calls, python_objects
from hamiltree.compiled.direct_calls import fallback_of
from tests.machinery.counted_calls import (
    MODEL,
    SERVICES,
    good_calls,
    leave,
    other_calls,
    state,
    without_memory,
)

pytestmark = pytest.mark.usefixtures("frozen_heap")
evaluation = importlib.import_module("hamiltree.algorithms.evaluation")
GOOD, OTHER = good_calls(), other_calls()


def python_functions(call):
    """Names of the Python functions that run during a call, itself left out."""
    found = []
    sys.setprofile(lambda frame, event, _: event == "call" and found.append(frame.f_code.co_name))
    try:
        call()
    finally:
        sys.setprofile(None)
    return [name for name in found if name not in ("<lambda>", call.__name__)]


def arguments_of(name):
    """The arguments of a service at a state."""
    q, u = state(MODEL)
    given = {"q": q, "u": u, "n": MODEL.bodies[-1].name}
    return [given[letter] for letter in SERVICES[name]]


def flat(answer):
    """Arrays of an answer, which may be one of them."""
    return [*answer] if isinstance(answer, tuple) else [answer]


@pytest.mark.parametrize("name", GOOD)
def test_what_is_expected_takes_no_python(name):
    GOOD[name]()  # the first call of a service binds it
    allowed = {"evaluate": ["evaluate"], "forces at a time": ["forces"]}
    assert python_functions(GOOD[name]) == allowed.get(name, [])


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_gives_what_its_method_gives_to_the_bit(name):
    d, given = ht.dynamics(MODEL), arguments_of(name)
    ask = getattr(d, name)
    for _ in range(2):  # before it is bound, and after
        found = ask(*given)
        checked = getattr(ht.dynamics(MODEL), name)(*[list_of(value) for value in given])
        assert type(found) is type(checked)
        for ours, theirs in zip(flat(found), flat(checked), strict=True):
            assert ours.shape == theirs.shape and ours.flags.c_contiguous
            assert ours.flags.writeable or not ours.shape  # a number is none
            np.testing.assert_array_equal(ours, theirs)


def list_of(value):
    return value.tolist() if isinstance(value, np.ndarray) else value


def test_parts_of_an_answer_keep_its_memory():
    found = ht.dynamics(MODEL).inverse_derivatives(*arguments_of("inverse_derivatives"))
    kept, third = found.third.copy(), found.third
    del found
    gc.collect()
    np.testing.assert_array_equal(third, kept)


@pytest.mark.parametrize("is_direct", [True, False])
@pytest.mark.parametrize("name", ["energies", "dissipated_power"])
def test_an_answer_of_one_number_is_a_number(name, is_direct):
    d = ht.dynamics(MODEL)
    q, u = arguments_of(name)
    getattr(d, name)(q, u)  # binds it
    ask = getattr(d, name) if is_direct else partial(getattr(type(d), name), d)
    one, many = flat(ask(q, u)), flat(ask(q[None], u[None]))
    assert isinstance(getattr(d, name), BuiltinFunctionType)
    assert all(isinstance(number, float) for number in one)
    assert [number.shape for number in many] == [(1,)] * len(one)
    assert one == [number[0] for number in many]
    by_list = flat(ask(list(q), list(u)))
    assert by_list == one and all(isinstance(number, float) for number in by_list)


# ---- out -----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def rates():
    """An evaluator, a state, and its rates."""
    f, (q, _) = ht.evaluator(MODEL), state(MODEL)
    p = np.linspace(0.1, 1.0, len(q))
    return f, q, p, f(q, p)


def test_rates_are_written_to_the_arrays_of_out(rates):
    f, q, p, expected = rates
    out = np.empty_like(q), np.empty_like(p)
    assert f(q, p, out=out) is out and f(q, p, out) is out
    np.testing.assert_array_equal(out, expected)
    assert ht.evaluate(MODEL, q, p, out=out) is out
    pair = f(q, p, [*out])
    assert pair[0] is out[0] and pair[1] is out[1]


def test_out_may_be_strided_of_many_states_or_the_state_itself(rates):
    f, q, p, expected = rates
    wide = np.zeros((2, len(q), 2))
    f(q, p, out=(wide[0, :, 0], wide[1, :, 1]))
    np.testing.assert_array_equal((wide[0, :, 0], wide[1, :, 1]), expected)
    many = np.empty((3, len(q))), np.empty((3, len(p)))
    f(np.tile(q, (3, 1)), np.tile(p, (3, 1)), out=many)
    np.testing.assert_array_equal(many[1], np.tile(expected[1], (3, 1)))
    own = q.copy(), p.copy()
    f(*own, out=own)
    np.testing.assert_array_equal(own, expected)


def halves_of(array, n):
    """The first n numbers and the last n."""
    return array[:n], array[-n:]


def test_arrays_of_out_may_lie_beside_each_other_or_between_each_other(rates):
    f, q, p, expected = rates
    n = len(q)
    beside, between = np.empty(2 * n), np.empty(2 * n)
    for out in (halves_of(beside, n), halves_of(beside, n)[::-1], (between[::2], between[1::2])):
        np.testing.assert_array_equal(f(q, p, out=out), expected)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (lambda q: (np.empty(2), np.empty_like(q)), r"out: qdot has shape \(2,\); expected"),
        (lambda q: (np.empty_like(q), np.empty((1, 2))), r"out: pdot has shape \(1, 2\)"),
        (lambda q: np.empty((2, len(q))), "out must be a pair of arrays of floats"),
        (lambda q: (np.empty_like(q),), "out must be a pair"),
        (lambda q: (np.empty_like(q), [0.0] * len(q)), "out must be a pair"),
        (lambda q: (np.empty_like(q), np.empty(len(q), "f4")), "out must be a pair"),
        (lambda q: (np.broadcast_to(0.0, q.shape), np.empty_like(q)), "that can be written to"),
        (lambda q: (q, q), "qdot and pdot share memory, so that one would overwrite the other"),
        (lambda q: halves_of(np.empty(2 * len(q) - 1), len(q)), "share memory"),
        (lambda q: halves_of(np.empty(2 * len(q) - 1), len(q))[::-1], "share memory"),
    ],
)
def test_what_rates_cannot_be_written_to_is_refused(rates, out, message):
    f, q, p, _ = rates
    with pytest.raises(ht.OptionError, match=message):
        f(q, p, out=out(q))


# ---- what is left to Python ----------------------------------------------------------------------
CALLS = [
    lambda f, q, p: f(q),
    lambda f, q, p: f(q, p, None, None),
    lambda f, q, p: f(q, p, into=None),
    lambda f, q, p: f(q[:-1], p),
    lambda f, q, p: f(q, p * np.nan),
    lambda f, q, p: f(q, np.array(p, dtype=complex)),
    lambda f, q, p: f(None, p),
    lambda f, q, p: f(q, "p"),
]


@pytest.mark.parametrize("call", CALLS)
def test_errors_are_those_of_the_python_function(rates, call, monkeypatch):
    f, q, p, _ = rates
    monkeypatch.setattr(evaluation, "is_available", lambda: False)
    errors = []
    for function in (f, ht.evaluator(MODEL)):
        with pytest.raises((ht.OptionError, TypeError)) as caught:
            call(function, q, p)
        errors.append(str(caught.value))
        assert "BoundEquations" not in errors[-1] and "<locals>" not in errors[-1]
    assert isinstance(f, BuiltinFunctionType)
    if isinstance(caught.value, ht.OptionError):
        assert errors[0] == errors[1]


@pytest.mark.parametrize("name", SERVICES)
def test_without_direct_calls_services_are_the_same(name, monkeypatch):
    for module in ("queries", "services"):
        monkeypatch.setattr(f"hamiltree.algorithms.{module}.is_available", lambda: False)
    d, given = ht.dynamics(MODEL), arguments_of(name)
    assert inspect.ismethod(getattr(d, name))
    expected = GOOD[name]()
    for ours, theirs in zip(flat(getattr(d, name)(*given)), flat(expected), strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("what", ["has_known_header", "has_known_fields", "is_interpreted"])
def test_on_another_python_there_are_no_direct_calls(what, monkeypatch):
    monkeypatch.setattr(python_objects, what, lambda: what == "is_interpreted")
    python_objects.interface.cache_clear()
    try:
        assert not direct_calls.is_available()
        assert inspect.isfunction(ht.evaluator(MODEL))
    finally:
        python_objects.interface.cache_clear()


def test_interpreted_services_are_those_that_are_compiled(python):
    text = (
        "import numpy as np, hamiltree as ht; m = ht.library.chain(2); x = np.array([0.3, -0.2]);"
        "d = ht.dynamics(m); out = np.empty(2), np.empty(2);"
        "print(*ht.evaluator(m)(x, x, out=out)[1], *d.bias(x, x), *d.energies(x, x), sep='\\n')"
    )
    found = [
        [*map(float, python("-c", text, NUMBA_DISABLE_JIT=switch).stdout.split())]
        for switch in ("0", "1")
    ]
    assert len(found[0]) == 6
    assert found[0] == pytest.approx(found[1], rel=1e-12)


# ---- arrays that are given again -----------------------------------------------------------------
HOLDS = {
    "all": lambda given: given,
    "one array": lambda given: flat(given)[-1],
    "a view": lambda given: flat(given)[0][1:],
    "its memory": lambda given: memoryview(flat(given)[0]),
}


@pytest.mark.parametrize("holds", HOLDS)
@pytest.mark.parametrize("name", ["evaluator", "solve", "mass_matrix"])
def test_what_a_caller_holds_is_not_written_again(name, holds):
    f = ht.evaluator(MODEL) if name == "evaluator" else getattr(ht.dynamics(MODEL), name)
    q, u = state(MODEL)
    others = [] if name == "mass_matrix" else [u]
    held, copies = [], []
    for k in range(7):
        given = f(q + 0.1 * k, *others)
        held.append(HOLDS[holds](given))
        copies.append([np.array(part) for part in flat(held[-1])])
        del given
        f(q - 0.1 * k, *others)  # nobody wants this
    for ours, copied in zip(held, copies, strict=True):
        for a, b in zip(flat(ours), copied, strict=True):
            np.testing.assert_array_equal(a, b)
    assert len({np.array(parts).tobytes() for parts in copies}) == len(copies)


@pytest.mark.parametrize("name", ["evaluator", "mass_matrix"])
def test_arrays_that_nobody_holds_are_given_again_if_they_are_as_they_were(name):
    f = ht.evaluator(MODEL) if name == "evaluator" else ht.dynamics(MODEL).mass_matrix
    q, u = state(MODEL)
    call = (lambda: f(q, u)) if name == "evaluator" else (lambda: f(q))
    call()
    expected = [part.copy() for part in flat(call())]
    places = {flat(call())[0].ctypes.data for _ in range(20)}
    assert len(places) <= direct_calls.SPARES
    for change in (lambda a: a.setflags(write=False), lambda a: setattr(a, "shape", (1, a.size))):
        for _ in range(3):
            change(flat(call())[0])
            for ours, theirs in zip(flat(call()), expected, strict=True):
                np.testing.assert_array_equal(ours, theirs)
                assert ours.flags.writeable


# ---- references and memory -----------------------------------------------------------------------
@pytest.mark.parametrize("name", GOOD)
def test_calls_leave_nothing_behind(name):
    left = leave(GOOD[name], 20_000, dtype=np.dtype(float))
    assert left.is_nothing, left


@pytest.mark.parametrize("name", OTHER)
def test_calls_that_are_handed_on_leave_nothing_behind(name):
    left = leave(OTHER[name], 500)
    assert left.is_nothing, left


@pytest.mark.parametrize("failing", [1, 2, None], ids=["first", "second", "pair"])
def test_an_evaluator_without_memory_asks_python_and_leaves_nothing_behind(rates, failing):
    f, q, p, expected = rates
    held = [f(q, p) for _ in range(direct_calls.SPARES)]  # so that arrays must be made
    with without_memory(f, failing):
        np.testing.assert_array_equal(f(q, p), expected)
        assert leave(lambda: f(q, p), 500).is_nothing
    assert len(held) == direct_calls.SPARES


@pytest.mark.parametrize("name", ["bias", "momentum", "twists", "energies"])
@pytest.mark.parametrize("failing", [1, 2, 3, None])
def test_a_service_without_memory_asks_python_and_leaves_nothing_behind(name, failing):
    ask, given = getattr(ht.dynamics(MODEL), name), arguments_of(name)
    expected = ask(*given)
    held = [expected, *(ask(*given) for _ in range(direct_calls.SPARES))]
    with without_memory(ask, failing):
        for ours, theirs in zip(flat(ask(*given)), flat(expected), strict=True):
            np.testing.assert_array_equal(ours, theirs)
        assert leave(lambda: ask(*given), 500).is_nothing
    assert len(held) > direct_calls.SPARES


def test_a_model_and_its_services_go_when_nobody_has_them():
    model = ht.library.chain(2)
    d, f = ht.dynamics(model), ht.evaluator(model)
    d.bias(np.zeros(2), np.zeros(2))
    ask = d.mass_matrix
    d.jacobian(np.zeros(2), model.bodies[0].name)
    kept, known = weakref.ref(d), weakref.ref(model)
    del d, model
    gc.collect()
    assert kept() is not None and ask(np.zeros(2)).shape == (2, 2)  # a method keeps its owner
    del ask
    gc.collect()
    assert kept() is None and known() is not None
    with pytest.raises(ht.OptionError, match="joint 'j2' is not finite"):
        f(np.zeros(2), np.array([0.0, np.nan]))
    del f
    gc.collect()
    assert known() is None


# ---- as objects ----------------------------------------------------------------------------------
def test_services_have_the_signatures_and_texts_of_their_methods():
    d = ht.dynamics(MODEL)
    for name in SERVICES:
        method = getattr(ht.algorithms.rigid_body.Dynamics, name)
        assert inspect.isfunction(method)
        parameters = list(inspect.signature(method).parameters)[1:]
        assert list(inspect.signature(getattr(d, name)).parameters) == parameters
        assert getattr(d, name).__doc__ == inspect.cleandoc(method.__doc__)
    assert list(inspect.signature(ht.evaluator(MODEL)).parameters) == ["q", "p", "out"]


def test_a_subclass_may_answer_otherwise():
    class Lighter(ht.algorithms.rigid_body.Dynamics):
        def gravity(self, q):
            return super().gravity(q) / 6.0

    q = state(MODEL)[0]
    for d in (lighter := Lighter(MODEL), lighter):
        np.testing.assert_array_equal(d.gravity(q), ht.dynamics(MODEL).gravity(q) / 6.0)
    assert isinstance(lighter.bias, BuiltinFunctionType)


def test_a_copy_answers_as_the_original_and_may_outlive_it():
    q = state(MODEL)[0]
    for copied in (copy.copy, copy.deepcopy):
        d = ht.dynamics(MODEL)
        ask = d.mass_matrix  # made, not yet bound
        other = copied(d)
        expected = other.mass_matrix(q)
        del d, ask
        gc.collect()
        np.testing.assert_array_equal(other.mass_matrix(q), expected)
        assert copied(other.mass_matrix) is other.mass_matrix


def test_threads_share_a_function(rates):
    f, q, p, expected = rates
    wrong = []

    def work(scale):
        own = f(q * scale, p)
        for _ in range(2000):
            found = f(q * scale, p)
            if not all(map(np.array_equal, found, own)):
                wrong.append(scale)

    threads = [threading.Thread(target=work, args=(1.0 + k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    np.testing.assert_array_equal(f(q, p), expected)


def test_the_fallback_is_the_method_itself():
    d = ht.dynamics(MODEL)
    assert fallback_of(d.solve).__func__ is ht.algorithms.rigid_body.Dynamics.solve
