"""Rigid-body algorithms of mechanisms: forward and inverse dynamics with constraint forces, drives,
the mass matrix on the manifold of the constraints, the inertia of points; each against another
computation.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import hamiltree as ht
from hamiltree.errors import FitError, OptionError
from tests.agreement import mechanisms
from tests.agreement.pinocchio_trees import Peer

error = mechanisms.error
library = ht.library


def library_start(name, **options):
    model = getattr(library, name)(**options)
    return model, *model.start()


def random_start(bodies, branching, seed, kinds, has_laws=False):
    model, q, u = mechanisms.random_mechanism(bodies, branching, seed, kinds)
    return (mechanisms.with_laws(model, seed) if has_laws else model), q, u


CASES = {
    "four_bar": lambda: library_start("four_bar"),
    "andrews": lambda: library_start("andrews"),
    "bricard": lambda: library_start("bricard"),
    "stewart": lambda: library_start("stewart"),
    "governor": lambda: library_start("governor"),
    "double_wishbone": lambda: library_start("double_wishbone"),
    "spatial_slider_crank": lambda: library_start("spatial_slider_crank"),
    "ball and plane": lambda: random_start(5, 2, 0, ("point_in_plane", "ball")),
    "revolute with laws": lambda: random_start(6, 1, 1, ("revolute",), True),
    "rod with laws": lambda: random_start(7, 2, 2, ("coincident", "parallel_axes", "rod"), True),
    "screw with laws": lambda: random_start(8, 3, 3, ("point_on_line", "screw"), True),
    "cylinders with laws": lambda: random_start(8, 2, 5, ("cylindrical", "universal"), True),
}


@cache
def case(name):
    model, q, u = CASES[name]()
    return ht.dynamics(model), q, u


def bar(name, length, mass=1.0):
    inertia = mass * length**2 / 12.0
    return ht.Body(name, mass, (length / 2.0, 0.0, 0.0), (1e-3, inertia, inertia))


def four_bar_with_a_spinning_coupler():
    """The point that closes it is on a body that turns about the axis of the coupler: which of its
    three rows is redundant depends on q.
    """
    along_y = {"axis": (0.0, -1.0, 0.0)}
    joints = [
        ht.Revolute("crank", "ground", "a", q=1.2, qdot=2.0, **along_y),
        ht.Revolute("pin", "a", "b", ht.Frame((0.5, 0.0, 0.0)), q=-1.0, **along_y),
        ht.Revolute("spin", "b", "s", axis=(1.0, 0.0, 0.0), qdot=3.0),
        ht.Revolute("rocker", "ground", "c", ht.Frame((1.0, 0.0, 0.0)), q=1.4, **along_y),
    ]
    bodies = [bar("a", 0.5), bar("b", 1.1), bar("s", 1.0), bar("c", 0.8)]
    close = ht.Coincident("s", "c", (1.1, 0.0, 0.0), (0.8, 0.0, 0.0), name="close")
    return ht.assemble(ht.Model(bodies, joints, constraints=[close]))


def accelerations_of_bodies(d, q, u, a):
    """(bodies, 6): ω̇ in body axes and the acceleration of the centre of mass."""
    found = []
    for body in d.model.bodies:
        at = tuple(body.com)
        six = d.jacobian(q, body.name, at) @ a + d.jacobian_rate(q, u, body.name, at) @ u
        turn = ht.rotations.rotation_matrix(d.pose(q, body.name)[3:])
        found.append(np.concatenate([turn.T @ six[:3], six[3:]]))
    return np.array(found)


def by_cartesian(model, q, u, t=0.0):
    found = ht.accelerations(model, q, u, t=t)
    return np.hstack([found.angular_acceleration.values, found.acceleration.values])


# ---- forward dynamics ----------------------------------------------------------------------------
@pytest.mark.parametrize("name", CASES)
def test_accelerations_are_those_of_absolute_coordinates(name):
    d, q, u = case(name)
    found = accelerations_of_bodies(d, q, u, d.forward_dynamics(q, u))
    assert error(found, by_cartesian(d.model, q, u)) < 1e-12


@pytest.mark.parametrize("name", CASES)
def test_energy_grows_by_the_power_of_efforts_and_laws(name):
    d, q, u = case(name)
    tau = np.random.default_rng(3).normal(size=len(u))
    a = d.forward_dynamics(q, u, tau)
    grown = mechanisms.derivative(lambda h: sum(d.energies(d.integrate(q, h * u), u + h * a)), 1e-3)
    work = tau @ u + d.dissipated_power(q, u)
    scale = sum(map(abs, d.energies(q, u))) + abs(work)
    assert grown == pytest.approx(work, abs=1e-10 * scale)
    assert d.powers(q, u).sum() == pytest.approx(d.forces(q, u) @ u, abs=1e-12 * scale)


@pytest.mark.parametrize("name", CASES)
def test_constraint_forces_close_the_equations_of_motion_and_do_no_work(name):
    d, q, u = case(name)
    tau = np.random.default_rng(4).normal(size=len(u))
    a, found = d.forward_dynamics(q, u, tau), d.constraint_forces(q, u, tau)
    G, gamma = d.constraint_jacobian(q), d.constraint_bias(q, u)
    left = d.mass_matrix(q) @ a + d.bias(q, u) - tau - d.forces(q, u)
    assert error(found.efforts, left) < 1e-11
    assert error(G.T @ found.multipliers, left) < 1e-9
    assert np.abs(G @ a - gamma).max() < 1e-10 * max(np.abs(gamma).max(), np.abs(a).max())
    assert abs(found.efforts @ u) < 1e-11 * np.abs(found.efforts * u).sum() + 1e-300


@pytest.mark.parametrize("name", ["four_bar", "rod with laws", "screw with laws"])
def test_jacobian_and_bias_of_constraints_are_derivatives_of_the_residuals(name):
    d, q, u = case(name)
    a = d.forward_dynamics(q, u)
    rate = mechanisms.derivative(lambda h: d.constraint_residuals(d.integrate(q, h * u)))
    assert np.abs(rate - d.constraint_jacobian(q) @ u).max() < 1e-9
    x = np.random.default_rng(5).normal(size=len(u))
    along = mechanisms.derivative(lambda h: d.constraint_residuals(d.integrate(q, h * x)))
    assert error(along, d.constraint_jacobian(q) @ x) < 1e-9
    second = mechanisms.derivative(
        lambda h: d.constraint_jacobian(d.integrate(q, h * u)) @ (u + h * a)
    )
    assert np.abs(second).max() < 1e-9 * max(1.0, np.abs(a).max())


def test_accelerations_agree_with_those_of_pinocchio():
    """Its proximal iteration stops at some 1e-11."""
    model, q, u = mechanisms.random_mechanism(
        7, 2, 3, ("coincident", "coincident"), tree_kinds=("revolute", "ball", "prismatic")
    )
    tau = np.random.default_rng(1).normal(size=len(u))
    peer = Peer(model.with_(constraints=()))
    frames = {frame.name: (frame.parentJoint, frame.placement) for frame in peer.model.frames}
    frames["ground"] = 0, pin.SE3.Identity()
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for part in model.constraints:
        ends = []
        for body, at in ((part.body_a, part.at_a), (part.body_b, part.at_b)):
            number, place = frames[body]
            ends += [number, place * pin.SE3(np.eye(3), np.array(at))]
        made = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, peer.model, *ends, pin.ReferenceFrame.LOCAL
        )
        models.append(made)
        data.append(made.createData())
    pin.initConstraintDynamics(peer.model, peer.data, models, data)
    T = peer.map(q)
    theirs = pin.constraintDynamics(
        peer.model,
        peer.data,
        peer.q(q),
        T @ u,
        np.linalg.solve(T.T, tau),
        models,
        data,
        pin.ProximalSettings(1e-14, 1e-14, 100),
    )
    assert error(T @ ht.dynamics(model).forward_dynamics(q, u, tau), theirs) < 1e-9


def test_other_rows_are_solved_for_where_those_of_the_start_are_redundant():
    model = four_bar_with_a_spinning_coupler()
    d = ht.dynamics(model)
    q, u = model.start()
    quarter = q + np.array([0.0, 0.0, np.pi / 2.0, 0.0])
    states = np.array([q, quarter, q])
    found = d.forward_dynamics(states, u)
    assert len(d.other_bindings) == 1
    for state, a in zip(states, found, strict=True):
        assert error(accelerations_of_bodies(d, state, u, a), by_cartesian(model, state, u)) < 1e-11
        assert np.array_equal(d.forward_dynamics(state, u), a)
    assert error(found[1], found[0]) < 1e-11
    assert error(d.projected_mass_matrix(quarter), d.projected_mass_matrix(q)) < 1e-11


# ---- inverse dynamics ----------------------------------------------------------------------------
@pytest.mark.parametrize("name", CASES)
def test_inverse_dynamics_undoes_forward_dynamics(name):
    d, q, u = case(name)
    tau = np.zeros(len(u))
    rows = [d.model.speeds.index(speed) for speed in d.independent_speeds]
    tau[rows] = np.random.default_rng(6).normal(size=len(rows))
    for forces in (True, False):
        a = d.forward_dynamics(q, u, tau, forces=forces)
        assert error(d.inverse_dynamics(q, u, a, forces=forces), tau) < 1e-9


def test_more_actuated_joints_than_needed_share_the_effort_of_least_norm():
    d, q, u = case("four_bar")
    a = d.forward_dynamics(q, u, np.array([0.4, 0.0, 0.0]))
    one = d.inverse_dynamics(q, u, a)
    every = d.inverse_dynamics(q, u, a, actuated=d.model.speeds)
    other = d.inverse_dynamics(q, u, a, actuated="rocker_pivot")
    assert one == pytest.approx([0.4, 0.0, 0.0], abs=1e-13)
    assert np.flatnonzero(other).tolist() == [2]
    for tau in (every, other):
        assert d.forward_dynamics(q, u, tau) == pytest.approx(a, rel=1e-11)
    direction = d.null_space(q)[:, 0]
    assert every == pytest.approx(0.4 * direction / (direction @ direction), rel=1e-11)


def test_efforts_of_legs_move_a_platform():
    d, q, u = case("stewart")
    legs = [f"leg{k}" for k in range(1, 7)]
    a = d.forward_dynamics(q, u) + d.solve(q, np.ones(len(u)))
    tau = d.inverse_dynamics(q, u, a, actuated=legs)
    assert {d.model.speeds[k] for k in np.flatnonzero(tau)} == set(legs)
    assert d.forward_dynamics(q, u, tau) == pytest.approx(a, abs=1e-10)


# ---- on the manifold of the constraints ----------------------------------------------------------
@pytest.mark.parametrize("name", CASES)
def test_projected_equations_have_the_same_accelerations(name):
    d, q, u = case(name)
    tau = np.random.default_rng(7).normal(size=len(u))
    N, a = d.null_space(q), d.forward_dynamics(q, u, tau)
    rows = [d.model.speeds.index(speed) for speed in d.independent_speeds]
    right = N.T @ (tau + d.forces(q, u)) - d.projected_bias(q, u)
    assert error(np.linalg.solve(d.projected_mass_matrix(q), right), a[rows]) < 1e-10
    assert np.abs(d.constraint_jacobian(q) @ N).max() < 1e-11 * max(1.0, np.abs(N).max())
    assert d.speeds_from(q, u[rows]) == pytest.approx(u, abs=1e-8 * np.abs(u).max())
    assert error(d.accelerations_from(q, u, a[rows]), a) < 1e-9
    assert d.projected_gravity(q) == pytest.approx(N.T @ d.gravity(q))
    assert d.projected_mass_matrix(q) == pytest.approx(N.T @ d.mass_matrix(q) @ N)


MOVED = {"four_bar": "coupler", "stewart": "platform", "rod with laws": "b7"}


@pytest.mark.parametrize("name", MOVED)
def test_solve_and_the_inertia_of_points_are_those_of_the_whole_system_of_equations(name):
    """[M −Gᵀ; G 0] with all rows, by least squares."""
    d, q, _ = case(name)
    n = len(d.model.speeds)
    G = d.constraint_jacobian(q)
    whole = np.block([[d.mass_matrix(q), -G.T], [G, np.zeros((len(G), len(G)))]])
    body, at = MOVED[name], (0.1, -0.2, 0.3)
    J = d.jacobian(q, body, at)
    right = np.vstack([J.T, np.zeros((len(G), 6))])
    moved = np.linalg.lstsq(whole, right, rcond=1e-13)[0][:n]
    assert error(d.solve(np.tile(q, (6, 1)), J), moved.T) < 1e-9
    mobility = J @ moved
    assert error(d.inverse_operational_inertia(q, body, at), mobility) < 1e-9
    along = ["vx"] if name == "four_bar" else None
    free = mobility[3:4, 3:4] if along else mobility
    assert error(d.operational_inertia(q, body, at, along=along), np.linalg.inv(free)) < 1e-8


def test_the_inertia_of_a_point_of_a_tree_is_felt_by_a_force_there():
    model = library.floating_tree(5, joints=("revolute", "ball"))
    d, (q, _) = ht.dynamics(model), model.start()
    at = (0.0, 0.1, 0.2)
    J = d.jacobian(q, "b3", at)
    inertia = d.operational_inertia(q, "b3", at)
    wrench = np.array([0.1, -0.2, 0.3, 1.0, 2.0, -1.0])
    moved = J @ d.solve(q, J.T @ wrench)
    assert inertia @ moved == pytest.approx(wrench, rel=1e-11)
    in_body = d.operational_inertia(q, "b3", at, axes="body")
    assert np.linalg.eigvalsh(in_body) == pytest.approx(np.linalg.eigvalsh(inertia), rel=1e-9)
    column = [[0.0, 0.0, 0.0, 0.0, 0.6, 0.8]]
    along = d.operational_inertia(q, "b3", at, along=column)
    wanted = 1.0 / (column @ np.linalg.inv(inertia) @ np.transpose(column))
    assert along == pytest.approx(wanted, rel=1e-10)
    assert d.degrees_of_freedom == len(model.speeds) and d.independent_speeds == model.speeds


# ---- drives --------------------------------------------------------------------------------------
@pytest.mark.parametrize("drive", [{"position": "0.5 + 0.4*sin(3*t)"}, {"speed": "1.2*cos(3*t)"}])
def test_drive_efforts_are_those_of_a_run(drive):
    model = library.slider_crank()
    crank = ht.Drive(model.speeds[0], **drive, name="motor")
    model = ht.assemble(model.with_(constraints=[crank], joints={model.speeds[0]: {"q": 0.5}}))
    run = ht.simulate(model, until=0.5, step=5e-3, save_every=20)
    d = ht.dynamics(model)
    assert d.drives == ("motor",) and d.degrees_of_freedom == 0
    wanted = run.drive_force("motor").values
    for t, q, u, effort in zip(run.t.values, run.q.values, run.speeds.values, wanted, strict=True):
        (found,) = d.drive_efforts(q, u, t=t)
        assert found == pytest.approx(effort, rel=1e-9)
        a = d.forward_dynamics(q, u, t=t)
        assert a[0] == pytest.approx(-3.6 * np.sin(3.0 * t), abs=1e-9)
        assert d.inverse_dynamics(q, u, a, t=t) == pytest.approx(np.zeros(len(u)))
        assert d.speeds_from(q, np.zeros(0), t=t) == pytest.approx(u, abs=1e-9)


def test_efforts_beside_a_drive_change_what_it_does():
    """A torque on the driven joint itself is taken off the drive's."""
    model = library.four_bar().with_(constraints=[ht.Drive("crank_pivot", "0.5 + 2*t")])
    d = ht.dynamics(model)
    q, u = model.start()
    u = d.project_speeds(q, u)
    alone = d.drive_efforts(q, u)
    helped = d.drive_efforts(q, u, np.array([0.7, 0.0, 0.0]))
    assert helped == pytest.approx(alone - 0.7, rel=1e-12)


# ---- states --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["four_bar", "stewart", "revolute with laws"])
def test_many_states_have_the_answers_of_one_to_the_bit(name):
    d, q, u = case(name)
    speeds = np.array([0.5 * u, u, -u, 0.25 * u, 2.0 * u])
    tau = np.random.default_rng(8).normal(size=speeds.shape)
    q = np.tile(q, (len(speeds), 1))
    body = d.model.bodies[-1].name
    a = d.forward_dynamics(q, speeds, tau)
    questions = {
        "forward_dynamics": (q, speeds, tau),
        "drive_efforts": (q, speeds, tau),
        "inverse_dynamics": (q, speeds, a),
        "solve": (q, tau),
        "constraint_jacobian": (q,),
        "constraint_bias": (q, speeds),
        "null_space": (q,),
        "projected_mass_matrix": (q,),
        "projected_bias": (q, speeds),
        "projected_gravity": (q,),
        "forces": (q, speeds),
    }
    for question, given in questions.items():
        many = getattr(d, question)(*given)
        for k, answer in enumerate(many):
            alone = getattr(d, question)(*(x[k] for x in given))
            assert np.array_equal(alone, answer), question
    many = d.inverse_operational_inertia(q, body)
    assert np.array_equal(d.inverse_operational_inertia(q[2], body), many[2])


def test_states_are_moved_to_where_the_constraints_hold():
    d, q, u = case("four_bar")
    off = q + np.array([[0.0, 0.05, -0.05], [0.3, 0.0, 0.0]])
    closed = d.close(off, hold="crank_pivot")
    assert np.array_equal(closed[:, 0], off[:, 0])
    assert np.abs(d.constraint_residuals(closed)).max() < 1e-14
    speeds = d.project_speeds(closed, u + 0.1, hold="crank_pivot")
    assert np.array_equal(speeds[:, 0], [u[0] + 0.1] * 2)
    assert np.abs(d.constraint_rates(closed, speeds)).max() < 1e-14
    assert np.isfinite(d.forward_dynamics(closed, speeds)).all()


@pytest.fixture
def many_switches():
    """Threads take turns a hundred times as often as by default."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


def test_threads_that_share_a_mechanism_close_it_as_one_thread_does(many_switches):
    d, q, u = case("four_bar")
    starts = q + 0.1 * np.random.default_rng(0).normal(size=(80, len(q)))

    def move(start):
        closed = d.close(start, hold="crank_pivot")
        return *closed, *d.project_speeds(closed, u, hold="crank_pivot")

    expected = [move(start) for start in starts]
    with ThreadPoolExecutor(2) as threads:
        for _ in range(2):
            assert np.array_equal(list(threads.map(move, starts)), expected)


def test_a_copy_of_the_dynamics_of_a_mechanism_closes_it_too():
    d, q, u = case("four_bar")
    copied = deepcopy(d)
    assert np.array_equal(copied.close(q + 0.05), d.close(q + 0.05))
    assert np.array_equal(copied.forward_dynamics(q, u), d.forward_dynamics(q, u))


def test_a_driven_speed_leaves_its_coordinate_where_it_is():
    model = library.four_bar().with_(constraints=[ht.Drive("crank_pivot", speed="2")])
    d = ht.dynamics(model)
    q = d.close(model.start()[0] + [0.4, 0.0, 0.0])
    assert q[0] == model.start()[0][0] + 0.4
    u = d.project_speeds(q, np.zeros(3))
    assert u[0] == pytest.approx(2.0) and d.forward_dynamics(q, u)[0] == pytest.approx(0, abs=1e-12)


def test_names_choose_the_independent_speeds():
    model = library.four_bar()
    q, u = model.start()
    crank, rocker = (ht.dynamics(model, name) for name in ("crank_pivot", "rocker_pivot"))
    assert ht.dynamics(model).independent_speeds == ("crank_pivot",)
    assert rocker.independent_speeds == ("rocker_pivot",)
    ratio = crank.null_space(q)[2, 0]
    assert rocker.projected_mass_matrix(q) * ratio**2 == pytest.approx(
        crank.projected_mass_matrix(q), rel=1e-11
    )
    assert rocker.forward_dynamics(q, u) == pytest.approx(crank.forward_dynamics(q, u))


def test_a_model_that_starts_in_a_singular_position_is_bound_beside_it():
    """A flat parallelogram, in which two motions meet."""
    flat = library.double_four_bar().with_(
        joints={name: {"q": 0.0} for name in ("pivot1", "pivot2", "pivot3", "pin1", "pin2")}
    )
    d = ht.dynamics(flat)
    q = flat.start()[0]
    assert d.degrees_of_freedom == 1
    with pytest.raises(OptionError, match="q is a singular position: the constraints of joint '"):
        d.forward_dynamics(q, np.zeros(5))
    with pytest.raises(OptionError, match="q in state 1 is a singular position"):
        d.forward_dynamics([d.close(q + 0.5 * np.array([1, 1, 1, -1, -1])), q], np.zeros(5))
    with pytest.raises(OptionError, match="q is a singular position"):
        d.projected_mass_matrix(q)


# ---- refusals ------------------------------------------------------------------------------------
def test_what_does_not_fit_is_refused_by_name():
    d, q, u = case("four_bar")
    a = d.forward_dynamics(q, u)
    residual = r"joint 'coupler_pin' has a constraint residual of 0.00\d+ m .*d.close\(q\)"
    for ask in (lambda x: d.forward_dynamics(x, u), d.null_space, lambda x: d.solve(x, u)):
        with pytest.raises(OptionError, match=f"q does not fit: {residual}"):
            ask(q + 0.01)
    with pytest.raises(OptionError, match=f"q in state 1 does not fit: {residual}"):
        d.forward_dynamics([q, q + 0.01], u)
    with pytest.raises(OptionError, match=r"qdot does not fit: joint 'coupler_pin' .*m/s.*project"):
        d.forward_dynamics(q, u + 0.1)
    with pytest.raises(OptionError, match="qdot in state 2 does not fit"):
        d.inverse_dynamics(q, [u, u, u + 0.1], a)
    with pytest.raises(OptionError, match="qddot does not fit: joint 'coupler_pin' would leave"):
        d.inverse_dynamics(q, u, a + 1.0)
    with pytest.raises(OptionError, match=r"tau of 'crank_pin' is not finite"):
        d.forward_dynamics(q, u, [0.0, np.nan, 0.0])
    with pytest.raises(OptionError, match="underactuated: actuated = .* acts on 0 of 1 degrees"):
        d.inverse_dynamics(q, u, a, actuated=[])
    with pytest.raises(OptionError, match="'coupler_pin'; it closes a loop"):
        d.inverse_dynamics(q, u, a, actuated="coupler_pin")
    with pytest.raises(OptionError, match="there is no speed 'crank_pvot'; did you mean"):
        ht.dynamics(d.model, "crank_pvot")
    with pytest.raises(OptionError, match="names 2 speeds; model 'four_bar' has 1 degree"):
        ht.dynamics(d.model, ["crank_pivot", "crank_pin"])
    with pytest.raises(OptionError, match="all speeds of a tree are independent"):
        ht.dynamics(library.pendulum(), "hinge")
    with pytest.raises(FitError, match="'four_bar' has constraints: derivatives"):
        d.forward_derivatives(q, u)
    with pytest.raises(OptionError, match="'coupler' can move along 1 of the 6 directions"):
        d.operational_inertia(q, "coupler")
    with pytest.raises(OptionError, match="'coupler' can move along 0 of the 1 directions"):
        d.operational_inertia(q, "coupler", along="vy")
    with pytest.raises(OptionError, match="along: 'x'"):
        d.operational_inertia(q, "coupler", along="x")


def test_a_body_in_its_dead_position_has_no_inertia_to_be_felt():
    """Andrews' squeezer starts with K7 at rest, whatever the speed of its crank."""
    d = ht.dynamics(library.andrews())
    q = d.model.start()[0]
    assert np.abs(d.jacobian(q, "K7") @ d.null_space(q)).max() < 1e-14
    for along, count in ((None, 6), (["wz"], 1), (["vx"], 1)):
        with pytest.raises(OptionError, match=f"'K7' can move along 0 of the {count} directions"):
            d.operational_inertia(q, "K7", along=along)
    felt = d.operational_inertia(q, "K1", along="wz")
    assert felt == pytest.approx(d.projected_mass_matrix(q), rel=1e-12)


def test_a_platform_is_not_moved_by_too_few_legs():
    d, q, u = case("stewart")
    with pytest.raises(OptionError, match=r"underactuated: .*'leg5'\] acts on 5 of 6 degrees"):
        d.inverse_dynamics(
            q, u, d.forward_dynamics(q, u), actuated=[f"leg{k}" for k in range(1, 6)]
        )


def test_independent_speeds_that_do_not_do_somewhere_are_refused_with_others():
    """At a dead point of the rocker its speed is zero while the crank turns."""
    model = library.four_bar(ground=1.0, crank=0.3, coupler=1.0, rocker=0.6)
    rocker = ht.dynamics(model, "rocker_pivot")
    crank = ht.dynamics(model, "crank_pivot")
    low, high = 0.2, 3.0
    place = model.start()[0]

    def at(angle):
        return crank.close([angle, *place[1:]], hold="crank_pivot")

    for _ in range(60):
        middle = 0.5 * (low + high)
        rates = [crank.null_space(at(x))[2, 0] for x in (low, middle)]
        low, high = (low, middle) if rates[0] * rates[1] < 0.0 else (middle, high)
    with pytest.raises(OptionError, match=r"'rocker_pivot' do not determine .*\['crank_pivot'\]"):
        rocker.projected_mass_matrix(at(low))
    assert np.isfinite(rocker.forward_dynamics(at(low), np.zeros(3))).all()


def test_bodies_that_a_motion_leads_are_refused():
    model = library.free_body().with_(constraints=[ht.Motion("body", position=(0, 0, "t"))])
    with pytest.raises(FitError, match="a Motion leads body 'body'"):
        ht.dynamics(model)
