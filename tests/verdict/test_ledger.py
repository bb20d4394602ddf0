"""The ledger of energy: what each element stores and did, against what runs record and against
formulas of their own.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.forces.inputs import Inputs
from hamiltree.model import FORCES
from hamiltree.verdict.ledger import make_ledger
from hamiltree.verdict.midpoints import poses_with_middles
from tests.forces.examples import EXAMPLES, articulated_model

pytestmark = pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
EXAMPLE_FILES = Path(__file__).parents[2] / "examples"
GRAVITY = (0.3, 0.0, -9.81)
FORMULATIONS = (
    "hamiltonian_tree",
    "hamiltonian_loops",
    "kane_relative",
    "kane_absolute",
    "cartesian_1",
    "cartesian_2",
    "cartesian_3",
    "cartesian_hamiltonian",
)
# the fourth order of the quadrature, but for stops, whose power has a kink
EXPECTED = {"joint_limit": 1e-6, "bushing": 1e-5}


def moving_model(*forces):
    speeds = {"elbow": {"qdot": 1.0}, "slide": {"qdot": -0.5}}
    return articulated_model(*forces, gravity=GRAVITY).with_(joints=speeds)


def set_values(model):
    """A value other than zero for every input."""
    inputs = Inputs(model)
    found = {}
    for name, part in inputs.parts.items():
        own = np.linspace(0.5, 2.0, inputs.places[name].stop - inputs.places[name].start)
        wrench = {"force": own[:3], "torque": own[3:]}
        found[name] = wrench if isinstance(part, ht.BodyInput) else own
    return found or None


def simulate(model, until=0.5, step=2e-3, formulation=None, **rest):
    return ht.simulate(
        model, until, step, formulation, inputs=set_values(model), progress=False, **rest
    )


def check_sums(run, bound):
    """Stored energies add up to V, works to the change of T, and what has no potential to the
    recorded work.
    """
    ledger = run.ledger()
    stored, work = ledger.stored.values, ledger.work.values
    recorded = run.potential_energy.values
    assert stored.sum(axis=1) == pytest.approx(recorded, abs=1e-13 * abs(stored).sum(1).max())
    beside = (work + stored - stored[0]).sum(axis=1)
    kinetic = run.kinetic_energy.values
    assert beside == pytest.approx(run.work.values, abs=bound * ledger.exchanged)
    assert work.sum(axis=1) == pytest.approx(kinetic - kinetic[0], abs=bound * ledger.exchanged)
    assert ledger.remainder.values == pytest.approx(kinetic - kinetic[0] - work.sum(axis=1))
    return ledger


@pytest.mark.parametrize("kind", FORCES)
def test_the_elements_add_up_to_what_the_run_recorded_for_every_kind_of_force(kind):
    for force in EXAMPLES[kind]:
        run = simulate(moving_model(force))
        ledger = check_sums(run, EXPECTED.get(kind, 1e-11))
        assert ledger.elements[0] == "gravity" and list(ledger.kinds.values())[1] == kind
        if force.has_only_potential:
            stored, work = (x.isel(element=1).values for x in (ledger.stored, ledger.work))
            assert np.array_equal(work, stored[0] - stored) and np.ptp(stored) > 0.0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_every_formulation_has_the_same_ledger(formulation):
    kinds = [
        "joint_spring",
        "joint_damper",
        "body_load",
        "point_spring",
        "drag",
        "joint_law",
        "torsion",
    ]
    model = moving_model(*(EXAMPLES[kind][0] for kind in kinds))
    run = simulate(model, 0.2, formulation=formulation, save_every=2)
    ledger = check_sums(run, 1e-8)
    wanted = simulate(model, 0.2, save_every=2).ledger()
    assert ledger.work.values == pytest.approx(wanted.work.values, abs=1e-7)


def test_the_remainder_is_of_the_fourth_order_of_the_spacing():
    model = moving_model(ht.JointDamper("elbow", 0.9), ht.Drag("hand", 0.4, 0.2))
    runs = [simulate(model, 0.64, 1e-2, save_every=every) for every in (4, 2, 1)]
    errors = [run.ledger().largest_remainder for run in runs]
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([4.0, 4.0], abs=0.4)


def test_poses_between_samples_are_those_of_the_run():
    model = ht.library.floating_tree(3, seed=2, joints=("revolute", "ball"))
    fine = ht.simulate(model, 0.4, 1e-2, save_every=1, progress=False)
    pose, twist = fine.poses.values, fine.twists.values
    found = poses_with_middles(fine.t.values[::2], pose[::2], twist[::2])
    sign = np.sign((found[0][..., 3:] * pose[..., 3:]).sum(axis=-1, keepdims=True))
    assert found[0][..., :3] == pytest.approx(pose[..., :3], abs=1e-6)
    assert sign * found[0][..., 3:] == pytest.approx(pose[..., 3:], abs=1e-6)
    assert found[1] == pytest.approx(twist, abs=2e-5 * abs(twist).max())


# ---- formulas of their own -----------------------------------------------------------------------
def damped_pendulum():
    hinge = ht.Revolute("hinge", "ground", "bob", axis=(0, 1, 0), q=1.2)
    body = ht.Body("bob", 2.0, (0.0, 0.0, -0.5), (0.1, 0.1, 0.1))
    spring = ht.JointSpring("hinge", 3.0, 0.2, name="spring")
    damper = ht.JointDamper("hinge", 0.4, name="damper")
    return ht.Model([body], [hinge], [spring, damper])


def test_a_damper_takes_the_integral_of_c_times_the_rate_squared():
    """∫ c θ̇² dt as one more variable of an ode of the pendulum; m g l = 9.81, J = 0.6."""
    formula = "a' = v; v' = (-9.81*sin(a) - 3*(a - 0.2) - 0.4*v)/0.6; w' = 0.4*v*v"
    ode = ht.ode(formula, y={"a": 1.2, "v": 0.0, "w": 0.0})
    rest = {"integrator": "gauss8", "save_every": 10, "progress": False}
    lost = ht.simulate(ode, 2.0, 1e-3, **rest).y.sel(variable="w").values
    run = ht.simulate(damped_pendulum(), 2.0, 1e-3, **rest)
    ledger = run.ledger()
    angle = run.q.values[:, 0]
    assert ledger.work.sel(element="damper").values == pytest.approx(-lost, abs=1e-6)
    dense = run.ledger(dense=True).work.sel(element="damper").values
    assert dense == pytest.approx(-lost, abs=1e-10)
    spring = ledger.stored.sel(element="spring").values
    assert spring == pytest.approx(1.5 * (angle - 0.2) ** 2, abs=1e-13)
    gravity = ledger.stored.sel(element="gravity").values
    assert gravity == pytest.approx(-9.81 * np.cos(angle), abs=1e-13)


def test_a_drive_lifts_what_it_turns():
    """At constant speed its work is the change of the potential energy, and what the damper
    takes.
    """
    drive = ht.Drive("hinge", speed=3.0, name="motor")
    model = damped_pendulum().with_(joints={"hinge": {"qdot": 3.0}}, constraints=[drive])
    ledger = ht.simulate(model, 1.0, 1e-3, progress=False).ledger()
    stored = ledger.stored.values.sum(axis=1)
    wanted = stored - stored[0] + 0.4 * 9.0 * ledger.dataset["t"].values
    assert ledger.work.sel(element="motor").values == pytest.approx(wanted, abs=1e-9)
    assert ledger.kinds["motor"] == "drive"


@pytest.mark.parametrize("formulation", ["hamiltonian_loops", "cartesian_3"])
def test_a_driven_crank_pays_for_what_the_others_take(formulation):
    model = ht.load(EXAMPLE_FILES / "slider_crank_driven.toml")
    run = ht.simulate(model, 0.4, 1e-3, formulation, progress=False)
    ledger = run.ledger()
    force = run.drive_force("motor").values
    by_force = np.concatenate([[0.0], np.cumsum((force[1:] + force[:-1]) * 15.0 * 5e-4)])
    motor = ledger.work.sel(element="motor").values
    assert motor == pytest.approx(by_force, abs=1e-3 * abs(by_force).max())
    assert ledger.largest_remainder < 1e-8 * ledger.exchanged and not ledger.notes


def test_a_drive_whose_force_is_not_known_has_what_others_leave():
    model = ht.load(EXAMPLE_FILES / "slider_crank_driven.toml")
    wanted = ht.simulate(model, 0.2, 1e-3, progress=False).ledger()
    geared = model.with_(joints={"crank_pivot": {"armature": 0.1}})
    found = ht.simulate(geared, 0.2, 1e-3, progress=False).ledger()
    assert found.work.values == pytest.approx(wanted.work.values, abs=1e-8)
    assert "work of motor: what other elements leave" in repr(found) and "armature" in repr(found)


def test_the_force_of_a_drive_is_not_solved_for_where_that_would_take_long(monkeypatch):
    run = ht.simulate(ht.library.strandbeest(1), 0.02, progress=False)
    wanted = run.ledger()
    monkeypatch.setattr("hamiltree.verdict.element_work.MOST_OPERATIONS", 1)
    found = run.ledger()
    assert "would take long" in repr(found) and "would take long" not in repr(wanted)
    assert found.work.values == pytest.approx(wanted.work.values, abs=1e-8 * wanted.exchanged)


@pytest.mark.parametrize("formulation", ["hamiltonian_loops", "cartesian_3"])
def test_forces_along_a_joint_that_closes_a_loop_are_in_the_ledger(formulation):
    model = ht.library.four_bar()
    (pin,) = model.closing
    forces = [ht.JointSpring(pin, 3.0), ht.JointDamper(pin, 0.3)]
    run = ht.simulate(model.with_(forces=forces), 0.5, 1e-3, formulation, progress=False)
    ledger = check_sums(run, 1e-6)
    assert ledger.work.isel(t=-1, element=2) < -1e-3


def led_pair(*names):
    """Two bodies that a spring-like force joins, some of them led."""
    particles = ht.Particles([(0.1, 0.0, 0.2), (-0.2, 0.1, 0.0)], masses=0.3)
    bodies = [ht.Body(x, 1.0, inertia=(0.2, 0.25, 0.3), particles=particles) for x in ("a", "b")]
    joints = [ht.Free(f"free {body.name}", "ground", body.name) for body in bodies]
    laws = {
        "a": ht.Motion("a", ("0.1*sin(3*t)", "0", "0"), ("0", "0.5*t", "0"), name="shaker"),
        "b": ht.Motion("b", ("1.2", "0.2*t*t", "0")),
    }
    joints[1] = ht.Free("free b", "ground", "b", q=(1.2, 0, 0, 1, 0, 0, 0))
    forces = [ht.PairForce(ht.Morse(2.0, 1.1, 0.9)), ht.Drag("b", 0.3)]
    motions = [laws[name] for name in names]
    return ht.Model(bodies, joints, forces, gravity=(0, 0, 0), constraints=motions)


def test_motions_do_the_work_that_the_run_recorded():
    """Of two motions each is solved for by itself; of one, what is left of the recorded work."""
    for names in (("a",), ("a", "b")):
        ledger = check_sums(ht.simulate(led_pair(*names), 0.1, 2e-3, progress=False), 1e-9)
        assert list(ledger.kinds.values())[2:] == ["motion"] * len(names)
        assert abs(ledger.work.sel(element="shaker").values[-1]) > 1e-4


def test_inputs_that_change_at_every_step_are_integrated_step_by_step():
    forces = [
        ht.JointInput("j1"),
        ht.JointActuator("j2", 5.0, stiffness=5.0, damping=0.5, effort=(-40.0, 40.0)),
        ht.BodyInput("b3", (0.1, 0.0, 0.2)),
    ]
    made = ht.simulator(ht.library.chain(3).with_(forces=forces), 1e-3)
    rng = np.random.default_rng(0)
    for _ in range(100):
        wrench = {"force": rng.normal(size=3), "torque": rng.normal(size=3)}
        made.set(inputs={"j1": rng.normal(), "j2": rng.normal(), "b3": wrench})
        made.step(2)
    run = made.trajectory()
    ledger = check_sums(run, 1e-8)
    given = run.inputs.sel(input_part="j1").values
    angle = run.q.sel(coordinate="j1").values
    exact = np.concatenate([[0.0], np.cumsum(given[:-1] * np.diff(angle))])
    assert ledger.work.sel(element="joint_input j1").values == pytest.approx(exact, abs=1e-9)


# ---- what a person sees --------------------------------------------------------------------------
def test_the_ledger_of_a_file_is_that_of_the_run(tmp_path):
    run = ht.simulate(damped_pendulum(), 0.5, 1e-3, progress=False)
    loaded = ht.Trajectory.load(run.save(tmp_path / "run.nc"))
    assert loaded.ledger().dataset.equals(run.ledger().dataset)


def test_the_table_lists_every_element_and_the_remainder():
    ledger = make_ledger(ht.simulate(damped_pendulum(), 0.5, 1e-3, progress=False))
    lines = repr(ledger).splitlines()
    names = ["element", "gravity", "spring", "damper", "kinetic energy", "remainder"]
    assert [line.partition("  ")[0] for line in lines] == names and ledger.seconds > 0.0
    short = ledger.table(most=1).splitlines()
    assert short[2].startswith("2 more") and len(short) == 5
    assert [row["element"] for row in ledger.rows()] == ledger.elements


def test_samples_that_are_too_far_apart_are_named_and_dense_ones_help():
    model = damped_pendulum()
    run = ht.simulate(model, 2.0, 1e-3, save_every=250, progress=False)
    coarse, dense = run.ledger(), run.ledger(dense=True)
    assert "dense=True" in repr(coarse) and not dense.notes
    assert dense.largest_remainder < 1e-8 * dense.exchanged < 1e-3 * coarse.largest_remainder
    assert np.array_equal(dense.dataset["t"], run.t)


def test_a_dense_ledger_of_an_adaptive_method_has_more_samples():
    run = ht.simulate(damped_pendulum(), 2.0, 0.1, integrator="dop853", progress=False)
    coarse, dense = run.ledger(), run.ledger(dense=True)
    assert dense.largest_remainder < 1e-2 * coarse.largest_remainder


def test_dense_refuses_inputs_that_changed():
    made = ht.simulator(
        damped_pendulum().with_(forces=[ht.JointInput("hinge")]), 1e-3, save_every=2
    )
    made.set(inputs={"hinge": 1.0})
    made.step(4)
    made.set(inputs={"hinge": 2.0})
    made.step(4)
    with pytest.raises(ht.OptionError, match=r"dense: its inputs were changed.*save_every=1"):
        made.trajectory().ledger(dense=True)


def test_the_page_on_the_ledger_runs_as_it_stands(capsys):
    page = (EXAMPLE_FILES.parent / "docs" / "ledger.md").read_text(encoding="utf-8")
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    printed = capsys.readouterr().out
    table = re.search(r"```text\n(.*?)```", page, re.DOTALL)[1]
    assert printed.splitlines()[:5] == table.splitlines()[:5]
    assert "angular momentum about x, y, z through the centre of mass" in printed


def test_other_problems_have_no_ledger():
    run = ht.simulate(
        ht.hamiltonian("p*p/2 + q*q/2", q={"q": 1.0}, p={"p": 0.0}), 0.1, 1e-2, progress=False
    )
    with pytest.raises(ht.OptionError, match="no force elements.*∂H/∂t alone"):
        run.ledger()
    run = ht.simulate(ht.ode("x' = -x", y={"x": 1.0}), 0.1, 1e-2, progress=False)
    with pytest.raises(ht.OptionError, match="an ode has no energy"):
        run.ledger()
