"""Several threads compute one tree: the same bits, no thread left, and one line where they would
bring nothing.
"""

import os
import signal
import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.algorithms.evaluation import BoundEquations
from hamiltree.cli import app as cli
from hamiltree.compiled.threads import APART, Team
from hamiltree.errors import OptionError, StepError
from hamiltree.formulations.tree.pieces import SMALLEST_PIECE, cut_tree, piece_slots
from hamiltree.formulations.tree.shared_rates import DONE, PUBLISHED, TAKEN, YDOT, Y
from hamiltree.formulations.tree.slots import link_flags
from hamiltree.model import JOINTS, Model, library
from hamiltree.model.bodies import GROUND
from hamiltree.run import choices

BODIES = 1200
ALL_KINDS = tuple(kind for kind in JOINTS if JOINTS[kind].coordinates)


def parents_of(kind: str) -> list[int]:
    """The body that carries each body; −1 is the ground."""
    rng, n = np.random.default_rng(2), BODIES
    return {
        "random": [-1, *(int(rng.integers(i)) for i in range(1, n))],
        "star": [-1, *(0 if i % 100 == 1 else i - 1 for i in range(1, n))],
        "two chains": [-1, *(0 if i == n // 2 else i - 1 for i in range(1, n))],
        "forest": [-1 if i % 5 == 0 else i - 1 for i in range(n)],
        "limbs": [
            -1,
            *(i - 1 if rng.random() < 0.95 else int(rng.integers(i)) for i in range(1, n)),
        ],
    }[kind]


KINDS = ("random", "star", "two chains", "forest", "limbs")


def tree_of(kind: str, joints: tuple[str, ...] = ALL_KINDS) -> Model:
    made = library.tree(BODIES, joints=joints, seed=4)
    names = [body.name for body in made.bodies] + [GROUND]
    parents = parents_of(kind)
    moved = [replace(j, parent=names[p]) for j, p in zip(made.joints, parents, strict=True)]
    return Model(name=kind, bodies=made.bodies, joints=moved)


@pytest.fixture(scope="module")
def tree():
    return tree_of("random")


@pytest.fixture
def no_thread_left():
    """Nothing runs beside the tests afterwards that did not before."""
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before


def states_of(model: Model, shape: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    q, p = np.random.default_rng(1).normal(size=(2, *shape, len(model.coordinates)))
    return q, p


def team_of(model: Model):
    """The team of an evaluator, with what it works on."""
    bound = BoundEquations(model, None, 2)
    return bound, bound.call.func.__self__


# ---- the same bits -------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(), (5,)])
def test_any_number_of_threads_gives_the_same_bits(kind, shape, no_thread_left):
    model = tree_of(kind)
    q, p = states_of(model, shape)
    expected = ht.evaluator(model)(q, p)
    for threads in (2, 3):
        for _ in range(3):
            found = ht.evaluator(model, threads=threads)(q, p)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", ["rk4", "gauss8"])
@pytest.mark.parametrize("has_laws", [False, True])
def test_runs_of_any_number_of_threads_have_the_same_bits(
    with_every_law, tree, has_laws, method, no_thread_left
):
    model = with_every_law(tree_of("limbs", ("revolute", "prismatic"))) if has_laws else tree
    asked = {"until": 3e-5, "step": 1e-5, "integrator": method, "progress": False}
    expected = ht.simulate(model, **asked)
    for threads in (2, 3):
        run = ht.simulate(model, threads=threads, **asked)
        for name in expected.dataset:
            np.testing.assert_array_equal(run.dataset[name], expected.dataset[name])


def test_steps_by_hand_have_the_bits_of_a_run(tree, no_thread_left):
    stepped = [ht.simulator(tree, step=1e-5, integrator="rk4", threads=k) for k in (1, 2)]
    for simulator in stepped:
        simulator.step(2)
        simulator.step()
    np.testing.assert_array_equal(stepped[0].state.q, stepped[1].state.q)
    np.testing.assert_array_equal(stepped[0].state.p, stepped[1].state.p)


def test_a_run_may_be_resumed_with_other_threads(tree, tmp_path):
    asked = {"step": 1e-5, "integrator": "rk4", "progress": False}
    whole = ht.simulate(tree, until=4e-5, **asked)
    ht.simulate(tree, until=2e-5, output=tmp_path / "run.nc", threads=2, **asked)
    run = ht.resume(tmp_path / "run.nc", until=4e-5, progress=False, threads=3)
    np.testing.assert_array_equal(run.q[-1], whole.q[-1])
    np.testing.assert_array_equal(run.p[-1], whole.p[-1])


def test_helpers_sweep_pieces_without_the_leader(tree):
    """A helper takes all that is published and reads the leader's arrays by their addresses."""
    bound, team = team_of(tree)
    shared = team.shared[0]
    y, ydot = np.random.default_rng(0).normal(size=(2, sum(bound.system.layout)))
    shared.address[[Y, YDOT]] = y.ctypes.data, ydot.ctypes.data
    pieces = len(shared.piece)

    def publish_half():
        shared.counters[PUBLISHED * APART] = 1
        while shared.counters[DONE * APART] < pieces:
            assert any(thread.name == "hamiltree helper" for thread in threading.enumerate())

    team.call(publish_half)
    taken = [shared.counters[(TAKEN + k) * APART] for k in range(2)]
    assert taken == shared.share[:, 1].tolist()
    work = team.helpers[0].parts[1]
    first, last = shared.piece[0, :2]
    rows = bound.system.layout.positions + bound.system.coordinate[first:last]
    np.testing.assert_array_equal(work.pi[first:last], y[rows])
    assert (work.r[first:last] != 0.0).any()


# ---- threads end with the call -------------------------------------------------------------------
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_helpers_end_with_a_call_that_fails(tree, error, no_thread_left):
    bound, team = team_of(tree)
    seen = []

    def fail():
        seen.append(threading.active_count())
        raise error

    with pytest.raises(error):
        team.call(fail)
    assert seen == [threading.active_count() + 1]
    q, p = states_of(tree)
    np.testing.assert_array_equal(bound.evaluate_states(q, p), ht.evaluate(tree, q, p))


def test_an_interrupt_while_a_helper_starts_leaves_none(tree, monkeypatch, no_thread_left):
    bound, _ = team_of(tree)
    q, p = states_of(tree)
    usual = threading.Thread.start

    def start_and_interrupt(thread):
        usual(thread)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(threading.Thread, "start", start_and_interrupt)
        bound.evaluate_states(q, p)
    np.testing.assert_array_equal(bound.evaluate_states(q, p), ht.evaluate(tree, q, p))


def test_a_helper_that_is_not_waited_for_ends_by_itself(tree, monkeypatch, no_thread_left):
    """A second Ctrl-C comes in `join`, before the helper has ended."""
    bound, team = team_of(tree)
    may_end, helpers = threading.Event(), []

    def help_and_stay(pointer, number):
        helpers.append(threading.current_thread())
        team.help(pointer, number)
        may_end.wait(10.0)

    def interrupt(thread):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(threading.Thread, "join", interrupt)
        team._replace(help=help_and_stay).call(lambda: None)
    q, p = states_of(tree)
    np.testing.assert_array_equal(bound.evaluate_states(q, p), ht.evaluate(tree, q, p))
    may_end.set()
    helpers[0].join()


def test_a_helper_that_comes_after_its_call_does_not_help_the_next_one(tree, monkeypatch):
    """Ctrl-C came before the system had begun its thread."""
    bound, team = team_of(tree)
    late: list[threading.Thread] = []

    def interrupt(thread):
        late.append(thread)
        raise KeyboardInterrupt

    def let_it_come():
        late[0].start()
        late[0].join(10.0)
        return late[0].is_alive()

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(threading.Thread, "start", interrupt)
        team.call(lambda: None)
    assert not team.call(let_it_come)
    q, p = states_of(tree)
    np.testing.assert_array_equal(bound.evaluate_states(q, p), ht.evaluate(tree, q, p))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_helper_that_fails_before_it_helps_is_told(tree, no_thread_left):
    def fail(pointer, number):
        raise MemoryError

    _, team = team_of(tree)
    with pytest.raises(OptionError, match="threads = 2: a thread that was to help has failed"):
        team._replace(help=fail).call(lambda: None)


def test_helpers_end_with_a_run_that_fails(tree, no_thread_left):
    with pytest.raises(StepError):
        ht.simulate(tree, until=1e4, step=1e3, integrator="rk4", progress=False, threads=2)


def test_ctrl_c_ends_a_run_and_its_helpers(tree, no_thread_left, monkeypatch):
    """In the middle of a compiled chunk."""
    simulator = ht.simulator(tree, step=1e-9, integrator="rk4", threads=2)
    simulator.run(until=1e-9)
    timer = threading.Timer(0.05, lambda: signal.raise_signal(signal.SIGINT))
    call = Team.call

    def call_with_signal(self, *arguments):
        if timer.ident is None:
            timer.start()
        return call(self, *arguments)

    monkeypatch.setattr(Team, "call", call_with_signal)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run = simulator.run(until=3e-5, save_every=10**6)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert run.status.startswith("interrupted")


def test_a_system_without_room_for_threads_is_named(tree, monkeypatch, no_thread_left):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    _, team = team_of(tree)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(OptionError, match="threads = 2: the system starts no more threads"):
        team.call(lambda: None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_computes_with_threads_of_its_own(tree):
    f = ht.evaluator(tree, threads=2)
    q, p = states_of(tree)
    expected = f(q, p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the tests themselves have threads
        child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if np.array_equal(f(q, p), expected) else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# ---- refusals ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"threads": 0}, "threads = 0; it must be a whole number from 1 to"),
        ({"threads": 2.0}, "threads = 2.0; it must be a whole number"),
        ({"threads": True}, "threads = True; it must be a whole number"),
        ({"threads": 2, "formulation": "kane_relative"}, "kane_relative computes in one thread"),
        ({"threads": 2, "integrator": "stormer_verlet"}, "stormer_verlet asks for more than"),
        (
            {"threads": 2},
            r"'chain\(200\)' \(200 links\) is too small or too much of a single chain",
        ),
    ],
)
def test_threads_that_bring_nothing_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        ht.simulate(library.chain(200), until=1e-3, progress=False, **options)


@pytest.mark.parametrize("bodies", [1, 2, 3, 60])
def test_threads_of_small_trees_are_refused(bodies):
    words = rf"\({bodies} links\) is too small"
    with pytest.raises(OptionError, match=words):
        ht.evaluator(library.n_pendulum(bodies), threads=2)


def test_threads_of_an_evaluator_are_refused_alike():
    with pytest.raises(OptionError, match="no cut into branches makes it faster"):
        ht.evaluator(library.chain(5000), threads=4)
    with pytest.raises(OptionError, match="phase_space computes in one thread"):
        ht.evaluator(ht.hamiltonian("p**2/2 - cos(q)"), threads=2)


def test_joints_that_follow_others_are_refused_by_name(tree):
    leader, follower = [j.name for j in tree.joints if j.kind == "revolute"][:2]
    at_rest = [replace(j, q=0.0, qdot=0.0) if j.name == follower else j for j in tree.joints]
    model = tree.with_(joints=at_rest, couplings=[ht.Mimic(follower, leader)])
    with pytest.raises(OptionError, match=f"'{follower}' follows another coordinate"):
        ht.evaluator(model, threads=2)


def test_interpreted_code_has_one_thread(tree, monkeypatch):
    monkeypatch.setattr(choices, "is_interpreted", lambda: True)
    with pytest.raises(OptionError, match="interpreted code computes in one thread"):
        ht.evaluator(tree, threads=2)


def test_the_shell_asks_for_threads(tmp_path, monkeypatch, capsys):
    def run(*words: str) -> int:
        monkeypatch.setattr("sys.argv", ["hamiltree", "run", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return int(end.value.code or 0)

    monkeypatch.chdir(tmp_path)
    command = ["tree(1200)", "-u", "2e-5", "-s", "1e-5", "-i", "rk4", "--quiet"]
    for threads in ("1", "2"):
        assert run(*command, "--threads", threads, "-o", f"{threads}.nc") == 0
    runs = [ht.Trajectory.load(f"{threads}.nc") for threads in "12"]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    assert run("chain(10)", "--threads", "2") != 0
    assert "threads = 2: 'chain(10)' (10 links) is too small" in capsys.readouterr().err


# ---- cuts ----------------------------------------------------------------------------------------
def depth_first(parents: list[int]) -> np.ndarray:
    """The same tree with its links numbered depth first; the ground is n."""
    n = len(parents)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    for i, parent in enumerate(parents):
        children[parent].append(i)
    number, found, left = {-1: n}, [], children[n][::-1]
    while left:
        i = left.pop()
        number[i] = len(found)
        found.append(number[parents[i]])
        left += children[i][::-1]
    return np.array(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [2, 8])
def test_pieces_share_neither_links_nor_slots(kind, threads):
    parent = depth_first(parents_of(kind))
    n = len(parent)
    cut = cut_tree(parent, threads)
    owner = np.full(n + 1, -1)  # the trunk and the ground
    for k, (first, last) in enumerate(cut.pieces):
        assert last - first >= SMALLEST_PIECE
        assert (owner[first:last] == -1).all()
        owner[first:last] = k
    in_trunk = [i for first, last in cut.trunk for i in range(first, last)]
    assert sorted(in_trunk) == np.flatnonzero(owner[:n] == -1).tolist()
    for i in range(n):  # what a piece passes on goes to itself, or to the one link that carries it
        assert owner[parent[i]] in (owner[i], -1)
    flags = link_flags(parent, np.zeros(n, dtype=np.int64))
    slots = piece_slots(parent, flags, cut)
    for k in range(len(cut.pieces)):
        others = slots[:n][(owner[:n] != k) & (owner[:n] >= 0)]
        assert not set(slots[owner[:n] == k]) & set(others)


def test_a_chain_has_no_cut_that_pays_and_two_have_one():
    chain = np.append(1000, np.arange(999))
    assert cut_tree(chain, 4).cost > len(chain)
    two = chain.copy()
    two[500] = 1000
    assert cut_tree(two, 4).cost < 0.7 * len(two)
    assert len(cut_tree(two, 4).pieces) == 2
