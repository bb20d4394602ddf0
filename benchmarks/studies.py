"""Studies against the same members by other means: MuJoCo's rollout, a loop over simulate, SciPy.

The members are compared first: a speed of other trajectories would mean nothing.
"""

import time
from collections.abc import Callable

import numpy as np

import hamiltree as ht
from benchmarks.measure import Disagreement, Row, agree
from hamiltree.studies import grid, uniform
from hamiltree.studies.alone import Stop
from hamiltree.studies.design import make_design
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.study import define

BODIES = 10
MEMBERS = 1000
STEPS, FEW_STEPS = 1000, 20
STEP = 1e-3
THREADS = 2
REPEATS = 5  # of which the shortest counts
PAIRS = 9  # of runs with one and two threads
CALL = (
    5e-3  # s that simulate took when the goals were set: a cheaper call lowers them in proportion
)
CALLS = 20  # of simulate, whose mean counts
FINE, COMPARED = 2.5e-4, 0.05  # step and time of the comparison with MuJoCo
MASSES = 100  # members of the study of masses
FOURS = 100  # groups of four members of which one fails
PASSAGES = 256  # members that an event ends
IMPLICIT_MEMBERS, IMPLICIT_STEPS = 16, 1000
IMPLICIT_METHODS = ("implicit_midpoint", "gauss4", "gauss6", "gauss10", "gauss12")
SIDE = 200  # of an image
IMAGE_STEPS = 400
GAUSS_MEMBERS, GAUSS_UNTIL, GAUSS_STEP = 20, 20.0, 0.02
TOLERANCES = 10.0 ** -np.arange(5.0, 13.5, 0.5)
SMALL = {
    "BODIES": 2,
    "MEMBERS": 5,
    "STEPS": 4,
    "FEW_STEPS": 2,
    "CALLS": 1,
    "REPEATS": 1,
    "PAIRS": 1,
    "COMPARED": 0.005,
    "MASSES": 5,
    "FOURS": 2,
    "PASSAGES": 5,
    "IMPLICIT_MEMBERS": 5,
    "IMPLICIT_STEPS": 4,
    "IMPLICIT_METHODS": ("implicit_midpoint",),
    "SIDE": 3,
    "IMAGE_STEPS": 4,
    "GAUSS_MEMBERS": 2,
    "GAUSS_UNTIL": 1.0,
    "GAUSS_STEP": 0.1,
}


def seconds(run: Callable[[], object]) -> float:
    """Of the second call: the first compiles."""
    run()
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def study_of(model, members: int, steps: int, threads: int, step: float = STEP) -> ht.Study:
    """Starts of the first joint between −1 and 1 rad, by RK4."""
    return ht.study(
        model,
        {f"q.{model.coordinates[0]}": uniform(-1.0, 1.0)},
        members=members,
        keep="end",
        until=steps * step,
        step=step,
        integrator="rk4",
        threads=threads,
        progress=False,
    )


# ---- a loop over simulate, threads, images -------------------------------------------------------
def own_rows() -> list[Row]:
    model = ht.library.chain(BODIES)
    name = model.coordinates[0]
    found = study_of(model, MEMBERS, STEPS, THREADS)
    starts = found.data[f"q.{name}"].values

    def simulate(start: float, steps: int):
        q = {name: float(start)}
        return ht.simulate(
            model, steps * STEP, STEP, integrator="rk4", q=q, progress=False, save_every=steps
        )

    for member in (0, MEMBERS - 1):
        alone = simulate(starts[member], STEPS).q.values[-1]
        agree(f"member {member}", np.abs(alone - found.data["q_end"].values[member]).max(), 0.0)
    rows = []
    for steps, goal in ((STEPS, 6.0), (FEW_STEPS, 50.0)):
        loop, ours = (
            min(seconds(run) for _ in range(REPEATS))
            for run in (
                lambda steps=steps: [simulate(x, steps) for x in starts[:CALLS]],
                lambda steps=steps: study_of(model, MEMBERS, steps, THREADS),
            )
        )
        each, own = loop / len(starts[:CALLS]), ours / MEMBERS
        in_proportion = f"against a call of {1e3 * CALL:.0f} ms {CALL / own:.0f}"
        words = f"simulate {1e3 * each:.2f} ms, study {1e3 * own:.3f} ms a member; {in_proportion}"
        what = f"{BODIES} bodies, {steps} steps: against a loop over simulate"
        rows.append(Row(what, words, each / own, at_least=goal * min(1.0, each / CALL)))
    more = thread_row(model), table_row(model), failure_row(), *waiting_rows()
    return [*rows, *more, *implicit_rows(), *image_rows()]


def thread_row(model) -> Row:
    """The shortest of several times each, in turn: what else the machine does only adds to them."""
    study_of(model, MEMBERS, FEW_STEPS, THREADS)

    def run(threads: int) -> float:
        began = time.perf_counter()
        study_of(model, MEMBERS, STEPS, threads)
        return time.perf_counter() - began

    pairs = [(run(1), run(2)) for _ in range(PAIRS)]
    one, two = (min(times) for times in zip(*pairs, strict=True))
    words = f"{MEMBERS} members: {one:.3f} s by one, {two:.3f} s by two"
    return Row(f"{BODIES} bodies, {STEPS} steps: two threads", words, one / two, at_least=1.85)


def table_row(model) -> Row:
    """Members with other masses: each is assembled, and steps with tables of its own."""

    def run(steps: int) -> ht.Study:
        return ht.study(
            model,
            {f"bodies.{model.bodies[0].name}.mass": uniform(1.0, 2.0)},
            members=MASSES,
            keep="end",
            until=steps * STEP,
            step=STEP,
            integrator="rk4",
            threads=1,
            progress=False,
        )

    few, many = (seconds(lambda steps=steps: run(steps)) / MASSES for steps in (FEW_STEPS, STEPS))
    step = (many - few) / (STEPS - FEW_STEPS)
    words = f"{1e3 * few:.2f} ms a member of {FEW_STEPS} steps, {1e6 * step:.2f} µs for each more"
    return Row(f"{BODIES} bodies with other masses, one thread", words, 1e3 * few, "ms")


def failure_row() -> Row:
    """One member of four escapes to infinity half way: it waits in its lane, and runs once more
    alone.
    """
    escape = ht.hamiltonian("p**2/2 - q**4/4", q={"q": 0.1}, p={"p": 0.0})

    def run(starts: list[float]) -> ht.Study:
        settings = {"until": 0.01 * STEPS, "step": 0.01, "integrator": "rk4"}
        arguments = {"keep": "end", "threads": 1, "progress": False}
        return ht.study(escape, {"q.q": starts * FOURS}, **settings, **arguments)

    calm, wild = [0.1, 0.05, 0.02, 0.01], [0.1, 4.0, 0.02, 0.01]
    found, expected = run(wild), run(calm)
    assert len(found.failed) == FOURS or STEPS < 100
    ends = [each.data["q_end"].values[::4] for each in (found, expected)]
    agree("members beside one that fails", np.abs(ends[0] - ends[1]).max(), 0.0)
    with_failures, without = (seconds(lambda x=x: run(x)) for x in (wild, calm))
    each = 1e3 * (with_failures - without) / FOURS
    words = f"{with_failures:.2f} s with, {without:.2f} s without, {each:.2f} ms a failure"
    return Row(f"one of four members fails, {STEPS} steps", words, with_failures / without)


def blocks_of(problem, vary, members: int, settings: dict) -> tuple[BlockRunner, BlockRunner]:
    """The same members in lanes and one by one, in one thread; their ends compared."""
    definition = define(problem, make_design(vary, members, "random", 0), ["end"], settings)
    lanes, alone = (BlockRunner(definition, Stop(), lanes=has) for has in (True, False))
    if lanes.lanes is None:
        raise Disagreement("these members have no lanes")
    few = min(members, 8)
    ends = [run(0, few).values for run in (lanes, alone)]
    for name in ends[0]:
        if not np.array_equal(ends[0][name], ends[1][name], equal_nan=True):
            raise Disagreement(f"{name} differs between lanes and runs alone")
    return lanes, alone


def waiting_rows() -> list[Row]:
    """Members that an event ends, each at a time of its own: it waits for the others in its
    lanes.
    """
    typed = ht.hamiltonian("p**2/2 - cos(q) - 0.6*q*cos(0.7*t)")
    chain = ht.library.chain(BODIES)
    hinge = chain.coordinates[0]
    cases = (
        ("an H(q, p)", typed, {"q.q": uniform(-1, 1), "p.p": uniform(-1, 1)}, "q**2 - 9", 0.04),
        (f"{BODIES} bodies", chain, {f"q.{hinge}": uniform(-1, 1)}, f"{hinge} - 0.2", STEP),
    )
    rows = []
    for what, problem, vary, event, step in cases:
        until = step * STEPS
        settings = {"until": until, "step": step, "integrator": "rk4"}
        events = [ht.Event(event, terminal=True)]
        lanes, alone = blocks_of(problem, vary, PASSAGES, {**settings, "events": events})
        to_the_end, _ = blocks_of(problem, vary, PASSAGES, settings)
        ends = lanes(0, PASSAGES).values["t_end"] / until
        fours = ends[: len(ends) // 4 * 4].reshape(-1, 4)
        waiting = fours.max(axis=1).mean() / fours.mean()
        own, whole = (seconds(lambda r=r: r(0, PASSAGES)) for r in (lanes, to_the_end))
        few = max(1, PASSAGES // 8)
        single = seconds(lambda r=alone, n=few: r(0, n)) / few * PASSAGES
        words = (
            f"in lanes {1e3 * own / PASSAGES:.3f} ms, alone {1e3 * single / PASSAGES:.2f} ms a "
            f"member; without the event {1e3 * whole / PASSAGES:.3f} ms. They end after "
            f"{ends.mean():.2f} of the time, and take {waiting:.2f} × their steps"
        )
        rows.append(Row(f"{what}, an event ends members: lanes against alone", words, single / own))
    return rows


def implicit_rows() -> list[Row]:
    """Members in the lanes against stages in the lanes."""
    chain = ht.library.chain(BODIES)
    pendulum, flight = ht.library.n_pendulum(2, angles=0.4), ht.library.free_body()
    typed = ht.hamiltonian("p**2/2 - k*cos(q) + 0.1*q*sin(2*t)", k=1.0)
    free = {"formulation": "free_bodies_quaternion"}
    cases = (
        ("an H(q, p)", typed, {"k": uniform(1, 2), "q.q": uniform(-1, 1)}, 0.02, {"p": {"p": 0.1}}),
        ("2 bodies", pendulum, {"q.hinge1": uniform(-1, 1)}, 0.01, {}),
        (f"{BODIES} bodies", chain, {f"q.{chain.coordinates[0]}": uniform(-1, 1)}, 0.005, {}),
        ("masses of 2 bodies", pendulum, {"bodies.rod1.mass": uniform(1, 2)}, 0.01, {}),
        ("a free body", flight, {"bodies.body.mass": uniform(1, 2)}, 0.01, free),
    )
    rows = []
    for method in IMPLICIT_METHODS:
        ratios = []
        for what, problem, vary, step, more in cases:
            settings = {"until": IMPLICIT_STEPS * step, "step": step, "integrator": method, **more}
            pair = blocks_of(problem, vary, IMPLICIT_MEMBERS, settings)
            times = [min(seconds(lambda r=r: r(0, IMPLICIT_MEMBERS)) for _ in "123") for r in pair]
            ratios.append((what, times[1] / times[0]))
        words = ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios)
        least = min(ratio for _, ratio in ratios)
        rows.append(Row(f"{method}: members in lanes against stages in lanes", words, least))
    return rows


def image_rows() -> list[Row]:
    """Basins of a driven pendulum, typed in and as a model; the time of a million members."""
    typed = ht.hamiltonian("p**2/2 - cos(q) - 0.6*q*cos(0.7*t)")
    law = ht.JointLaw("hinge", "0.6*cos(0.7*t) - 0.1*v", name="drive")
    model = ht.library.build("pendulum").with_(forces=[law])
    problems = (
        ("an H(q, p)", typed, {"q.q": (-3, 3), "p.p": (-2, 2)}, 60.0),
        ("a model", model, {"q.hinge": (-3, 3), "qdot.hinge": (-2, 2)}, 150.0),
    )
    rows = []
    for what, problem, ranges, goal in problems:
        vary = {name: grid(*ends, SIDE) for name, ends in ranges.items()}
        settings = {"until": IMAGE_STEPS * 0.01, "step": 0.01, "integrator": "rk4"}
        run = lambda problem=problem, vary=vary, settings=settings: ht.study(
            problem, vary, keep="end", threads=THREADS, progress=False, **settings
        )
        figure = seconds(run) / SIDE**2 * 1e6
        words = f"{SIDE**2} members of {IMAGE_STEPS} steps, {figure:.1f} µs each"
        title = f"an image of 10⁶ members, driven pendulum as {what}"
        rows.append(Row(title, words, figure, "s", at_most=goal))
    return rows


# ---- MuJoCo --------------------------------------------------------------------------------------
def mujoco_rows() -> list[Row]:
    """The same members by `mujoco.rollout` in as many threads."""
    import mujoco
    from mujoco.rollout import Rollout

    from benchmarks.peers import to_mujoco

    model = ht.library.chain(BODIES)

    def roll(pool: Rollout, starts: np.ndarray, steps: int, step: float) -> np.ndarray:
        """Final q of all members, in our order."""
        peer, order = to_mujoco(model, step)
        state = np.zeros((len(starts), 1 + peer.nq + peer.nv))
        state[:, 1 + list(order).index(0)] = starts
        data = [mujoco.MjData(peer) for _ in range(THREADS)]
        found, _ = pool.rollout(peer, data, state, nstep=steps)
        q = np.empty((len(starts), peer.nq))
        q[:, order] = found[:, -1, 1 : 1 + peer.nq]
        return q

    with Rollout(nthread=THREADS) as pool:
        steps = round(COMPARED / FINE)
        ours = study_of(model, min(MEMBERS, 20), steps, THREADS, FINE).data
        starts = ours[f"q.{model.coordinates[0]}"].values
        error = np.abs(roll(pool, starts, steps, FINE) - ours["q_end"].values).max()
        agree("positions of the members, rad", error, 1e-8)
        starts = study_of(model, MEMBERS, 1, THREADS).data[f"q.{model.coordinates[0]}"].values
        theirs = seconds(lambda: roll(pool, starts, STEPS, STEP))
    own = seconds(lambda: study_of(model, MEMBERS, STEPS, THREADS))
    words = f"MuJoCo {theirs:.2f} s, study {own:.2f} s"
    what = f"{MEMBERS} members × {BODIES} bodies × {STEPS} steps of RK4: against mujoco.rollout"
    return [Row(what, words, theirs / own, at_least=8)]


# ---- SciPy ---------------------------------------------------------------------------------------
def scipy_rows() -> list[Row]:
    """Gauss-8 members in one thread against DOP853 of SciPy at no smaller error."""
    from scipy.integrate import solve_ivp

    model = ht.library.n_pendulum(2, angles=0.4)
    evaluate = ht.evaluator(model)
    n = len(model.coordinates)
    q0, p0 = np.full(n, 0.4), np.zeros(n)

    def slope(t, y):
        return np.concatenate(evaluate(y[:n], y[n:]))

    def gauss(integrator: str, step: float, members: int) -> ht.Study:
        return ht.study(
            model,
            {f"p.{model.coordinates[0]}": [0.0] * members},
            q=q0,
            keep="end",
            until=GAUSS_UNTIL,
            step=step,
            integrator=integrator,
            threads=1,
            progress=False,
        )

    def solve(tolerance: float) -> np.ndarray:
        y = np.concatenate([q0, p0])
        options = {"rtol": tolerance, "atol": tolerance}
        return solve_ivp(slope, (0.0, GAUSS_UNTIL), y, "DOP853", [GAUSS_UNTIL], **options).y[:n, -1]

    exact = gauss("gauss12", GAUSS_STEP / 4, 1).data["q_end"].values[0]
    error = np.abs(gauss("gauss8", GAUSS_STEP, 1).data["q_end"].values[0] - exact).max()
    found = {x: np.abs(solve(x) - exact).max() for x in TOLERANCES}
    agree("SciPy and Gauss", min(found.values()), 1e-6)
    chosen = next((x for x in TOLERANCES if found[x] <= error), TOLERANCES[-1])
    theirs = seconds(lambda: solve(chosen))
    own = seconds(lambda: gauss("gauss8", GAUSS_STEP, GAUSS_MEMBERS)) / GAUSS_MEMBERS
    words = (
        f"SciPy {1e3 * theirs:.1f} ms (error {found[chosen]:.0e}), "
        f"study {1e3 * own:.2f} ms a member (error {error:.0e})"
    )
    return [Row("gauss8 against DOP853 of SciPy, one thread", words, theirs / own, at_least=10)]
