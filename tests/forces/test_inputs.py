"""Inputs: what a simulator is told acts as a load of the same size would, in every formulation, and
its work is counted.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.files.toml import model_from_toml, model_to_toml
from hamiltree.forces.inputs import Inputs
from hamiltree.model import library, units
from hamiltree.model.bodies import GROUND

TREES = (
    "hamiltonian_tree",
    "kane_relative",
    "cartesian_1",
    "cartesian_2",
    "cartesian_3",
    "cartesian_hamiltonian",
    "kane_absolute",
)
CHAINS = ("free_bodies_quaternion", "free_bodies_rotation")
EFFORT = 0.7
FORCE, TORQUE, AT = (0.3, -0.4, 0.5), (0.02, 0.05, -0.03), (0.1, 0.0, -0.2)


def two_links(*forces):
    return library.chain(2).with_(forces=forces)


def floating(*forces):
    """A body that flies freely."""
    body = ht.Body("brick", 2.0, (0.0, 0.0, 0.0), ((0.3, 0, 0), (0, 0.4, 0), (0, 0, 0.5)))
    joint = ht.Free("base", GROUND, "brick", qdot=(0.1, 0, 0, 0.3, -0.2, 0.4))
    return ht.Model([body], [joint], forces, name="floating brick")


def run(model, formulation, inputs=None, until=0.05, **rest):
    return ht.simulate(
        model, until, 1e-3, formulation, progress=False, inputs=inputs, save_every=10, **rest
    )


MOTION = ("q", "qdot", "kinetic_energy", "pose", "twist")
QUADRATURE = 1e-11  # of work, J: an integral of power along a motion that is known to 1e-13


def assert_same(one, other, atol=0.0, names=(*MOTION, "work", "potential_energy")):
    for name in names:
        np.testing.assert_allclose(
            one.dataset[name], other.dataset[name], rtol=0, atol=atol, err_msg=name
        )


def assert_same_motion(one, other, atol):
    """What the one counts as work the other counts as loss of potential energy: a force that is
    constant in the world.
    """
    assert_same(one, other, atol, MOTION)
    released = [
        run.work.values - (run.potential_energy.values - run.potential_energy.values[0])
        for run in (one, other)
    ]
    np.testing.assert_allclose(*released, rtol=0, atol=QUADRATURE)
    assert abs(one.work.values - other.work.values).max() > 1e-4


# ---- the same as a constant load -----------------------------------------------------------------
@pytest.mark.parametrize("formulation", TREES)
def test_an_input_that_is_held_does_what_a_constant_effort_does(formulation):
    held = run(two_links(ht.JointInput("j2", name="motor")), formulation, {"motor": EFFORT})
    assert_same(held, run(two_links(ht.JointEffort("j2", EFFORT)), formulation))
    assert abs(held.work.values[-1]) > 1e-4


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("formulation", TREES)
def test_an_input_on_a_body_does_what_a_constant_load_does(formulation, axes):
    wrench = {"force": FORCE, "torque": TORQUE}
    held = run(two_links(ht.BodyInput("b2", AT, axes, name="push")), formulation, {"push": wrench})
    loaded = run(two_links(ht.BodyLoad("b2", FORCE, TORQUE, AT, axes)), formulation)
    (assert_same_motion if axes == "world" else assert_same)(held, loaded, 1e-13)
    assert abs(held.work.values[-1]) > 1e-4


@pytest.mark.parametrize("formulation", CHAINS)
def test_inputs_act_on_bodies_of_chains(formulation):
    wrench = {"force": FORCE, "torque": TORQUE}
    held = run(
        floating(ht.BodyInput("brick", AT, "body", name="push")), formulation, {"push": wrench}
    )
    assert_same(
        held, run(floating(ht.BodyLoad("brick", FORCE, TORQUE, AT, "body")), formulation), 1e-13
    )


@pytest.mark.parametrize("joint", ["tree", "closing"])
def test_inputs_act_along_the_joints_of_a_loop(joint):
    model = library.four_bar()
    name = model.coordinates[0] if joint == "tree" else model.closing[0]
    effort, held = (
        model.with_(forces=[*model.forces, force])
        for force in (ht.JointEffort(name, 0.1), ht.JointInput(name))
    )
    assert_same(
        run(held, "hamiltonian_loops", {name: 0.1}), run(effort, "hamiltonian_loops"), 1e-13
    )


def test_an_input_of_a_free_joint_is_a_force_along_each_axis_and_a_torque_in_the_childs_axes():
    """Along x, y, z of the ground and about the axes of the body: as a load in world axes and one
    in body axes.
    """
    by_joint = run(
        floating(ht.JointInput("base", name="jets")),
        "hamiltonian_tree",
        {"jets": (*FORCE, *TORQUE)},
    )
    loads = ht.BodyLoad("brick", FORCE), ht.BodyLoad("brick", torque=TORQUE, axes="body")
    assert_same_motion(by_joint, run(floating(*loads), "hamiltonian_tree"), 1e-13)


def test_an_input_of_a_joint_that_follows_another_acts_on_the_leader():
    tied = two_links().with_(couplings=[ht.Mimic("j2", "j1", -2.0)])
    held = run(tied.with_(forces=[ht.JointInput("j2")]), "hamiltonian_tree", {"j2": EFFORT})
    assert_same(
        held, run(tied.with_(forces=[ht.JointEffort("j2", EFFORT)]), "hamiltonian_tree"), 1e-14
    )


# ---- work, and the exact solution ----------------------------------------------------------------
def test_the_work_of_inputs_is_in_the_balance():
    model = two_links(ht.JointInput("j1", name="motor"), ht.BodyInput("b2", name="push"))
    sim = ht.simulator(model, step=1e-3)
    for k in range(200):
        sim.set(
            inputs={"motor": float(np.sin(0.1 * k)), "push": {"force": (np.cos(0.2 * k), 0.0, 1.0)}}
        )
        sim.step()
    done = sim.trajectory()
    assert done.t.size == 201 and np.ptp(done.energy.values) > 0.01
    assert done.energy_error < 1e-12


@pytest.mark.parametrize(
    "integrator", ["gauss8", "rk4", "stormer_verlet", "dop853", "dormand_prince5", "radau5"]
)
def test_a_slider_that_is_pushed_piece_by_piece_goes_where_it_must(integrator):
    """m v' = F_k over step k: v and x are sums, which every method of order two meets exactly.

    A slope of an earlier input shows.
    """
    mass, h, steps = 2.0, 0.01, 50
    slider = ht.Prismatic("rail", GROUND, "block", axis=(1, 0, 0))
    model = ht.Model([ht.Body("block", mass)], [slider], [ht.JointInput("rail")], name="block")
    sim, x, v = ht.simulator(model, step=h, integrator=integrator), 0.0, 0.0
    for k in range(steps):
        push = float(np.cos(k) * (1.0 + k % 3))
        sim.set(inputs={"rail": push})
        sim.step()
        x, v = x + h * v + 0.5 * h * h * push / mass, v + h * push / mass
    assert sim.state.q[0] == pytest.approx(x, abs=1e-13)
    assert sim.state.qdot[0] == pytest.approx(v, abs=1e-13)
    assert sim.state.t == pytest.approx(steps * h, rel=1e-14)


def test_reactions_know_the_inputs_of_every_sample():
    """An effort that switches sign: before and after, as with that effort constant."""
    model = two_links(ht.JointInput("j2"))
    sim = ht.simulator(model, step=1e-3)
    for value in (EFFORT, -EFFORT):
        sim.set(inputs={"j2": value})
        sim.step(5)
    done = sim.trajectory()
    found = done.reactions("j1")["force"].values
    for value, some in ((EFFORT, slice(0, 5)), (-EFFORT, slice(5, 11))):
        held = ht.Trajectory(
            done.dataset.drop_vars(["input", "input_part"]), two_links(ht.JointEffort("j2", value))
        )
        np.testing.assert_allclose(
            found[some], held.reactions("j1")["force"].values[some], rtol=1e-12
        )


# ---- names, files, units -------------------------------------------------------------------------
def test_inputs_are_zero_until_they_are_set():
    plain, with_input = two_links(), two_links(ht.JointInput("j1"))
    assert_same(run(with_input, None), run(plain, None))
    q, p = [0.3, 0.2], [0.1, -0.2]
    np.testing.assert_array_equal(ht.evaluate(with_input, q, p), ht.evaluate(plain, q, p))


def test_the_numbers_of_inputs_have_names():
    model = floating(ht.JointInput("base", name="jets"), ht.BodyInput("brick"))
    wrench = [f"brick.{part}" for part in ("fx", "fy", "fz", "tx", "ty", "tz")]
    assert Inputs(model).labels == [
        *(f"jets.{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz")),
        *wrench,
    ]


def test_two_inputs_of_one_name_are_refused():
    with pytest.raises(
        ht.ModelError, match="another input is called 'brick' too; give each a name"
    ):
        run(floating(ht.BodyInput("brick"), ht.BodyInput("brick", AT)), None)


def test_inputs_are_written_to_files_and_read_back():
    model = floating(
        ht.JointInput("base", name="jets"), ht.BodyInput("brick", AT, "body", name="push")
    )
    assert model_from_toml(model_to_toml(model)) == model


def test_a_model_without_units_keeps_its_inputs():
    nondimensionalise = units.nondimensionalise(
        floating(ht.BodyInput("brick", AT), ht.JointInput("base")), units.Units(length=2.0)
    )
    assert nondimensionalise.forces[0].at == (0.05, 0.0, -0.1)
    assert nondimensionalise.forces[1] == ht.JointInput("base")


def test_a_chain_refuses_an_input_along_a_joint_by_name():
    with pytest.raises(ht.FitError, match="'jets' is a joint_input, which acts along a joint"):
        run(floating(ht.JointInput("base", name="jets")), "free_bodies_quaternion")


def test_a_torque_on_a_body_that_a_chain_cannot_turn_is_refused():
    model = ht.Model(
        [ht.Body("grain", 1.0)],
        [ht.Free("base", GROUND, "grain")],
        [ht.BodyInput("grain")],
        name="grain",
    )
    sim = ht.simulator(model, step=1e-3, formulation="free_bodies_quaternion")
    with pytest.raises(
        ht.OptionError, match="input 'grain': body 'grain' has no inertia about some axis"
    ):
        sim.set(inputs={"grain": {"torque": (0.0, 0.0, 1.0)}})
    sim.set(inputs={"grain": {"force": (1.0, 0.0, 0.0)}})
    sim.step(100)
    assert sim.state.q[0] == pytest.approx(0.5 * 0.1**2, rel=1e-12)


def test_a_run_records_its_inputs_in_memory_and_in_a_file(tmp_path):
    model = two_links(ht.JointInput("j1", name="motor"))
    for rest in ({}, {"output": tmp_path / "run.nc"}):
        done = run(model, None, {"motor": 0.25}, **rest)
        assert done.inputs.dims == ("t", "input_part") and list(
            done.inputs["input_part"].values
        ) == ["motor"]
        assert (done.inputs.values == 0.25).all()
    with pytest.raises(ht.OptionError, match="this run has no inputs"):
        _ = run(two_links(), None).inputs
