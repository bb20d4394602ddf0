"""`ht.dynamics` against Pinocchio on random trees, against differences along the motion, and
against itself.

Errors are relative to the largest entry. Derivatives are taken by central differences of sixth
order.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FitError, OptionError
from hamiltree.formulations.tree.algorithms import query_states
from hamiltree.model.joints import speed_labels
from hamiltree.model.topology import spanning_tree
from tests.agreement import pinocchio_trees

pytest.importorskip("pinocchio", reason="Pinocchio is not packaged for Windows")


Peer, TIP = pinocchio_trees.Peer, pinocchio_trees.TIP

CLOSE = 1e-10
DIFFERENCES = 1e-7
OFFSETS, WEIGHTS, STEP = (
    np.array([-3, -2, -1, 1, 2, 3]),
    np.array([-1, 9, -45, 45, -9, 1]) / 60,
    2e-3,
)
KINDS = ("revolute", "prismatic", "ball", "free", "weld")
SIZES = [
    (1, 1),
    (1, 1),
    (2, 1),
    (3, 1),
    (4, 2),
    (5, 5),
    (6, 2),
    (7, 3),
    (8, 1),
    (9, 2),
    (10, 10),
    (12, 2),
]
SIZES += [(14, 3), (17, 1), (20, 2), (25, 2)]  # bodies, branching
MODELS = [ht.library.tree(n, branching, seed, KINDS) for seed, (n, branching) in enumerate(SIZES)]
MODELS += [
    ht.library.floating_tree(n, 2, n, KINDS[:3]).with_(gravity=(1.0, -2.0, 9.0))
    for n in (1, 4, 9, 16)
]


class Case:
    """A model, its services and its peer at a random state."""

    def __init__(self, number):
        self.model, rng = MODELS[number], np.random.default_rng(number)
        self.ours, self.peer, n = ht.dynamics(self.model), Peer(self.model), len(self.model.speeds)
        self.q, self.v = (
            self.ours.integrate(self.model.start()[0], rng.normal(size=n)),
            rng.normal(size=n),
        )
        self.x, self.body = rng.normal(size=n), self.model.bodies[-1].name


@pytest.fixture(scope="module", params=range(len(MODELS)), ids=lambda k: f"{k}: {MODELS[k].name}")
def case(request):
    return Case(request.param)


def error(got, expected):
    """Largest deviation, relative to the largest entry, or to 1e-3 where all should vanish."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    return abs(got - expected).max() / max(abs(expected).max(), 1e-3)


def derivative(function, step=STEP):
    """d/dε of function(ε) at 0."""
    return (
        sum(
            weight * function(offset * step)
            for offset, weight in zip(OFFSETS, WEIGHTS, strict=True)
        )
        / step
    )


# ---- against Pinocchio ---------------------------------------------------------------------------
def test_the_mass_matrix_is_that_of_pinocchio(case):
    M = case.ours.mass_matrix(case.q)
    assert error(M, case.peer.mass_matrix(case.q)) <= CLOSE and np.array_equal(M, M.T)


def test_the_factor_gives_the_mass_matrix(case):
    U, d = case.ours.factor(case.q)
    assert error(U * d @ U.T, case.peer.mass_matrix(case.q)) <= CLOSE
    assert (np.diag(U) == 1).all() and (d > 0).all()


def carrying_speeds(model):
    """Whether of two speeds one belongs to a joint that carries the joint of the other."""
    tree, labels, inward = spanning_tree(model), list(model.speeds), []
    related = np.zeros((len(labels), len(labels)), dtype=bool)
    for joint, parent in zip(tree.joint.tolist(), tree.parent.tolist(), strict=True):
        own = [labels.index(label) for label in speed_labels(model.joints[joint])]
        inward.append([*(inward[parent] if parent >= 0 else []), *own])
        related[np.ix_(own, inward[-1])] = related[np.ix_(inward[-1], own)] = True
    return related


def test_the_factor_has_entries_only_where_joints_carry_each_other(case):
    """Branches do not fill in; the rows of a chain come in one order, so of (i, k) and (k, i) one
    is zero.
    """
    U, M = case.ours.factor(case.q).U, case.ours.mass_matrix(case.q)
    off, apart = U - np.eye(len(U)), ~carrying_speeds(case.model)
    assert not off[apart].any() and not M[apart].any() and not (off * off.T).any()


def test_solve_undoes_the_mass_matrix_of_pinocchio(case):
    assert (
        error(
            case.ours.solve(case.q, case.x), np.linalg.solve(case.peer.mass_matrix(case.q), case.x)
        )
        <= CLOSE
    )


def test_inverse_dynamics_is_that_of_pinocchio(case):
    assert (
        error(
            case.ours.inverse_dynamics(case.q, case.v, case.x),
            case.peer.inverse_dynamics(case.q, case.v, case.x),
        )
        <= CLOSE
    )


def test_forward_dynamics_is_that_of_pinocchio(case):
    assert (
        error(
            case.ours.forward_dynamics(case.q, case.v, case.x),
            case.peer.forward_dynamics(case.q, case.v, case.x),
        )
        <= CLOSE
    )


def test_forward_dynamics_without_tau_is_that_of_none(case):
    assert (
        error(
            case.ours.forward_dynamics(case.q, case.v),
            case.peer.forward_dynamics(case.q, case.v, 0 * case.v),
        )
        <= CLOSE
    )


def test_the_bias_is_that_of_pinocchio(case):
    assert (
        error(
            case.ours.bias(case.q, case.v), case.peer.inverse_dynamics(case.q, case.v, 0 * case.v)
        )
        <= CLOSE
    )


def test_gravity_is_that_of_pinocchio(case):
    scale = sum(body.mass for body in case.model.bodies) * np.linalg.norm(case.model.gravity)
    assert abs(case.ours.gravity(case.q) - case.peer.gravity(case.q)).max() <= CLOSE * scale


def test_the_centre_of_mass_is_that_of_pinocchio(case):
    assert error(case.ours.centre_of_mass(case.q), case.peer.centre_of_mass(case.q)) <= CLOSE


def test_the_momentum_matrix_is_that_of_pinocchio(case):
    assert error(case.ours.momentum_matrix(case.q), case.peer.momentum_matrix(case.q)) <= CLOSE


def test_momenta_are_those_of_pinocchio_moved_to_the_origin(case):
    found, centroidal = (
        case.ours.momentum(case.q, case.v),
        case.peer.momentum_matrix(case.q) @ case.v,
    )
    centre = case.peer.centre_of_mass(case.q)
    assert error(np.concatenate([found.about_centre, found.linear]), centroidal) <= CLOSE
    assert error(found.angular, centroidal[:3] + np.cross(centre, centroidal[3:])) <= CLOSE
    assert error(found.centre, centre) <= CLOSE


def test_energies_are_those_of_pinocchio(case):
    kinetic, potential = case.peer.energies(case.q, case.v)
    found = case.ours.energies(case.q, case.v)
    assert found[0] == pytest.approx(kinetic, rel=CLOSE) and found[1] == pytest.approx(
        potential, rel=CLOSE, abs=1e-12
    )


def rotation_matrix(quaternion):
    w, v = quaternion[0], quaternion[1:]
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * np.cross(np.eye(3), v)


def test_poses_are_those_of_pinocchio(case):
    for body, pose in zip(case.model.bodies, case.ours.poses(case.q), strict=True):
        turn, position = case.peer.frame(case.q, body.name)
        assert (
            abs(pose[:3] - position).max() <= CLOSE
            and abs(rotation_matrix(pose[3:]) - turn).max() <= CLOSE
        )


def test_twists_are_jacobians_times_speeds(case):
    for body, twist in zip(case.model.bodies, case.ours.twists(case.q, case.v), strict=True):
        assert error(twist, case.peer.jacobian(case.q, body.name, "world") @ case.v) <= CLOSE


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize(
    ("at", "suffix"), [((0.0, 0.0, 0.0), ""), (TIP, "@tip")], ids=["origin", "tip"]
)
class TestJacobians:
    def test_they_are_those_of_pinocchio(self, case, at, suffix, axes):
        J = case.ours.jacobian(case.q, case.body, at, axes)
        assert error(J, case.peer.jacobian(case.q, case.body + suffix, axes)) <= CLOSE

    def test_their_rates_are_those_of_pinocchio(self, case, at, suffix, axes):
        rate = case.ours.jacobian_rate(case.q, case.v, case.body, at, axes)
        assert (
            error(rate, case.peer.jacobian_rate(case.q, case.v, case.body + suffix, axes)) <= CLOSE
        )

    def test_their_rates_are_derivatives_along_the_motion(self, case, at, suffix, axes):
        along = derivative(
            lambda e: case.ours.jacobian(
                case.ours.integrate(case.q, e * case.v), case.body, at, axes
            )
        )
        assert (
            error(case.ours.jacobian_rate(case.q, case.v, case.body, at, axes), along)
            <= DIFFERENCES
        )


def test_a_point_given_as_a_list_has_the_same_jacobian(case):
    assert np.array_equal(
        case.ours.jacobian(case.q, case.body, list(TIP)), case.ours.jacobian(case.q, case.body, TIP)
    )


# ---- derivatives ---------------------------------------------------------------------------------
def test_derivatives_of_inverse_dynamics_are_those_of_pinocchio(case):
    found, (by_q, by_v) = (
        case.ours.inverse_derivatives(case.q, case.v, case.x),
        case.peer.inverse_derivatives(case.q, case.v, case.x),
    )
    assert error(found.q, by_q) <= CLOSE and error(found.qdot, by_v) <= CLOSE
    assert error(found.third, case.peer.mass_matrix(case.q)) <= CLOSE


def test_derivatives_of_forward_dynamics_are_those_of_pinocchio(case):
    """Both solve with M, so both lose as many digits as its condition number has."""
    found, expected = (
        case.ours.forward_derivatives(case.q, case.v, case.x),
        case.peer.forward_derivatives(case.q, case.v, case.x),
    )
    assert max(map(error, found, expected)) <= max(
        CLOSE, 1e-14 * np.linalg.cond(case.peer.mass_matrix(case.q))
    )


@pytest.mark.parametrize("way", ["inverse", "forward"])
def test_derivatives_are_differences(case, way):
    d, q, v, x = case.ours, case.q, case.v, case.x
    ask, found = getattr(d, f"{way}_dynamics"), getattr(d, f"{way}_derivatives")(q, v, x)
    directions = np.eye(len(v))
    by_q = derivative(lambda e: ask(d.integrate(q, e * directions), v, x)).T
    by_v = derivative(lambda e: ask(q, v + e * directions, x)).T
    by_x = derivative(lambda e: ask(q, v, x + e * directions), 0.1).T
    assert max(map(error, found, (by_q, by_v, by_x))) <= DIFFERENCES


# ---- one state and many --------------------------------------------------------------------------
SERVICES = {
    "inverse_dynamics": ("q", "v", "x"),
    "forward_dynamics": ("q", "v", "x"),
    "mass_matrix": ("q",),
    "factor": ("q",),
    "solve": ("q", "x"),
    "bias": ("q", "v"),
    "gravity": ("q",),
    "forces": ("q", "v"),
    "centre_of_mass": ("q",),
    "momentum": ("q", "v"),
    "momentum_matrix": ("q",),
    "energies": ("q", "v"),
    "poses": ("q",),
    "twists": ("q", "v"),
    "inverse_derivatives": ("q", "v", "x"),
    "forward_derivatives": ("q", "v", "x"),
    "jacobian": ("q", "b5"),
    "jacobian_rate": ("q", "v", "b5"),
}
MIXED = ht.library.tree(9, 2, 40, KINDS)


@pytest.fixture(scope="module")
def mixed():
    """(services, seven states)."""
    d, rng, n = ht.dynamics(MIXED), np.random.default_rng(3), len(MIXED.speeds)
    q = d.integrate(MIXED.start()[0], rng.normal(size=(7, n)))
    return d, {"q": q, "v": rng.normal(size=(7, n)), "x": rng.normal(size=(7, n))}


def parts(answer):
    return answer if isinstance(answer, tuple) else (answer,)


@pytest.mark.parametrize("name", SERVICES)
def test_seven_states_in_one_call_are_those_of_seven_calls_to_the_bit(mixed, name):
    d, given = mixed
    together = parts(getattr(d, name)(*(given.get(word, word) for word in SERVICES[name])))
    for k in range(7):
        alone = parts(
            getattr(d, name)(
                *(given[word][k] if word in given else word for word in SERVICES[name])
            )
        )
        assert all(
            np.array_equal(a, np.asarray(b)[k]) for a, b in zip(alone, together, strict=True)
        ), k


@pytest.mark.parametrize("count", [1, 2, 4, 5, 9])
def test_any_number_of_states_may_be_asked_for(mixed, count):
    d, given = mixed
    q, v = np.tile(given["q"][2], (count, 1)), np.tile(given["v"][2], (count, 1))
    assert np.array_equal(d.bias(q, v), np.tile(d.bias(given["q"][2], given["v"][2]), (count, 1)))


def test_one_q_goes_with_many_speeds(mixed):
    d, given = mixed
    assert np.array_equal(
        d.bias(given["q"][0], given["v"]), d.bias(np.tile(given["q"][0], (7, 1)), given["v"])
    )


def test_whichever_state_is_one_for_all_nothing_is_compiled_again(mixed):
    d, given = mixed
    q, v = given["q"], given["v"]
    frozen = v.copy()
    frozen.flags.writeable = False
    d.bias(q, v)
    d.forces(q, v)
    compiled = {*query_states.overloads}
    for arguments in ((q[0], v), (q, v[0]), (q, frozen)):
        d.bias(*arguments)
    for time in (1, np.float32(1), np.int64(1)):
        assert np.array_equal(d.forces(q, v, t=time), d.forces(q, v, t=1.0))
    assert {*query_states.overloads} == compiled


def test_arrays_of_any_layout_and_lists_are_taken(mixed):
    d, given = mixed
    q, v = given["q"][0], given["v"][0]
    expected = d.bias(q, v)
    assert np.array_equal(d.bias(q.tolist(), np.repeat(v, 2)[::2]), expected)
    assert np.array_equal(d.bias(np.asfortranarray(given["q"]), given["v"])[0], expected)


def test_a_quaternion_that_is_no_unit_one_means_the_rotation_of_its_direction(mixed):
    d, given = mixed
    q = given["q"][0].copy()
    row = next(k for k, name in enumerate(MIXED.coordinates) if name.endswith(".qw"))
    q[row : row + 4] *= 1.7
    assert error(d.mass_matrix(q), d.mass_matrix(given["q"][0])) <= CLOSE
    assert (
        error(
            d.forward_dynamics(q, given["v"][0]), d.forward_dynamics(given["q"][0], given["v"][0])
        )
        <= CLOSE
    )


# ---- what is refused -----------------------------------------------------------------------------
Q, V = MIXED.start()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda d: d.mass_matrix(Q[:-1]),
            (
                rf"q has shape \({len(Q) - 1},\); expected \({len(Q)},\) or "
                rf"\(states, {len(Q)}\), in the order j1"
            ),
        ),
        (lambda d: d.bias(Q, Q), rf"qdot has shape \({len(Q)},\); expected \({len(V)},\)"),
        (lambda d: d.solve(Q, V[None, None]), "x has shape"),
        (lambda d: d.bias(np.tile(Q, (3, 1)), np.tile(V, (2, 1))), "as many states of each"),
        (lambda d: d.mass_matrix("here"), "q must be numbers"),
        (lambda d: d.gravity(Q + 1j), "q must be numbers"),
        (lambda d: d.gravity([None] * len(Q)), f"q of '{MIXED.coordinates[0]}' is not finite"),
        (
            lambda d: d.bias(Q, np.where(np.arange(len(V)) == 2, np.nan, V)),
            f"qdot of '{MIXED.speeds[2]}' is not finite",
        ),
        (
            lambda d: d.gravity(np.where(np.arange(len(Q)) == 1, np.inf, Q)),
            f"q of '{MIXED.coordinates[1]}' is not finite",
        ),
        (lambda d: d.jacobian(Q, "b55"), "there is no body 'b55'; did you mean 'b5'"),
        (lambda d: d.jacobian(Q, "ground"), "the ground has no Jacobian"),
        (lambda d: d.jacobian(Q, "b5", axes="local"), "axes = 'local'; give 'world' or 'body'"),
        (lambda d: d.integrate(Q, V[1:]), "step has shape"),
        (
            lambda d: d.gravity(np.ma.array(Q, mask=np.arange(len(Q)) == 1)),
            "q has numbers that are",
        ),
        (lambda d: d.forces(Q, V, t=np.nan), "t = nan; it must be one finite number"),
        (lambda d: d.forward_dynamics(Q, V, t=np.inf), "t = inf; it must be one finite number"),
        (lambda d: d.forces(Q, V, t=10**400), "t is larger than every float"),
        (lambda d: d.inverse_dynamics(Q, V, V, t="now"), "t = 'now'; it must be one finite"),
        (lambda d: d.forward_dynamics(Q, V, forces="no"), "forces = 'no'; give True, or False"),
        (lambda d: d.inverse_dynamics(Q, V, V, forces=None), "forces = None; give True"),
        (lambda d: ht.dynamics("arm.toml"), "dynamics takes a Model, not str"),
    ],
)
def test_what_makes_no_sense_is_refused(mixed, ask, message):
    with pytest.raises(OptionError, match=message):
        ask(mixed[0])


def test_a_state_that_is_not_finite_is_named_by_its_number(mixed):
    d, given = mixed
    bad = given["v"].copy()
    bad[5, 1] = np.nan
    with pytest.raises(
        OptionError, match=rf"qdot of '{MIXED.speeds[1]}' is not finite \(state 5\)"
    ):
        d.bias(given["q"], bad)


def test_a_point_that_is_none_is_refused(mixed):
    with pytest.raises(ht.HamiltreeError, match="at"):
        mixed[0].jacobian(Q, "b5", at=(0, 1))


def test_a_singular_mass_matrix_is_said_to_be_one():
    locked = ht.Model(
        [ht.Body("a", 1.0, inertia=1.0)], [ht.Gimbal("wrist", "ground", "a", sequence="zxz")]
    )
    with pytest.raises(OptionError, match="mass matrix is singular: joint .wrist.*gimbal lock"):
        ht.dynamics(locked).forward_dynamics(np.zeros(3), np.ones(3))


def test_derivatives_with_a_ball_declared_backwards_are_refused():
    d = ht.dynamics(ht.Model([ht.Body("a", 1.0, inertia=1.0)], [ht.Ball("hip", "a", "ground")]))
    with pytest.raises(FitError, match="ball and free joints declared from the ground outward"):
        d.inverse_derivatives((1.0, 0, 0, 0), np.zeros(3), np.zeros(3))


def test_nothing_that_moves_has_no_centre_of_mass():
    d = ht.dynamics(ht.Model([ht.Body("a", 1.0)], [ht.Weld("foot", "ground", "a")]))
    with pytest.raises(FitError, match="nothing that moves has mass"):
        d.centre_of_mass(np.zeros(0))


# ---- forces of the model -------------------------------------------------------------------------
def loaded_tree():
    tree = ht.library.tree(7, 2, 41, ("revolute", "prismatic", "ball"))
    axes = [name for name in tree.coordinates if "." not in name]
    springs = [
        ht.JointSpring(axes[0], 3.0, 0.2),
        ht.JointDamper(axes[-1], 0.4),
        ht.JointEffort(axes[0], 0.7),
    ]
    loads = [
        ht.BodyLoad("b4", (1.0, 2.0, -1.0), (0.1, 0.0, 0.3), (0.1, 0.2, 0.0), axes)
        for axes in ("world", "body")
    ]
    return tree.with_(
        forces=[
            *springs,
            *loads,
            ht.PointSpring("ground", "b6", (0, 0, 1), (0.1, 0, 0), 5.0, 0.3, 0.2),
            ht.Drag("b7", 0.3, 0.1),
        ]
    )


@pytest.fixture(scope="module")
def loaded():
    """(services, q, speeds)."""
    model = loaded_tree()
    d, rng, n = ht.dynamics(model), np.random.default_rng(5), len(model.speeds)
    return d, d.integrate(model.start()[0], rng.normal(size=n)), rng.normal(size=n)


def test_the_powers_of_all_forces_are_the_change_of_kinetic_energy_and_of_height(loaded):
    """d(T + V of gravity)/dt along the accelerations of forward dynamics, by differences."""
    d, q, v = loaded
    bare, a = ht.dynamics(d.model.with_(forces=())), d.forward_dynamics(q, v)

    def energy(e):
        # the turn of constant ω̇ agrees to second order, which is all that a first derivative sees
        step = e * v + e * e / 2 * a
        return sum(bare.energies(d.integrate(q, step), v + e * a))

    powers = d.powers(q, v)
    assert powers.shape == (len(d.model.forces),)
    assert derivative(energy) == pytest.approx(powers.sum(), rel=1e-8)
    assert powers[6] < 0 < abs(powers).min()


def test_the_power_of_a_conservative_force_is_minus_the_change_of_its_potential(loaded):
    d, q, v = loaded
    change = derivative(lambda e: d.potentials(d.integrate(q, e * v)))
    assert change[0] == pytest.approx(-d.powers(q, v)[0], rel=1e-9)
    assert not d.potentials(q)[[1, 2, 6]].any()


def test_potentials_and_height_are_the_potential_energy(loaded):
    d, q, v = loaded
    height = ht.dynamics(d.model.with_(forces=())).energies(q, v)[1]
    assert d.energies(q, v)[1] == pytest.approx(d.potentials(q).sum() + height, rel=1e-13)


def test_powers_and_potentials_of_many_states_are_those_of_each(loaded):
    d, q, v = loaded
    many = d.integrate(q, 0.1 * np.arange(6)[:, None] * v)
    assert np.array_equal(d.powers(many, v)[4], d.powers(many[4], v)) and np.array_equal(
        d.potentials(many)[4], d.potentials(many[4])
    )


def test_a_model_without_forces_has_no_powers():
    d = ht.dynamics(ht.library.chain(2))
    assert d.powers(np.zeros((3, 2)), np.zeros((3, 2))).shape == (3, 0) and d.potentials(
        np.zeros(2)
    ).shape == (0,)


def test_inverse_undoes_forward_dynamics(loaded):
    d, q, v = loaded
    tau = np.random.default_rng(6).normal(size=len(v))
    for forces in (True, False):
        assert (
            error(d.inverse_dynamics(q, v, d.forward_dynamics(q, v, tau, forces), forces), tau)
            <= CLOSE
        )
    assert (
        error(
            d.inverse_dynamics(q, v, tau) + d.forces(q, v),
            d.inverse_dynamics(q, v, tau, forces=False),
        )
        <= CLOSE
    )
    assert abs(d.forces(q, v)).max() > 0.1


# ---- couplings -----------------------------------------------------------------------------------
def coupled_model():
    """A chain of followers and a gear, between branches and along one; the leader of one stands
    beyond its follower.
    """
    rng = np.random.default_rng(8)
    bodies = [
        ht.Body(
            f"b{k}", rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), tuple(rng.uniform(1.0, 1.5, 3))
        )
        for k in range(6)
    ]

    def ends(a, b):
        frames = [
            ht.Frame.about(rng.normal(size=3), rng.uniform(-3, 3), 0.3 * rng.normal(size=3))
            for _ in range(2)
        ]
        return a, b, *frames

    joints = [
        ht.Universal("universal", *ends("ground", "b0"), armature=(0.1, 0.2)),
        ht.Revolute("follower", *ends("b0", "b1"), armature=0.3),
        ht.Ball("ball", *ends("b1", "b2")),
        ht.Prismatic("leader", *ends("b2", "b3")),
        ht.Screw("last", *ends("b0", "b4"), pitch=0.4),
        ht.Revolute("free", *ends("b4", "b5")),
    ]
    couplings = [
        ht.Mimic("follower", "leader", 0.7, 0.3),
        ht.Mimic("last", "follower", -1.3, 0.1),
        ht.Gear("universal.1", "free", (20, 30)),
    ]
    return ht.Model(bodies, joints), couplings


def spread(model, coupled, u):
    """K u: all speeds from those that are left."""
    known = dict(zip(coupled.speeds, u, strict=True))
    value = {
        "follower": 0.7 * known["leader"],
        "last": -0.91 * known["leader"],
        "universal.1": -1.5 * known["free"],
    }
    return np.array([value.get(name, known.get(name)) for name in model.speeds])


@pytest.fixture(scope="module")
def tied():
    """Services of the coupled and of the uncoupled model, both states, and K."""
    model, couplings = coupled_model()
    coupled, rng = model.with_(couplings=couplings), np.random.default_rng(9)
    one, all_ = ht.dynamics(coupled), ht.dynamics(model)
    u, K = (
        rng.normal(size=len(coupled.speeds)),
        np.array([spread(model, coupled, e) for e in np.eye(len(coupled.speeds))]).T,
    )
    q = one.integrate(coupled.start()[0], rng.normal(size=len(u)))
    known = dict(zip(coupled.coordinates, q, strict=True))
    offsets = {"follower": 0.7 * known["leader"] + 0.3, "universal.1": -1.5 * known["free"]}
    offsets["last"] = -1.3 * offsets["follower"] + 0.1
    return (
        one,
        all_,
        q,
        np.array([offsets.get(name, known.get(name)) for name in model.coordinates]),
        u,
        K,
    )


def test_the_mass_matrix_of_a_coupled_model_is_the_reduced_one(tied):
    one, every, q, full, _, K = tied
    assert error(one.mass_matrix(q), K.T @ every.mass_matrix(full) @ K) <= CLOSE
    U, d = one.factor(q)
    assert error(U * d @ U.T, one.mass_matrix(q)) <= CLOSE


def test_forces_accelerations_and_solutions_of_a_coupled_model_are_the_reduced_ones(tied):
    one, every, q, full, u, K = tied
    M, bias, tau = (
        K.T @ every.mass_matrix(full) @ K,
        K.T @ every.bias(full, K @ u),
        np.random.default_rng(10).normal(size=len(u)),
    )
    assert error(one.bias(q, u), bias) <= CLOSE
    assert error(one.gravity(q), K.T @ every.gravity(full)) <= CLOSE
    assert error(one.inverse_dynamics(q, u, tau), M @ tau + bias) <= CLOSE
    assert error(one.solve(q, tau), np.linalg.solve(M, tau)) <= CLOSE
    assert error(one.forward_dynamics(q, u, tau), np.linalg.solve(M, tau - bias)) <= CLOSE


def test_frames_and_momenta_of_a_coupled_model_are_those_of_the_uncoupled_one(tied):
    one, every, q, full, u, K = tied
    assert (
        error(one.poses(q), every.poses(full)) <= CLOSE
        and error(one.twists(q, u), every.twists(full, K @ u)) <= CLOSE
    )
    assert error(one.jacobian(q, "b5", TIP), every.jacobian(full, "b5", TIP) @ K) <= CLOSE
    assert (
        error(one.jacobian_rate(q, u, "b5", TIP), every.jacobian_rate(full, K @ u, "b5", TIP) @ K)
        <= CLOSE
    )
    assert error(one.momentum_matrix(q), every.momentum_matrix(full) @ K) <= CLOSE
    assert error(one.energies(q, u), every.energies(full, K @ u)) <= CLOSE


def test_derivatives_of_a_coupled_model_are_the_reduced_ones(tied):
    one, every, q, full, u, K = tied
    a = np.random.default_rng(11).normal(size=len(u))
    found, expected = (
        one.inverse_derivatives(q, u, a),
        every.inverse_derivatives(full, K @ u, K @ a),
    )
    assert (
        max(error(mine, K.T @ theirs @ K) for mine, theirs in zip(found, expected, strict=True))
        <= CLOSE
    )
    forward, at = (
        one.forward_derivatives(q, u, a),
        one.inverse_derivatives(q, u, one.forward_dynamics(q, u, a)),
    )
    M = one.mass_matrix(q)
    assert (
        error(forward.q, -np.linalg.solve(M, at.q)) <= CLOSE
        and error(forward.qdot, -np.linalg.solve(M, at.qdot)) <= CLOSE
    )
    assert error(forward.third, np.linalg.inv(M)) <= CLOSE


def test_states_of_a_coupled_model_in_one_call_are_those_of_each_to_the_bit(tied):
    one, _, q, _, u, _ = tied
    many = one.integrate(q, 0.2 * np.arange(5)[:, None] * u)
    assert np.array_equal(one.forward_dynamics(many, u)[3], one.forward_dynamics(many[3], u))
    assert np.array_equal(one.solve(many, u)[3], one.solve(many[3], u))


# ---- couplings of free joints and of links without inertia ---------------------------------------
def block(name, mass=1.0):
    return ht.Body(name, mass, (0.1, 0.2, 0.3), inertia=(0.1, 0.2, 0.25))


@pytest.mark.parametrize("leads", ["root.x", "slider"])
def test_the_axes_of_a_free_joint_lead_and_follow_by_their_own_speeds(leads):
    """Twist of either body in the ratio of the coupling; the mass matrix is regular and T is that
    of the twists.
    """
    follows = "slider" if leads == "root.x" else "root.x"
    joints = [
        ht.Revolute("first", "ground", "a"),
        ht.Free("root", "ground", "b"),
        ht.Prismatic("slider", "ground", "c", axis=(1, 0, 0)),
    ]
    model = ht.Model(
        [block("a"), block("b"), block("c")],
        joints,
        couplings=[ht.Mimic(follows, leads, ratio=2.0)],
    )
    assert len(model.speeds) == 7 and len(model.coordinates) == 8
    d, (q, qdot) = ht.dynamics(model), model.start()
    qdot[model.speeds.index("root.vx" if leads == "root.x" else "slider")] = 1.0
    along = d.twists(q, qdot)[1:, 3]
    np.testing.assert_allclose(along, [1.0, 2.0] if leads == "root.x" else [2.0, 1.0])
    np.testing.assert_allclose(d.energies(q, qdot)[0], 0.5 * (1 + 4), rtol=1e-14)
    np.testing.assert_allclose(0.5 * qdot @ d.mass_matrix(q) @ qdot, 2.5, rtol=1e-14)
    run = ht.simulate(model, until=0.2, qdot=qdot, progress=False)
    np.testing.assert_allclose(run.speeds.values[0], qdot, atol=1e-14)
    assert run.energy_error < 1e-13


@pytest.mark.parametrize(
    "coupling", [ht.Mimic("arm", "motor", ratio=0.01), ht.Gear("motor", "arm", teeth=(1, 100))]
)
def test_a_coupled_shaft_needs_no_inertia_of_its_own(coupling):
    joints = [
        ht.Revolute("motor", "ground", "shaft"),
        ht.Revolute("arm", "ground", "beam", axis=(0, 1, 0)),
    ]
    model = ht.Model([ht.Body("shaft"), block("beam")], joints, couplings=[coupling])
    d, q, u, tau = ht.dynamics(model), np.array([0.7]), np.array([2.0]), np.array([0.1])
    np.testing.assert_allclose(
        d.forward_dynamics(q, u, tau), (tau - d.bias(q, u)) / d.mass_matrix(q)[0], rtol=1e-12
    )
    assert ht.simulate(model, until=1.0, progress=False).energy_error < 1e-13


# ---- forces in derivatives and powers ------------------------------------------------------------
def test_derivatives_know_springs_dampers_and_efforts_of_joints():
    model = ht.library.floating_tree(6, joints=("revolute", "ball", "universal"))
    axes = [
        label
        for label in model.coordinates
        if label.split(".")[-1] not in ("x", "y", "z", "qw", "qx", "qy", "qz")
    ]
    forces = [ht.JointDamper(joint.name, 0.3) for joint in model.joints]
    forces += [ht.JointSpring(axes[-1], 5.0, 0.1), ht.JointEffort(axes[0], 0.7)]
    model = model.with_(forces=forces)
    d, q, n = ht.dynamics(model), model.start()[0], len(model.speeds)
    u, tau = np.random.default_rng(0).normal(size=(2, n))
    found, e = d.forward_derivatives(q, u, tau), 1e-6
    by_place = [
        (
            d.forward_dynamics(d.integrate(q, e * x), u, tau)
            - d.forward_dynamics(d.integrate(q, -e * x), u, tau)
        )
        / (2 * e)
        for x in np.eye(n)
    ]
    by_speed = [
        (d.forward_dynamics(q, u + e * x, tau) - d.forward_dynamics(q, u - e * x, tau)) / (2 * e)
        for x in np.eye(n)
    ]
    for exact, difference in ((found.q, by_place), (found.qdot, by_speed)):
        np.testing.assert_allclose(exact, np.transpose(difference), atol=1e-7 * np.abs(exact).max())


def test_the_dissipated_power_leaves_the_springs_out():
    model = ht.library.pendulum(angle=0.4).with_(
        forces=[
            ht.JointSpring("hinge", 3.0),
            ht.JointDamper("hinge", 0.5),
            ht.PointSpring(
                "ground", "bob", (0.5, 0, 0), (0, 0, -1), stiffness=7.0, length=0.2, damping=0.9
            ),
        ]
    )
    d, q, u = ht.dynamics(model), np.array([0.4]), np.array([1.3])
    dissipated_power, powers = d.dissipations(q, u), d.powers(q, u)
    np.testing.assert_allclose(dissipated_power[:2], [0.0, -0.5 * 1.3**2], atol=1e-15)
    np.testing.assert_allclose(d.dissipated_power(q, u), dissipated_power.sum(), rtol=1e-14)
    e = 1e-6  # what is not spent changes the potentials
    slope = (d.potentials(q + e * u) - d.potentials(q - e * u)) / (2 * e)
    np.testing.assert_allclose(powers - dissipated_power, -slope, atol=1e-8)


def test_services_of_a_long_chain_need_no_room_for_matrices():
    """Twenty thousand bodies: a matrix would be three gigabytes."""
    d, rest = ht.dynamics(ht.library.chain(20_000)), np.zeros(20_000)
    np.testing.assert_allclose(
        d.inverse_dynamics(rest, rest, d.forward_dynamics(rest, rest)), 0.0, atol=1e-6
    )
