"""Where dampers and loads act, H changes by the work they do: the balance is what a run must
keep.
"""

import pytest

import hamiltree as ht
from hamiltree.model import library


def run(model, until, step, integrator="gauss8"):
    return ht.simulate(
        model, until=until, step=step, integrator=integrator, save_every=1, progress=False
    )


@pytest.mark.parametrize(
    ("method", "step", "bound"),
    [("gauss8", 1e-3, 1e-12), ("rk4", 1e-3, 1e-7), ("midpoint", 1e-3, 1e-4)],
)
def test_the_work_of_every_law_balances_the_energy(with_every_law, method, step, bound):
    model = with_every_law(
        library.tree(6, joints=("revolute", "prismatic", "screw", "weld"), seed=3)
    )
    done = run(model, 1.0, step, method)
    change = abs(done.energy.values - done.energy.values[0]).max()
    assert change > 1e-2 * float(done.kinetic_energy.max())
    assert done.energy_error < bound


def test_a_damped_run_with_a_step_that_is_too_long_has_a_large_error():
    model = library.n_pendulum(2, angles=(1.0, 2.0)).with_(forces=[ht.JointDamper("hinge1", 0.1)])
    assert (
        run(model, 20.0, 0.1, "rk4").energy_error
        > 1e-3
        > 1e-9
        > run(model, 20.0, 1e-3).energy_error
    )


def test_without_dampers_and_loads_no_work_is_done():
    model = library.n_pendulum(2, angles=0.3).with_(forces=[ht.JointSpring("hinge1", 3.0)])
    assert not run(model, 0.1, 1e-3).work.values.any()
