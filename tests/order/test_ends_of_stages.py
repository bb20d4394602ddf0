"""When the sweeps of implicit stages end: not while changes alternate, not at a start at zero."""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht


@pytest.mark.parametrize("method", ["gauss4", "gauss6"])
def test_changes_that_alternate_between_positions_and_momenta_end_no_sweeps(method):
    """A stiff oscillator beside a pendulum: by sweeps as by Newton's method."""
    H = ht.hamiltonian(
        "p1**2/2 - cos(q1) + p2**2/2 + k*(q2 - e*sin(q1))**2/2",
        parameters={"k": 1e4, "e": 1e-3},
    )
    runs = [
        ht.simulate(
            H,
            q={"q1": 1.0, "q2": 0.0},
            p={"p1": 0.0, "p2": 0.0},
            step=0.02,
            until=10.0,
            integrator=method,
            solver=solver,
            progress=False,
        )
        for solver in ("fixed_point", "newton")
    ]
    swept, solved = (run.q.values[:, 1] for run in runs)
    assert np.abs(swept - solved).max() < 1e-9 * np.abs(solved).max()


@pytest.mark.parametrize("angle", [0.0, 1e-14])
def test_a_start_at_zero_and_at_rest_converges_by_sweeps(angle):
    model = replace(ht.library.chain(10), gravity=(9.81, 0.0, 0.0))
    q = np.full(len(model.coordinates), angle)
    run = ht.simulate(
        model,
        q=q,
        qdot=0.0 * q,
        step=0.01,
        until=0.1,
        integrator="gauss6",
        solver="fixed_point",
        progress=False,
    )
    assert run.energy_error < 1e-9


def test_nodes_of_two_steps_that_nearly_coincide_make_no_large_guess():
    """Lobatto IIIA by coefficients of twenty digits: the third node is not quite one."""
    third, sixth = f"0.{'3' * 20}", f"0.1{'6' * 18}7"
    last = [sixth, f"0.{'6' * 19}7", sixth]
    a = [[0, 0, 0], [f"0.208{'3' * 17}", third, f"-0.041{'6' * 16}7"], last]
    method = ht.Tableau(a, [sixth, f"0.{'6' * 20}", sixth])
    model = ht.library.n_pendulum(2, angles=1.0)
    run = ht.simulate(model, step=0.01, until=2.0, integrator=method, progress=False)
    assert run.status == "complete" and run.statistics["calls"] < 9 * 200
