"""A matrix of Newton's method that would fill the memory is refused before it is made, with what
was computed so far.
"""

import tracemalloc

import numpy as np
import pytest

from hamiltree import FitError, StepError, hamiltonian, library, simulate, simulator
from hamiltree.errors import call_for_shell
from hamiltree.integrators import find_integrator, newton

# sweeps converge at first, and not when t nears 1
HARDENING = hamiltonian("p**2/2 + (1 + 400*t**2)*q**2/2", q={"q": 1.0}, p={"p": 0.0})
RUN = {"until": 3.0, "step": 0.1, "integrator": "gauss4"}


@pytest.fixture
def no_room(monkeypatch):
    """Room for no matrix of the small problems here."""
    monkeypatch.setattr(newton, "MEMORY_FRACTION", 1e-12)


def test_a_run_that_needs_too_large_a_matrix_keeps_what_it_has(no_room):
    with pytest.raises(
        StepError,
        match=r"gauss4 converges too slowly.*matrix of 4 unknowns.*GiB.*solver='fixed_point'",
    ) as caught:
        simulate(HARDENING, **RUN)
    kept = caught.value.trajectory
    assert 2 < len(kept.t) < 31
    assert kept.t[-1] == pytest.approx(0.1 * (len(kept.t) - 1))
    assert "step of 0.01" in str(caught.value)


def test_a_shell_is_told_the_option_as_it_is_typed_there(no_room):
    with pytest.raises(StepError, match="or --option solver=fixed_point, which goes on"):
        call_for_shell(simulate, problem=HARDENING, **RUN)


def test_the_kept_part_is_that_of_a_run_with_room(no_room, monkeypatch):
    with pytest.raises(StepError) as caught:
        simulate(HARDENING, **RUN)
    monkeypatch.undo()
    kept, whole = caught.value.trajectory, simulate(HARDENING, **RUN)
    np.testing.assert_array_equal(kept.q, whole.q[: len(kept.t)])


def test_steps_by_hand_are_refused_too_and_go_on_afterwards(no_room, monkeypatch):
    stepped = simulator(HARDENING, step=0.1, integrator="gauss4")
    with pytest.raises(StepError, match="matrix of 4 unknowns"):
        stepped.step(30)
    t = stepped.state.t
    monkeypatch.undo()
    stepped.step(1)
    assert stepped.state.t == pytest.approx(t + 0.1)


def test_an_event_that_is_located_is_refused_too(no_room):
    with pytest.raises(StepError, match="matrix of 4 unknowns"):
        simulate(HARDENING, **RUN, sections=["q"])


@pytest.mark.parametrize(
    ("name", "options"),
    [("gauss4", {"solver": "newton"}), ("discrete_gradient", {"solver": "newton"}), ("radau5", {})],
)
def test_a_matrix_that_is_needed_from_the_start_is_refused_at_the_start(no_room, name, options):
    with pytest.raises(FitError, match=r"matrix of \d unknowns.*dop853"):
        simulate(HARDENING, **{**RUN, "integrator": name}, **options)


def test_generalised_alpha_is_refused_at_the_start(no_room):
    with pytest.raises(FitError, match=r"matrix of \d+ unknowns"):
        simulate(library.four_bar(), until=0.1, integrator="generalised_alpha")


@pytest.mark.parametrize(("name", "unknowns"), [("radau5", "600000"), ("gauss8", "800000")])
def test_the_matrix_of_a_long_chain_is_refused_without_being_made(name, unknowns):
    """10⁵ hinges; the numbers of the state itself are a few megabytes."""
    integrator, y = find_integrator(name), np.zeros(200_000)
    integrator = integrator.with_options({"solver": "newton"} if name == "gauss8" else {})
    tracemalloc.start()
    with pytest.raises(FitError, match=rf"matrix of {unknowns} unknowns: [\d.e+]+ GiB"):
        integrator.initial_state(y, integrator.method)
    assert tracemalloc.get_traced_memory()[1] < 1e8
    tracemalloc.stop()


def test_a_long_chain_is_refused_by_simulate():
    with pytest.raises(FitError, match="matrix of 240000 unknowns"):
        simulate(library.chain(40_000), until=0.1, integrator="radau5", progress=False)


def test_there_is_room_for_ordinary_models():
    assert newton.memory_shortage(2_000, 8_000) == ""
