"""Where dampers and loads act, H changes by the work they do: the balance is what a run must
keep.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import library
from hamiltree.rotations import rotation_matrix


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


# ---- a force that is constant in the world -------------------------------------------------------
PUSH = (0.7, -1.2, 2.0)
AT = (0.1, 0.3, -0.2)


def potential_of_push(done, body):
    """−F·x of the point AT, from the recorded poses."""
    pose = done.dataset["pose"].sel(body=body).values
    return -(pose[:, :3] + rotation_matrix(pose[:, 3:]) @ AT) @ PUSH


@pytest.mark.parametrize(
    "formulation",
    [
        "hamiltonian_tree",
        "hamiltonian_loops",
        "kane_relative",
        "kane_absolute",
        "cartesian_1",
        "cartesian_3",
        "cartesian_hamiltonian",
    ],
)
def test_a_constant_force_in_the_world_is_part_of_h(formulation):
    plain = library.tree(3, joints=("revolute", "prismatic"), seed=4)
    model = plain.with_(forces=[ht.BodyLoad("b3", PUSH, at=AT)], gravity=(0.0, 0.0, 0.0))
    done = ht.simulate(model, 1.0, 1e-3, formulation, save_every=50, progress=False)
    potential = potential_of_push(done, "b3")
    assert done.potential_energy.values == pytest.approx(potential, abs=1e-13)
    assert np.ptp(potential) > 1.0 and done.energy_error < 1e-8
    assert not done.work.values.any()


FREE = ["free_bodies_quaternion", "free_bodies_rotation"]


def pushed_pair(torque=(0.0, 0.0, 0.0), axes="world"):
    """Two bodies that a spring-like pair force holds together, one of them pushed off its
    centre.
    """
    particles = ht.Particles([(0.1, 0.0, 0.2), (-0.2, 0.1, 0.0), (0.0, -0.1, -0.1)], masses=0.3)
    bodies = [
        ht.Body(name, 1.0, (0.1, 0.02, 0.0), (0.2, 0.25, 0.3), particles=particles)
        for name in ("one", "two")
    ]
    joints = [
        ht.Free("first", "ground", "one", qdot=(0.2, 0.0, 0.3, 0.5, -0.4, 1.0)),
        ht.Free("second", "ground", "two", (1.2, 0.3, 0.0), qdot=(0.0, 0.1, 0.0, 0.3, 0.6, -0.2)),
    ]
    load = ht.BodyLoad("two", PUSH, torque, AT, axes)
    forces = [ht.PairForce(ht.Morse(2.0, 1.1, 0.9)), load]
    return ht.Model(bodies, joints, forces, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("torque", [(0.0, 0.0, 0.0), (0.1, 0.2, -0.3)])
@pytest.mark.parametrize("formulation", FREE)
def test_a_discrete_gradient_knows_a_constant_force_beside_pair_forces_and_a_torque(
    formulation, torque
):
    """H and work balance to rounding, and so does the linear momentum: it grows by F t."""
    model, rest = pushed_pair(torque), {"save_every": 25, "progress": False}
    found = ht.simulate(model, 1.0, 4e-3, formulation, "quat_em", **rest)
    wanted = ht.simulate(model, 1.0, 4e-3, "hamiltonian_tree", "gauss8", **rest)
    assert found.energy_error < 1e-12 and bool(found.work.values.any()) == any(torque)
    speed = [run.dataset["twist"].values[-1] for run in (found, wanted)]
    assert speed[0] == pytest.approx(speed[1], abs=2e-3)
    centres = [velocities_of_centres(found, k) for k in (0, -1)]
    assert (centres[1] - centres[0]).sum(axis=0) == pytest.approx(np.array(PUSH), abs=1e-12)


def velocities_of_centres(done, sample):
    """v + ω × R c of both bodies, mass 1."""
    pose, twist = (done.dataset[name].values[sample] for name in ("pose", "twist"))
    arm = rotation_matrix(pose[:, 3:]) @ (0.1, 0.02, 0.0)
    return twist[:, 3:] + np.cross(twist[:, :3], arm)


@pytest.mark.parametrize("integrator", ["gauss8", "splitting4", "rattle"])
def test_free_bodies_store_the_work_of_a_constant_force(integrator):
    formulation = FREE[integrator == "rattle"]
    done = ht.simulate(
        pushed_pair(), 1.0, 1e-3, formulation, integrator, save_every=50, progress=False
    )
    turned = ht.simulate(
        pushed_pair(axes="body"), 1.0, 1e-3, formulation, integrator, save_every=50, progress=False
    )
    assert not done.work.values.any() and turned.work.values.any()
    # in parts of the motion within the pair, which is half of the whole
    assert max(done.energy_error, turned.energy_error) < (1e-12 if integrator == "gauss8" else 2e-5)
