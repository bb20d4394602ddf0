"""The field of a centre as seen from a Kepler orbit: the orbit, the forces, their digits."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.optimize import brentq

import hamiltree as ht
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import load, store
from hamiltree.forces.orbiting_frame import (
    Orbit,
    OrbitingFrames,
    differential_pull,
    orbit_position,
    tabulate_orbiting_frames,
)
from hamiltree.model.orbits import MAX_ECCENTRICITY, OrbitingFrame, find_orbit
from tests.forces.test_elements import (
    PLACEMENT,
    Scene,
    bodies_of,
    body_energy,
    push_bodies,
    slope,
    tables_of,
)

ECCENTRICITIES = (0.0, 1e-9, 1e-3, 0.1, 0.3, 0.6, 0.8, 0.899)
MU = 3.0


def orbit_of(eccentricity, anomaly=0.7, epoch=2.0, a=1.3):
    """An inclined orbit, from its elements."""
    major = np.array([0.36, 0.48, 0.8])
    minor = np.array([0.8, -0.6, 0.0])
    flat = np.sqrt(1 - eccentricity**2)
    E = anomaly
    speed = np.sqrt(MU / a) / (1 - eccentricity * np.cos(E))
    place = a * ((np.cos(E) - eccentricity) * major + flat * np.sin(E) * minor)
    velocity = speed * (flat * np.cos(E) * minor - np.sin(E) * major)
    return find_orbit(place, velocity, MU, epoch), place, velocity


# ---- the orbit -----------------------------------------------------------------------------------
@pytest.mark.parametrize("e", ECCENTRICITIES)
def test_an_orbit_begins_where_it_was_found(e):
    for anomaly in np.linspace(-3.1, 3.1, 9):
        orbit, place, velocity = orbit_of(e, anomaly)
        now = np.array([2.0])
        assert orbit.positions(now)[0] == pytest.approx(place, abs=1e-14)
        assert orbit.velocities(now)[0] == pytest.approx(velocity, abs=3e-14 / (1 - e))
        assert orbit.eccentricity == pytest.approx(e, abs=1e-15)


def excess(E, e, M):
    return E - e * np.sin(E) - M


@pytest.mark.parametrize("e", ECCENTRICITIES)
def test_keplers_equation_is_solved_to_rounding(e):
    """Against bracketing, also next to the pericentre, where E changes quickly."""
    orbit, *_ = orbit_of(e)
    M = np.concatenate([np.linspace(-np.pi, np.pi, 301), np.geomspace(1e-9, 0.5, 60)])
    times = orbit.epoch + (M - orbit.mean_anomaly) / orbit.rate
    found = orbit.eccentric_anomaly(times)
    for given, E in zip(M, found, strict=True):
        exact = brentq(excess, -4.0, 4.0, (e, given), xtol=1e-16, rtol=1e-15)
        miss = abs(E - exact) % (2 * np.pi)
        assert min(miss, 2 * np.pi - miss) < 4e-15 / (1 - e)
    assert orbit.corrections <= 6
    assert orbit_of(0.0)[0].corrections <= 1


@kernel
def kernel_positions(orbits, corrections, times, places):
    store(places, 0, orbit_position(load(orbits, 0, Orbit), corrections, load(times, 0)))


@pytest.mark.parametrize("e", ECCENTRICITIES)
def test_kernels_of_floats_and_lanes_follow_the_orbit_alike(e):
    """After many turns too; NumPy's sine may differ in its last digit."""
    orbit, *_ = orbit_of(e)
    table = table_of(orbit).orbit
    times = 2.0 + np.array([-0.3, 0.9, 40.0, 1234.5])
    together = np.zeros((1, 3, 4))
    kernel_positions(table, orbit.corrections, times[None], together)
    for k, t in enumerate(times):
        alone = np.zeros((1, 3))
        kernel_positions(table, orbit.corrections, np.array([t]), alone)
        assert (alone[0] == together[0, :, k]).all()
        expected = orbit.positions(np.array([t]))[0]
        turned = abs(t - 2.0) * orbit.rate
        assert alone[0] == pytest.approx(expected, abs=(1 + turned) * 1e-15 / (1 - e) ** 2)


def test_no_orbit_is_found_beyond_an_ellipse():
    place = np.array([1.0, 0.0, 0.0])
    for speed in (np.sqrt(2 * MU), 10.0):
        assert find_orbit(place, np.array([0.0, speed, 0.0]), MU, 0.0) is None
    for direction in np.eye(3)[:2]:
        assert find_orbit(place, 1e-3 * direction, MU, 0.0) is None  # falls into the centre
    assert find_orbit(np.zeros(3), place, MU, 0.0) is None
    assert find_orbit(place, np.array([0.0, np.sqrt(MU), 0.0]), -MU, 0.0) is None
    assert orbit_of(MAX_ECCENTRICITY + 1e-9)[0] is None


# ---- forces and energy ---------------------------------------------------------------------------
FIELDS = {
    "gradient": ht.CentralGravity("hand", MU),
    "no gradient": ht.CentralGravity("hand", MU, gradient=False),
    "no field": None,
}


def frame_of(orbit, field):
    return OrbitingFrame(orbit, ("hand", "flange"), (field, None))


def table_of(orbit, field=None):
    table = tabulate_orbiting_frames([frame_of(orbit, field)], PLACEMENT)
    assert isinstance(table, OrbitingFrames)
    return table


def fall_of_frame(scene, orbit, t):
    """(4, 6): m μ O/|O|³ at the centres of mass of both bodies."""
    O = orbit.positions(np.array([t]))[0]
    found = np.zeros((4, 6))
    for name in ("hand", "flange"):
        body = PLACEMENT.body(name)
        row, mount = PLACEMENT.link_of_body(name)
        arm = scene.R[row] @ (mount.matrix @ body.com + mount.position)
        force = body.mass * MU * O / np.linalg.norm(O) ** 3
        found[row] += [*np.cross(arm, force), *force]
    return found


def shifted(scene, O):
    """The same bodies as seen from the centre."""
    far = scene.moved(0.0)
    far.p = [p + O for p in scene.p]
    return far


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("e", [0.0, 0.6])
def test_forces_are_those_of_the_field_and_of_the_frame(name, e):
    orbit, *_ = orbit_of(e, a=9.0)
    t = 31.0
    scene = Scene(3)
    field = FIELDS[name]
    bodies = bodies_of(scene)
    push_bodies((table_of(orbit, field),), t, bodies)
    ground = bodies_of(shifted(scene, orbit.positions(np.array([t]))[0]))
    parts = tables_of(*([] if field is None else [field]))
    push_bodies(parts, t, ground)
    expected = ground.wrench + fall_of_frame(scene, orbit, t)
    assert bodies.wrench == pytest.approx(expected, abs=1e-13)
    energy = float(body_energy((table_of(orbit, field),), t, bodies))
    assert energy == pytest.approx(float(body_energy(parts, t, ground)), rel=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_power_of_the_field_is_minus_the_rate_of_its_energy(seed):
    orbit, *_ = orbit_of(0.3, a=9.0)
    scene, frame = Scene(seed), (table_of(orbit, FIELDS["gradient"]),)
    bodies = bodies_of(scene)
    push_bodies(frame, 5.0, bodies)
    pulled = bodies.wrench - fall_of_frame(scene, orbit, 5.0)
    power = float((pulled * np.array(scene.V)).sum())
    rate = slope(lambda h: float(body_energy(frame, 5.0, bodies_of(scene.moved(h)))))
    assert power == pytest.approx(-rate, rel=1e-8)


@kernel
def pull_at(away, origin, found):
    O = load(origin, 0, Vec3)
    tide, _, _ = differential_pull(
        load(away, 0, Vec3), O, 1.0 / (O.x * O.x + O.y * O.y + O.z * O.z)
    )
    store(found, 0, tide)


def exact_pull(away, origin):
    """d/|d|³ − O/|O|³ with fifty digits."""
    with localcontext(prec=50):
        O = [Decimal(x) for x in origin]
        d = [a + Decimal(x) for a, x in zip(O, away, strict=True)]
        cubes = [sum(x * x for x in v) ** Decimal("1.5") for v in (d, O)]
        return np.array([float(a / cubes[0] - b / cubes[1]) for a, b in zip(d, O, strict=True)])


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 1e6, 1e8])
def test_the_differential_pull_keeps_all_digits(size):
    """A metre beside an orbit of seven million: differences of the forces themselves keep nine."""
    origin = np.array([[4e6, -3e6, 5e6]])
    for direction in ((1.0, 0.2, -0.5), (0.0, 1.0, 0.6), (4.0, -3.0, 5.0)):
        away = size * np.array([direction])
        found = np.zeros((1, 3))
        pull_at(away, origin, found)
        exact = exact_pull(away[0], origin[0])
        assert found[0] == pytest.approx(exact, rel=0, abs=2e-15 * np.linalg.norm(exact))
