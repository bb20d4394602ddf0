"""Bodies of particles with pair forces: a fluid of 1000 tetrahedra against LAMMPS, pairs per
second, and how the cost grows.

Both programs start from the same particles and velocities, take the same steps with the same skin
of their lists, on one core, in turn. Rounds hold many steps, so that each contains its share of new
lists; they are too long to fall between other people's work, and seconds are those of the
processor. "Shifted" is Lennard-Jones less its value at 2.5 σ, "smooth" tapers from 2 σ to 2.5 σ
with two continuous derivatives (in r² here, in r in LAMMPS). Pairs count where they are within the
cut-off; those that are computed and add nothing beside.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import hamiltree as ht
from benchmarks.formulations import exponent
from benchmarks.lammps_box import SKIN, Box
from benchmarks.measure import Row, agree, best
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import rows
from hamiltree.forces.dispatch import add_all_wrenches, allocate_law_states, make_body_laws
from hamiltree.forces.laws import Bodies, Placement
from hamiltree.forces.neighbour_lists import LISTS_VALID
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import find_integrator
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.model.values import IDENTITY
from hamiltree.rotations import rotation_matrix
from hamiltree.run.equations import bind
from hamiltree.verbs import energies

SIDE, SPACING, CUTOFF, SWITCH = 10, 1.9, 2.5, 2.0
STEP, UNTIL, ROUND, ROUNDS = 0.004, 4.0, 100, 6
FORCES = {"shifted": {"shift": True}, "smooth": {"switch": SWITCH}}
CHAIN_SIZES = (10, 30, 100, 300, 1000, 3000, 10_000)
RIMS = (4, 8, 16, 32, 64)  # particles on each of the two rims of a disc
# boxes of 1000 side by side: to 100,000 bodies
TILES = ((1, 1, 1), (2, 2, 2), (3, 3, 3), (5, 5, 4))
SMALL = {
    **{"SIDE": 4, "UNTIL": 0.4, "ROUND": 10, "ROUNDS": 1},
    **{"CHAIN_SIZES": (10, 11), "RIMS": (4, 8), "TILES": ((1, 1, 1), (2, 1, 1))},
}


def race_rows() -> list[Row]:
    fluid = tetrahedra(SIDE)
    return [row for kind in FORCES for row in rows_of_race(fluid, kind)]


def own_rows() -> list[Row]:
    fluid = tetrahedra(SIDE)
    return [*rate_rows(fluid), *growth_rows(), *list_rows(fluid)]


# ---- a fluid of tetrahedra -----------------------------------------------------------------------
class Fluid(NamedTuple):
    at: np.ndarray  # (n, 3) centres
    attitude: np.ndarray  # (n, 4)
    v: np.ndarray
    w: np.ndarray  # body axes
    box: tuple[float, float, float]


SHAPE = ht.library.tetrahedron()
CORNERS = np.array(SHAPE.positions)
TRIES = 64


def tetrahedra(side: int, temperature: float = 1.0, seed: int = 1) -> Fluid:
    """A cubic lattice at the density of a liquid; each body takes the attitude, of some, that keeps
    it furthest from those before it.
    """
    rng, length, n = np.random.default_rng(seed), side * SPACING, side**3
    at = SPACING * (
        np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    )
    attitude, places = np.zeros((n, 4)), np.zeros((n, 4, 3))
    for i in range(n):
        tried = rng.normal(size=(TRIES, 4))
        tried /= np.linalg.norm(tried, axis=1)[:, None]
        corners = np.einsum("tij,kj->tki", rotation_matrix(tried), CORNERS)
        beside = np.flatnonzero(
            np.abs(nearest_image(at[:i] - at[i], length)).max(axis=1, initial=0.0) < 1.1 * SPACING
        )
        others = nearest_image(places[beside] - at[i], length).reshape(-1, 3)
        gap = (
            np.linalg.norm(corners[:, :, None] - others, axis=-1)
            .reshape(TRIES, -1)
            .min(axis=1, initial=np.inf)
        )
        attitude[i], places[i] = tried[gap.argmax()], at[i] + corners[gap.argmax()]
    body = ht.Body.of_particles("b", SHAPE)
    v = np.sqrt(temperature / body.mass) * rng.normal(size=(n, 3))
    w = np.sqrt(temperature / np.diag(body.inertia)) * rng.normal(size=(n, 3))
    return Fluid(at, attitude, v - v.mean(axis=0), w, (length,) * 3)


def nearest_image(d: np.ndarray, length) -> np.ndarray:
    return d - length * np.round(d / length)


def tiled(fluid: Fluid, tiles: tuple[int, int, int]) -> Fluid:
    """The same box again and again."""
    shift = np.array(np.unravel_index(np.arange(np.prod(tiles)), tiles)).T * np.array(fluid.box)
    again = [np.tile(values, (len(shift), 1)) for values in (fluid.attitude, fluid.v, fluid.w)]
    at = (shift[:, None] + fluid.at).reshape(-1, 3)
    return Fluid(at, *again, tuple(float(a * b) for a, b in zip(tiles, fluid.box, strict=True)))


def model_of(fluid: Fluid, **force: Any) -> ht.Model:
    """The fluid as a model: free bodies and one pair force."""
    like = ht.Body.of_particles("b", SHAPE)
    bodies = [replace(like, name=f"b{i}") for i in range(len(fluid.at))]
    starts = zip(
        fluid.at.tolist(), fluid.attitude.tolist(), fluid.v.tolist(), fluid.w.tolist(), strict=True
    )
    joints = [
        ht.Free(f"j{i}", "ground", f"b{i}", q=(*at, *turn), qdot=(*v, *w))
        for i, (at, turn, v, w) in enumerate(starts)
    ]
    return ht.Model(bodies, joints, [pair_force(fluid, **force)], gravity=(0, 0, 0))


def pair_force(fluid: Fluid, **force: Any) -> ht.PairForce:
    return ht.PairForce(ht.LennardJones(1.0, 1.0), cutoff=CUTOFF, skin=SKIN, box=fluid.box, **force)


def particles_of(fluid: Fluid) -> tuple[np.ndarray, np.ndarray]:
    """Places and velocities, (bodies, 4, 3) each."""
    turn = rotation_matrix(fluid.attitude)
    arms, spin = np.einsum("nij,kj->nki", turn, CORNERS), np.einsum("nij,nj->ni", turn, fluid.w)
    return fluid.at[:, None] + arms, fluid.v[:, None] + np.cross(spin[:, None], arms)


# ---- ours ----------------------------------------------------------------------------------------
@kernel
def energy_at(system, work, y):
    found = energies(system, work, 0.0, y)
    return found.potential, found.kinetic


class Ours:
    """A run by free_bodies_quaternion inside compiled code, going on from where the last call
    ended, as simulate does chunk after chunk.
    """

    def __init__(self, model: ht.Model, integrator: str, step: float):
        """Bind the model and allocate all that steps need."""
        bound = bind(model, "free_bodies_quaternion")
        self.system, start = bound.system, bound.y
        found = find_integrator(integrator)
        workspace = bound.equations.formulation.workspace
        self.integrator = found if found.bind is None else found.bind(found, self.system)
        self.works = workspace(self.system, 1), workspace(self.system, 1)
        self.handle = indirect(
            self.system, *self.works, self.integrator.needs, self.integrator.width
        )
        self.state, self.step = self.integrator.initial_state(start, self.integrator.method), step
        self.monitor, self.nothing = empty_monitor(len(start)), np.empty((0, len(start) + 2))

    def advance(self, steps: int) -> None:
        """Take so many steps."""
        integrator = self.integrator
        integrator.advance(
            self.handle,
            integrator.method,
            self.state,
            self.monitor,
            0.0,
            0,
            self.step,
            steps,
            steps + 1,
            self.nothing,
        )

    def energies(self) -> tuple[float, float]:
        return energy_at(self.system, self.works[1], self.state.y)

    def particles(self) -> np.ndarray:
        body = self.state.y[: self.system.layout.positions].reshape(-1, 7)
        return body[:, None, :3] + np.einsum("nij,kj->nki", rotation_matrix(body[:, 3:]), CORNERS)


# ---- against LAMMPS ------------------------------------------------------------------------------
class Finish(NamedTuple):
    worst: float  # largest |E − E(0)| in parts of the kinetic energy
    drift: float  # of a straight line through E, over the whole run
    seconds: float


def rows_of_race(fluid: Fluid, kind: str) -> list[Row]:
    """Time of a step and energy error against LAMMPS."""
    if kind == "shifted":
        check_forces(fluid)
        check_paths(fluid)
    model = model_of(fluid, **FORCES[kind])
    costs = step_costs(model, fluid, kind)
    theirs, same = costs["LAMMPS"], costs["splitting2"]
    detail = ", ".join(f"{name} {1e6 * seconds:.0f} µs" for name, seconds in costs.items())
    what = f"{kind}, {len(fluid.at)} tetrahedra: a step against LAMMPS"
    lines = [Row(what, detail, theirs / same, at_least=1.0)]
    steps = round(UNTIL / STEP)
    peer = finish(Box(*particles_of(fluid), fluid.box[0], kind, STEP), steps)
    lines.append(
        error_row(
            f"{kind}, splitting2, the same step",
            finish(Ours(model, "splitting2", STEP), steps),
            peer,
            None,
        )
    )
    seconds = min(peer.seconds, steps * theirs)
    for name in ("splitting2", "splitting4"):
        ours, count = within(seconds, model, name, int(steps * theirs / costs[name]))
        lines.append(
            error_row(f"{kind}, {name}, equal time, h = {UNTIL / count:.4f}", ours, peer, 1.0)
        )
    return lines


def error_row(what: str, ours: Finish, peer: Finish, goal: float | None) -> Row:
    detail = f"{as_text(ours)}; LAMMPS {as_text(peer)}"
    return Row(
        f"{what}: energy error of LAMMPS to ours", detail, peer.worst / ours.worst, at_least=goal
    )


def within(seconds: float, model: ht.Model, name: str, steps: int) -> tuple[Finish, int]:
    """A run that takes no longer: long steps make lists anew more often than the guess of their
    number knows.
    """
    ours = finish(Ours(model, name, UNTIL / steps), steps)
    while ours.seconds > seconds and steps > 1:
        steps = max(1, int(0.98 * steps * seconds / ours.seconds))
        ours = finish(Ours(model, name, UNTIL / steps), steps)
    return ours, steps


def as_text(finish: Finish) -> str:
    return f"{finish.worst:.1e} (drift {finish.drift:+.0e}) in {finish.seconds:.2f} s"


def check_forces(fluid: Fluid) -> None:
    """Energy, and force and torque of every body, at the start."""
    model, box = (
        model_of(fluid, **FORCES["shifted"]),
        Box(*particles_of(fluid), fluid.box[0], "shifted", STEP),
    )
    ours, theirs = Ours(model, "splitting2", STEP).energies(), box.energies()
    agree(
        "energies of the fluid, ours and LAMMPS'",
        float(np.abs(np.subtract(ours, theirs) / ours).max()),
        1e-10,
    )
    f, arms = box.particles("f"), particles_of(fluid)[0] - fluid.at[:, None]
    wrench = np.concatenate([np.cross(arms, f).sum(axis=1), f.sum(axis=1)], axis=1)
    acting = Acting(model.forces[0], fluid, model)
    acting(1)
    agree(
        "forces and torques of the fluid",
        float(np.abs(acting.bodies.wrench - wrench).max() / np.abs(wrench).max()),
        1e-10,
    )
    box.close()


def check_paths(fluid: Fluid, until: float = 0.1) -> None:
    """Both methods have order two: what they differ by falls by four when the step is halved."""
    model, apart = model_of(fluid, **FORCES["shifted"]), []
    for step in (STEP, STEP / 2):
        ours, box = (
            Ours(model, "splitting2", step),
            Box(*particles_of(fluid), fluid.box[0], "shifted", step),
        )
        ours.advance(round(until / step))
        box.advance(round(until / step))
        apart.append(
            float(np.abs(nearest_image(ours.particles() - box.particles("x"), fluid.box[0])).max())
        )
        box.close()
    agree("places of particles after a short run", apart[0], 1e-2)
    agree("what they differ by with half the step, in parts", apart[1] / apart[0], 0.35)


def step_costs(model: ht.Model, fluid: Fluid, kind: str) -> dict[str, float]:
    """Processor's seconds of a step: the best round of each, in turn."""
    box = Box(*particles_of(fluid), fluid.box[0], kind, STEP)
    racers = {
        "LAMMPS": box.advance,
        **{name: Ours(model, name, STEP).advance for name in ("splitting2", "splitting4")},
    }
    costs = dict.fromkeys(racers, np.inf)
    for advance in racers.values():
        advance(2)
    for _ in range(ROUNDS):
        for name, advance in racers.items():
            steps = ROUND // 5 if name == "splitting4" else ROUND
            costs[name] = min(costs[name], processor_seconds(advance, steps) / steps)
    box.close()
    return costs


def processor_seconds(f: Callable[[int], object], times: int) -> float:
    start = time.process_time()
    f(times)
    return time.process_time() - start


def finish(runner: Any, steps: int, samples: int = 100) -> Finish:
    """Energies at equal distances."""
    found, seconds = [runner.energies()], 0.0
    marks = np.linspace(0, steps, samples + 1).round().astype(int)
    for before, after in pairwise(marks):
        seconds += processor_seconds(runner.advance, int(after - before))
        found.append(runner.energies())
    kinetic, total = np.array(found)[:, 1].max(), np.sum(found, axis=1)
    slope = np.polyfit(marks / steps, total, 1)[0]
    return Finish(float(abs(total - total[0]).max() / kinetic), float(slope / kinetic), seconds)


# ---- pairs per second ----------------------------------------------------------------------------
@kernel
def repeat_acting(laws, bodies, times):
    for _ in range(times):
        add_all_wrenches(laws, 0.0, bodies)


class Acting:
    """Wrenches of one PairForce on bodies whose origins and axes are given."""

    def __init__(self, force: ht.PairForce, fluid: Any, model: ht.Model):
        """Tabulate the law and fill the poses of bodies."""
        n, number = len(fluid.at), {body.name: k for k, body in enumerate(model.bodies)}
        place = Placement(
            lambda name: 0, lambda name: (number[name], IDENTITY), body=model.body, model=model
        )
        self.laws = make_body_laws([force], place)
        self.law_states = allocate_law_states(self.laws, 1)
        self.bodies = Bodies(
            *(rows(kind, n, 1) for kind in (Mat3, Vec3, Twist, Wrench)), self.law_states
        )
        self.bodies.rotation[:] = np.swapaxes(rotation_matrix(fluid.attitude), 1, 2).reshape(n, 9)
        self.bodies.position[:] = fluid.at

    def __call__(self, times: int) -> None:
        self.bodies.wrench[:] = 0.0
        repeat_acting(self.laws, self.bodies, times)

    @property
    def law_state(self):
        return self.law_states.targets[0].parts[0]

    def anew(self, times: int) -> None:
        """With new lists each time."""
        for _ in range(times):
            self.law_state.facts[:, LISTS_VALID] = 0
            self(1)


class Discs(NamedTuple):
    """A straight chain, turned by a little from disc to disc."""

    at: np.ndarray
    attitude: np.ndarray
    shape: ht.Particles


def discs(n: int, rim: int) -> Discs:
    angle = 0.05 * np.arange(n)
    attitude = np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle, 0.0 * angle])
    return Discs(np.outer(np.arange(n), (2.0, 0.0, 0.0)), attitude, ht.library.disc(1.0, 0.5, rim))


def disc_model(n: int, rim: int) -> ht.Model:
    chain = discs(n, rim)
    return ht.library.particle_chain(
        n, chain.shape, spacing=2.0, attitudes=chain.attitude, first="free"
    )


def numpy_wrenches(chain: Discs) -> np.ndarray:
    """Torque and force of every body by its neighbours, in plain NumPy."""
    turn = rotation_matrix(chain.attitude)
    arms = np.einsum("nij,kj->nki", turn, np.array(chain.shape.positions))
    x = chain.at[:, None] + arms
    d = x[:-1, :, None] - x[1:, None]
    inverse = 1.0 / np.einsum("nklj,nklj->nkl", d, d)
    sixth = inverse**3
    f = d * (24.0 * inverse * sixth * (2.0 * sixth - 1.0))[..., None]
    on = np.zeros_like(x)
    on[:-1] += f.sum(axis=2)
    on[1:] -= f.sum(axis=1)
    return np.concatenate([np.cross(arms, on).sum(axis=1), on.sum(axis=1)], axis=1)


def rate_rows(fluid: Fluid, n: int = 50, rim: int = 32) -> list[Row]:
    """Pairs per second, without a cut-off and by neighbour lists; the same sum by NumPy."""
    chain, model = discs(n, rim), disc_model(n, rim)
    acting = Acting(model.forces[0], chain, model)
    acting(1)
    expected = numpy_wrenches(chain)
    agree(
        "wrenches of a chain of discs, ours and NumPy's",
        float(np.abs(acting.bodies.wrench - expected).max() / np.abs(expected).max()),
        1e-12,
    )
    dense = best(
        {"ours": acting, "NumPy": lambda times: [numpy_wrenches(chain) for _ in range(times)]}, 40
    )
    pairs = (n - 1) * (2 * rim) ** 2
    model = model_of(fluid, shift=True)
    listed = Acting(model.forces[0], fluid, model)
    seconds = best({"listed": listed}, 40)["listed"]
    computed, within = 4 * int(listed.law_state.start[0, -1]), pairs_within(fluid)
    detail = (
        f"{within} within {CUTOFF} σ of {computed} computed: "
        f"{computed / seconds / 1e6:.0f} million per second"
    )
    return [
        Row(
            "pairs per second, one core, neighbours: no cut-off",
            f"{pairs} pairs in {1e6 * dense['ours']:.0f} µs",
            pairs / dense["ours"] / 1e6,
            "million",
            at_least=100,
        ),
        Row(
            "pairs per second, one core, fluid by lists",
            detail,
            within / seconds / 1e6,
            "million",
            at_least=100,
        ),
        Row(
            "pair sum of a chain of discs against NumPy's",
            f"{1e6 * dense['NumPy']:.0f} µs",
            dense["NumPy"] / dense["ours"],
        ),
    ]


def pairs_within(fluid: Fluid) -> int:
    """Of different bodies, within the cut-off."""
    x, count = particles_of(fluid)[0], 0
    for i in range(len(x) - 1):
        beside = x[i + 1 :][
            np.abs(nearest_image(fluid.at[i + 1 :] - fluid.at[i], fluid.box)).max(axis=1)
            < CUTOFF + 2 * SPACING
        ]
        d = nearest_image(x[i][:, None] - beside.reshape(-1, 3), np.array(fluid.box))
        count += int((np.einsum("klj,klj->kl", d, d) < CUTOFF**2).sum())
    return count


# ---- how it grows --------------------------------------------------------------------------------
def growth_rows() -> list[Row]:
    """How the time of a step grows with bodies and with pairs per link."""
    bodies = seconds_of_steps({n: tetrahedra_in_a_row(n) for n in CHAIN_SIZES})
    particles = seconds_of_steps({4 * rim * rim: disc_model(8, rim) for rim in RIMS})
    return [
        Row(
            f"{what.format(min(found), max(found))}, a step of splitting2",
            first_and_last(found),
            exponent(found),
            "= exponent",
            at_most=1.1,
        )
        for what, found in (
            ("chain of tetrahedra, {} to {} bodies", bodies),
            ("8 discs, {} to {} pairs per link", particles),
        )
    ]


def tetrahedra_in_a_row(n: int) -> ht.Model:
    return ht.library.particle_chain(n, spacing=2.1, first="free")


def first_and_last(seconds: dict[int, float]) -> str:
    first, last = min(seconds), max(seconds)
    return f"{first}: {1e6 * seconds[first]:.3g} µs, {last}: {1e6 * seconds[last]:.4g} µs"


def seconds_of_steps(models: dict[int, ht.Model]) -> dict[int, float]:
    return best({n: Ours(model, "splitting2", 1e-4).advance for n, model in models.items()}, 20)


def list_rows(fluid: Fluid) -> list[Row]:
    """How forces by neighbour lists grow with bodies: lists kept, and lists made at every call."""
    kept, anew = {}, {}
    for tiles in TILES:
        many = tiled(fluid, tiles)
        model = model_of(many, shift=True)
        acting, n = Acting(model.forces[0], many, model), len(many.at)
        acting(1)
        kept[n], anew[n] = (
            min(processor_seconds(act, 5) / 5 for _ in range(4)) for act in (acting, acting.anew)
        )
    return [
        Row(
            f"fluid of {min(found):,} to {max(found):,} bodies, {what}",
            per_body(found),
            exponent(found),
            "= exponent",
            at_most=1.1,
        )
        for what, found in (
            ("forces by lists that are kept", kept),
            ("lists made anew and forces", anew),
        )
    ]


def per_body(seconds: dict[int, float]) -> str:
    return ", ".join(f"{n:,}: {1e9 * value / n:.0f} ns per body" for n, value in seconds.items())
