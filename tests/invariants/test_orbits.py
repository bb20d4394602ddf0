"""Bodies that fall about a centre: what moves within them is as accurate as at rest, and what is
recorded is what the ordinary equations say.
"""

import pickle
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import hamiltree as ht
from hamiltree.model.units import Units, nondimensionalise
from hamiltree.run.equations import ModelEquations
from hamiltree.run.plan import set_up
from hamiltree.run.start import Start

MU = 3.986e14
SPEED = 7500.0
RADIUS = MU / SPEED**2
HINGE_ACCURACY = 1e-8  # rad: by how much a hinge may be worse than at rest
CASES = [("rk4", 2e-3), ("gauss4", 2e-3), ("gauss8", 1e-2)]
OTHER = {
    "hamiltonian_tree": "cartesian_3",
    "kane_relative": "cartesian_3",
    "cartesian_3": "hamiltonian_tree",
}


def satellite(place=(0, 0, 0), velocity=(0, 0, 0), forces=(), gravity=(0, 0, 0)):
    """A bus of 1000 kg and a boom of 1 kg on a hinge with a spring."""
    bus = ht.Body("bus", mass=1000.0, inertia=(500.0, 500.0, 500.0))
    boom = ht.Body("boom", mass=1.0, com=(0.5, 0, 0), inertia=(1e-3, 0.1, 0.1))
    joints = [
        ht.Free("free", "ground", "bus", q=(*place, 1, 0, 0, 0), qdot=(*velocity, 0, 0, 0.05)),
        ht.Revolute("hinge", "bus", "boom", axis=(0, 0, 1), on_parent=(1, 0, 0), q=0.5),
    ]
    spring = ht.JointSpring("hinge", stiffness=400.0)
    return ht.Model([bus, boom], joints, forces=[spring, *forces], gravity=gravity)


def fields(*bodies, centre=(0, 0, 0), mu=MU, gradient=True):
    return [ht.CentralGravity(body, mu, centre, gradient) for body in bodies]


def in_orbit(*extra, **rest):
    """The satellite on a circle."""
    forces = [*fields("bus", "boom"), *extra]
    return satellite((RADIUS, 0, 0), (0, SPEED, 0), forces, **rest)


def run(model, until=2.0, step=2e-3, every=0.2, integrator="gauss8", **rest):
    rest |= {"save_every": round(every / step), "integrator": integrator, "progress": False}
    done = ht.simulate(model, until=until, step=step, **rest)
    assert done.status == "complete"
    return done


def hinge_of(done):
    return done.q.sel(coordinate="hinge").values


def start_of(model, integrator="gauss8", formulation=None, **options):
    """The start from which a run is integrated."""
    equations = set_up(model, 1e-3, formulation, integrator, options).equations
    assert isinstance(equations, ModelEquations)
    return equations.assembly_at(Start())


# ---- the hinge of a satellite --------------------------------------------------------------------
@pytest.mark.parametrize(("integrator", "step"), CASES)
@pytest.mark.parametrize("formulation", OTHER)
def test_a_hinge_in_orbit_is_as_accurate_as_at_rest(formulation, integrator, step):
    errors = []
    for model in (in_orbit(), satellite()):
        fine = run(model, until=20.0, step=1e-3, formulation=OTHER[formulation])
        done = run(model, until=20.0, step=step, formulation=formulation, integrator=integrator)
        errors.append(np.abs(hinge_of(done) - hinge_of(fine)).max())
    orbit, rest = errors
    assert orbit <= rest + HINGE_ACCURACY


@pytest.mark.parametrize("eccentricity", [0.5, 0.95, 0.998])
def test_a_hinge_at_the_pericentre_of_a_long_ellipse_is_as_accurate(eccentricity):
    radius = MU * (1 + eccentricity) / SPEED**2
    model = satellite((radius, 0, 0), (0, SPEED, 0), fields("bus", "boom"))
    fine = run(model, step=1e-3, formulation="kane_relative")
    coarse = run(model, step=2e-3, integrator="rk4")
    rest = run(satellite(), step=2e-3, integrator="rk4")
    fine_at_rest = run(satellite(), step=1e-3, formulation="kane_relative")
    error = np.abs(hinge_of(coarse) - hinge_of(fine)).max()
    assert error <= np.abs(hinge_of(rest) - hinge_of(fine_at_rest)).max() + HINGE_ACCURACY


@pytest.mark.parametrize("case", ["a load", "a hyperbola"])
def test_who_keeps_the_ordinary_frame_is_told_which_formulation_keeps_its_digits(case):
    """By canonical momenta the hinge is off by 0.02 rad after 2 s."""
    escape = satellite((1.1 * 2 * MU / SPEED**2, 0, 0), (0, SPEED, 0), fields("bus", "boom"))
    model = in_orbit(ht.BodyLoad("bus", (0.0, 0.0, 20.0))) if case == "a load" else escape
    with pytest.warns(ht.AccuracyWarning, match="body 'bus' .* fly 2e.05 times.* kane_relative"):
        by_momenta = run(model, step=2e-3, integrator="rk4", formulation="hamiltonian_tree")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_speeds = run(model, step=2e-3, integrator="rk4", formulation="kane_relative")
        run(in_orbit(), step=2e-3, integrator="rk4", formulation="hamiltonian_tree")
    rest = run(satellite(), step=2e-3, integrator="rk4", formulation="kane_relative")
    assert np.abs(hinge_of(by_speeds) - hinge_of(rest)).max() < 1e-6  # with the tide, 4e-7
    assert np.abs(hinge_of(by_momenta) - hinge_of(rest)).max() > 1e-3


class PlaneSatellite:
    """Newton's and Euler's equations of the satellite in its plane, in 64 bits of precision and
    seen from the ground: y = (x, y, θ of the bus, ψ of the boom), then their rates.
    """

    number = np.longdouble

    def __init__(self):
        n = self.number
        self.mu, self.stiffness = n(MU), n(400)
        self.mass = n(1000), n(1)
        self.moment = n(500), n(0.1)
        radius = self.mu / n(SPEED) ** 2
        arm = np.array([np.cos(n(0.5)), np.sin(n(0.5))])
        spin = n(0.05)
        self.start = np.array([radius, 0, 0, n(0.5), 0, n(SPEED), spin, spin])
        assert arm.dtype == n

    def field(self, r, mass, along, across, angle):
        """Force and torque of the centre on a body with moments along, across, across."""
        square = r @ r
        distance = np.sqrt(square)
        c, s = np.cos(angle), np.sin(angle)
        inertia = np.array(
            [
                [along * c * c + across * s * s, (along - across) * c * s],
                [(along - across) * c * s, along * s * s + across * c * c],
            ]
        )
        Ir = inertia @ r
        steep = 3 * self.mu / (2 * square * square * distance)
        spread = 5 * (r @ Ir) / square - (along + 2 * across)
        force = -self.mu * mass * r / (square * distance) + steep * (spread * r - 2 * Ir)
        return force, 2 * steep * (r[0] * Ir[1] - r[1] * Ir[0])

    def rates(self, y):
        """The hinge force λ on the boom follows from the acceleration of its point."""
        n = self.number
        r, (theta, psi), (spin, turn) = y[:2], y[2:4], y[6:8]
        c = np.array([np.cos(theta), np.sin(theta)])
        d = n(0.5) * np.array([np.cos(psi), np.sin(psi)])
        c_side, d_side = np.array([-c[1], c[0]]), np.array([-d[1], d[0]])
        bus, twist_bus = self.field(r, self.mass[0], n(500), n(500), theta)
        boom, twist_boom = self.field(r + c + d, self.mass[1], n(0.001), n(0.1), psi)
        spring = self.stiffness * (psi - theta)
        free = (twist_bus + spring) / self.moment[0], (twist_boom - spring) / self.moment[1]
        gap = (
            boom / self.mass[1] - bus / self.mass[0]
            - free[0] * c_side + spin**2 * c - free[1] * d_side + turn**2 * d
        )  # fmt: skip
        mobility = (
            (1 / self.mass[0] + 1 / self.mass[1]) * np.eye(2, dtype=n)
            + np.outer(c_side, c_side) / self.moment[0]
            + np.outer(d_side, d_side) / self.moment[1]
        )
        (a, b), (_, e) = mobility
        hold = -np.array([e * gap[0] - b * gap[1], a * gap[1] - b * gap[0]]) / (a * e - b * b)
        turned = (
            free[0] - (c_side @ hold) / self.moment[0],
            free[1] - (d_side @ hold) / self.moment[1],
        )
        return np.array([*y[4:], *((bus - hold) / self.mass[0]), *turned])

    def hinge(self, until, steps):
        """ψ − θ at the end, by the method of Runge and Kutta."""
        y, h = self.start, self.number(until) / steps
        for _ in range(steps):
            a = self.rates(y)
            b = self.rates(y + h / 2 * a)
            c = self.rates(y + h / 2 * b)
            d = self.rates(y + h * c)
            y = y + h / 6 * (a + 2 * b + 2 * c + d)
        return float(y[3] - y[2])


@pytest.mark.skipif(
    np.finfo(np.longdouble).eps > 1e-18, reason="no numbers of 64 bits of precision"
)
def test_the_hinge_is_that_of_equations_seen_from_the_ground():
    coarse, fine = (PlaneSatellite().hinge(0.5, steps) for steps in (1500, 3000))
    expected = fine + (fine - coarse) / 15
    for formulation in OTHER:
        done = run(in_orbit(), until=0.5, step=1e-3, every=0.05, formulation=formulation)
        assert hinge_of(done)[-1] == pytest.approx(expected, abs=1e-10)


# ---- orbits --------------------------------------------------------------------------------------
def point_in_field(place, velocity, centre=(0, 0, 0), mu=1.0):
    point = ht.Body("point", mass=2.0, inertia=(0.1, 0.2, 0.25))
    joint = ht.Free("free", "ground", "point", q=(*place, 1, 0, 0, 0), qdot=(*velocity, 0, 0, 0))
    pull = fields("point", centre=centre, mu=mu, gradient=False)
    return ht.Model([point], [joint], forces=pull, gravity=(0, 0, 0))


def fall_of_a_point(place, velocity, centre, mu, times):
    """Newton's equation by SciPy: positions and velocities."""

    def rates(t, y):
        r = y[:3] - centre
        return [*y[3:], *(-mu * r / (r @ r) ** 1.5)]

    interval, tight = (times[0], times[-1]), {"rtol": 1e-13, "atol": 1e-14}
    found = solve_ivp(rates, interval, [*place, *velocity], "DOP853", times, **tight)
    return found.y[:3].T, found.y[3:].T


@pytest.mark.parametrize("eccentricity", [0.0, 0.3, 0.7, 0.89])
@pytest.mark.parametrize("formulation", ["hamiltonian_tree", "free_bodies_quaternion"])
def test_an_orbit_is_that_of_newtons_equation(formulation, eccentricity):
    """From between the apsides, over more than one period."""
    centre, mu, begin = np.array([0.3, -0.2, 0.1]), 1.7, 5.0
    slope, node = np.array([0.48, 0.6, 0.64]), np.array([0.8, -0.6, 0.0])
    across = np.cross(slope, node) / np.linalg.norm(np.cross(slope, node))
    node = np.cross(across, slope) / np.linalg.norm(slope)
    across, node = across, node / np.linalg.norm(node)
    a, E = 1.2, 0.7
    flat = np.sqrt(1 - eccentricity**2)
    rate = np.sqrt(mu / a**3) / (1 - eccentricity * np.cos(E))
    place = centre + a * ((np.cos(E) - eccentricity) * node + flat * np.sin(E) * across)
    velocity = a * rate * (flat * np.cos(E) * across - np.sin(E) * node)
    until = begin + 1.3 * 2 * np.pi * np.sqrt(a**3 / mu)
    model = point_in_field(place, velocity, centre, mu)
    chosen = {"formulation": formulation, "integrator": "gauss4"}
    done = ht.simulate(model, until=until, step=0.05, t=begin, progress=False, **chosen)
    places, velocities = fall_of_a_point(place, velocity, centre, mu, done.t)
    found = done.q.values[:, :3]
    assert np.abs(found - places).max() < 1e-9 * a
    assert np.abs(done.qdot.values[:, :3] - velocities).max() < 1e-9 * np.abs(velocities).max()
    assert done.energy_error < 1e-13


def test_orbits_beyond_an_ellipse_stay_in_the_ordinary_frame():
    for speed, is_followed in (
        (1.0, True),
        (1.39, True),
        (1.4138, True),
        (1.414, False),
        (1.5, False),
    ):
        origin = start_of(point_in_field((1, 0, 0), (0, speed, 0))).orbiting_origin
        assert (origin is not None) == is_followed  # e = v² − 1 for r = μ = 1
    done = run(point_in_field((1, 0, 0), (0, 1.5, 0)), step=1e-3)
    places, _ = fall_of_a_point((1, 0, 0), (0, 1.5, 0), np.zeros(3), 1.0, done.t)
    assert np.abs(done.q.values[:, :3] - places).max() < 1e-9


def test_slow_bodies_and_other_methods_stay_in_the_ordinary_frame():
    assert start_of(in_orbit()).orbiting_origin is not None
    for integrator in ("discrete_gradient", "energy_momentum"):
        assert start_of(in_orbit(), integrator).orbiting_origin is None
    reversible = "reversible(stormer_verlet)"
    assert start_of(in_orbit(), reversible).orbiting_origin is not None
    assert start_of(in_orbit(), reversible, step_function="1").orbiting_origin is None
    slow = satellite((RADIUS, 0, 0), (0, 1e-3, 0), fields("bus", "boom"))
    assert start_of(slow).orbiting_origin is None
    others = {
        "a load": ht.BodyLoad("boom", (1.0, 0, 0)),
        "an input": ht.BodyInput("bus"),
        "drag": ht.Drag("bus", 1.0),
        "a field twice": fields("bus")[0],
        "a spring to the ground": ht.PointSpring(
            "ground", "bus", (1, 0, 0), (0, 0, 0), stiffness=1.0
        ),
    }
    for name, force in others.items():
        assert start_of(in_orbit(force)).orbiting_origin is None, name
    mixed = [*fields("bus"), *fields("boom", centre=(1, 0, 0))]
    two_centres = satellite((RADIUS, 0, 0), (0, SPEED, 0), mixed)
    assert start_of(two_centres).orbiting_origin is None


# ---- the same motion in the ordinary frame -------------------------------------------------------
def small_satellite(pulled=("bus", "boom"), gravity=(0.0, 0.0, 0.0)):
    """In units in which the ordinary frame loses no digits."""
    bus = ht.Body("bus", mass=3.0, com=(0.02, 0.01, 0), inertia=(0.05, 0.07, 0.06))
    boom = ht.Body("boom", mass=0.5, com=(0.2, 0.05, 0), inertia=(1e-3, 0.02, 0.02))
    wire = ht.Body("wire", mass=0.1, com=(0, 0.1, 0), inertia=(2e-3, 1e-4, 2e-3))
    joints = [
        ht.Free(
            "free",
            "ground",
            "bus",
            q=(1.7, 0.3, 0.2, 1, 0, 0, 0),
            qdot=(0, 1, 0.2, 0.1, 0.3, 0),
            on_parent=ht.Frame.about((1.0, 2.0, 2.0), 0.4, (0.3, -0.2, -0.2)),
        ),
        ht.Revolute("hinge", "bus", "boom", axis=(0, 0, 1), on_parent=(0.3, 0, 0), q=0.5),
        ht.Revolute("knee", "boom", "wire", axis=(1, 0, 1), on_parent=(0.4, 0, 0), q=-0.2),
    ]
    own = [ht.JointSpring("hinge", stiffness=0.5), ht.JointDamper("knee", 0.01)]
    forces = [*own, *fields(*pulled, centre=(0.1, 0, 0), mu=2.0)]
    return ht.Model([bus, boom, wire], joints, forces=forces, gravity=gravity)


def with_loop(model):
    """A strut from the bus to the wire closes a loop."""
    strut = ht.Body("strut", mass=0.2, com=(0.1, 0, 0), inertia=(1e-4, 2e-3, 2e-3))
    joints = [
        ht.Ball("foot", "bus", "strut", on_parent=(0.1, 0.3, 0.05)),
        ht.Ball("head", "strut", "wire", on_parent=(0.4, 0, 0), on_child=(0, 0.2, 0)),
    ]
    forces = [*model.forces, *fields("strut", centre=(0.1, 0, 0), mu=2.0)]
    whole = model.with_(
        bodies=[*model.bodies, strut], joints=[*model.joints, *joints], forces=forces
    )
    return whole


SMALL = {
    "all are pulled": {"pulled": ("bus", "boom", "wire")},
    "one is not": {"pulled": ("bus", "boom")},
    "most are not": {"pulled": ("wire",)},
    "in uniform gravity too": {"pulled": ("bus", "boom", "wire"), "gravity": (0.0, 0.1, -0.3)},
}


@pytest.mark.parametrize("case", SMALL)
@pytest.mark.parametrize("formulation", OTHER)
def test_both_frames_give_one_motion(case, formulation):
    """A start by momenta keeps the ordinary frame."""
    model = small_satellite(**SMALL[case])
    chosen = {"until": 3.0, "step": 1e-2, "every": 0.1}
    done = run(model, formulation=formulation, **chosen)
    p = ht.simulate(model, until=1e-3, step=1e-3, progress=False).p.values[0]
    plain = run(model, p=p, **chosen)
    assert start_of(model).orbiting_origin is not None
    for name in ("q", "qdot", "kinetic_energy", "potential_energy", "work", "pose", "twist"):
        a, b = done.dataset[name].values, plain.dataset[name].values
        assert np.abs(a - b).max() < 2e-9 * max(1.0, np.abs(b).max()), name
    assert done.energy_error < 1e-9


def test_both_frames_give_one_motion_of_a_loop():
    """An event in space keeps the ordinary frame."""
    model = with_loop(small_satellite(("bus", "boom", "wire")))
    chosen = {"until": 1.0, "step": 5e-3, "every": 0.1, "integrator": "spark6", "assemble": "free"}
    done = run(model, **chosen)
    plain = run(model, sections=["free_x - 100"], **chosen)
    assert (done.q.values != plain.q.values).any()
    for name in ("q", "qdot", "p", "kinetic_energy", "potential_energy", "pose", "twist"):
        a, b = done.dataset[name].values, plain.dataset[name].values
        assert np.abs(a - b).max() < 1e-9 * max(1.0, np.abs(b).max()), name
    assert done.constraint_error < 1e-14


def test_what_is_recorded_fits_together():
    """Energies and momenta are those of the recorded q and q̇ in the ordinary frame."""
    model = in_orbit()
    done = run(model, until=1.0)
    kinetic, potential = ht.dynamics(model).energies(done.q.values, done.speeds.values)
    assert done.kinetic_energy.values == pytest.approx(kinetic, rel=1e-14)
    assert done.potential_energy.values == pytest.approx(potential, rel=1e-14)
    assert done.energy_error < 1e-14
    rates = ht.evaluator(model)
    qdot, _ = rates(done.q.values, done.p.values)
    lost = 1e-15 * SPEED * RADIUS  # p of the attitude holds the momentum of the orbit
    assert np.abs(qdot - done.qdot.values).max() < lost


# ---- runs that go on, steps by hand, events ------------------------------------------------------
@pytest.mark.parametrize("formulation", OTHER)
def test_a_run_that_goes_on_has_the_bits_of_one_run(formulation):
    simulator = ht.simulator(in_orbit(), 1e-2, formulation, "gauss8")
    whole = simulator.run(2.0, save_every=10)
    half = simulator.run(1.0, save_every=10)
    other = simulator.run(1.0, q={"hinge": 0.1}, save_every=10)
    rest = simulator.run(2.0, resume=half, save_every=10)
    assert (rest.q.values == whole.q.values[10:]).all()
    assert (rest.energy.values == whole.energy.values[10:]).all()
    again = simulator.run(2.0, resume=other, save_every=10)
    longer = simulator.run(2.0, q={"hinge": 0.1}, save_every=10)
    assert (again.q.values == longer.q.values[10:]).all()


def test_steps_by_hand_are_those_of_a_run():
    simulator = ht.simulator(in_orbit(), 1e-2)
    done = simulator.run(1.0, save_every=100)
    simulator.step(100)
    state = simulator.state
    assert (state.q == done.q.values[-1]).all()
    assert (state.p == done.p.values[-1]).all()
    simulator.set(q={"hinge": 0.2}, qdot={"hinge": 0.0})
    assert simulator.state.q[:7] == pytest.approx(state.q[:7], rel=1e-15, abs=1e-12)
    assert simulator.state.t == state.t
    simulator.step(50)
    start = {"t": 1.0, "q": [*state.q[:7], 0.2], "qdot": [*state.speeds[:6], 0.0]}
    other = ht.simulator(in_orbit(), 1e-2).run(1.5, save_every=50, **start)
    assert simulator.state.q == pytest.approx(other.q.values[-1], rel=1e-14, abs=1e-12)


def test_events_see_coordinates_from_the_ground():
    model = small_satellite()
    inner = run(model, step=1e-2, sections=["hinge"]).sections["hinge"]
    outer = run(model, step=1e-2, sections=["free_y - 0.7"]).sections["free_y - 0.7"]
    assert outer.q.sel(coordinate="free.y").values == pytest.approx([0.7], abs=1e-12)
    dense = run(model, step=1e-2, every=1e-2)
    height = np.interp(outer.t.values, dense.t, dense.q.sel(coordinate="free.y").values)
    assert height == pytest.approx([0.7], abs=1e-4)
    for t, q, p in zip(inner.t.values, inner.q.values, inner.p.values, strict=True):
        at = run(model, until=float(t), step=1e-2, every=10.0)
        assert q == pytest.approx(at.q.values[-1], abs=1e-9)
        assert p == pytest.approx(at.p.values[-1], abs=1e-9)


def test_a_start_is_copied_with_its_orbit():
    start = start_of(in_orbit())
    copy = pickle.loads(pickle.dumps(start))
    times = np.linspace(0.0, 1e4, 7)
    assert (
        copy.orbiting_origin.displacement(times) == start.orbiting_origin.displacement(times)
    ).all()
    assert copy.scales == start.scales


# ---- several groups ------------------------------------------------------------------------------
def test_groups_in_orbit_in_flight_and_on_the_ground_do_not_disturb_each_other():
    """Each moves as it does alone, and the energy within is kept."""
    orbiting = small_satellite(("bus", "boom", "wire"))
    second = point_in_field((0, 1.5, 0), (1.1, 0, 0.1), (0.1, 0, 0), 2.0)
    flying = ht.Model(
        [ht.Body("rock", mass=2.0, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.25))],
        [ht.Free("rock", "ground", "rock", qdot=(300, 0, 0, 0.3, 0.1, 2.0))],
        gravity=(0, 0, 0),
    )
    swinging = ht.Model(
        [ht.Body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))],
        [ht.Revolute("swing", "ground", "bob", axis=(1, 0, 0), q=1.0)],
        forces=[ht.JointSpring("swing", stiffness=3.0)],
        gravity=(0, 0, 0),
    )
    second = second.with_(joints={"free": None, "second": ht.Free("second", "ground", "point",
        q=second.joints[0].q, qdot=second.joints[0].qdot)})  # fmt: skip
    alone = [orbiting, second, flying, swinging]
    together = ht.Model(
        [body for model in alone for body in model.bodies],
        [joint for model in alone for joint in model.joints],
        forces=[force for model in alone for force in model.forces],
        gravity=(0, 0, 0),
    )
    assert len(start_of(together).orbiting_origin.orbits) == 2
    done = run(together, step=1e-2)
    for model in alone:
        single = run(model, step=1e-2)
        names = list(model.coordinates)
        found = done.q.sel(coordinate=names).values
        assert found == pytest.approx(single.q.values, abs=1e-11)
    within = done.dataset["energy_within"].values
    assert np.ptp(within) < 1e-10
    assert np.ptp(done.energy.values - done.work.values) < 1e-9


# ---- similarity ----------------------------------------------------------------------------------
@pytest.mark.parametrize("powers", [(30, 0, 0), (0, -20, 0), (0, 0, 9), (-30, 24, -17)])
def test_a_similar_satellite_has_the_same_bits(powers):
    length, mass, time = (2.0**k for k in powers)
    model = small_satellite()
    similar = nondimensionalise(model, Units(1 / length, 1 / mass, 1 / time))
    assert start_of(similar).orbiting_origin is not None
    steps = np.array([1.0, 2.0**-6, 2.0**-3])  # until, step, between samples
    done = run(model, *steps, "rk4")
    other = run(similar, *(time * steps), "rk4")
    angles = ["hinge", "knee", "free.qw", "free.qx"]
    assert (other.q.sel(coordinate=angles).values == done.q.sel(coordinate=angles).values).all()
    assert (other.q.values[:, 0] == length * done.q.values[:, 0]).all()
