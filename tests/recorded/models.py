"""Small models for the recorded runs, with parts that the models of the library do not have."""

import math

import hamiltree as ht

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
WEIGHTLESS = (0.0, 0.0, 0.0)


# ---- trees ---------------------------------------------------------------------------------------
def arm(*forces, couplings=(), armature=0.0):
    """Two bodies on hinges across each other, moving, with these forces."""
    upper = ht.Body("upper", 1.2, (0.02, 0.01, -0.25), (0.030, 0.028, 0.006))
    lower = ht.Body("lower", 0.7, (0.01, -0.02, -0.20), (0.015, 0.014, 0.003))
    shoulder = ht.Revolute(
        "shoulder", "ground", "upper", axis=Y, q=0.4, qdot=0.5, armature=armature
    )
    elbow = ht.Revolute(
        "elbow", "upper", "lower", ht.Frame((0.0, 0.0, -0.5)), axis=X, q=-0.3, qdot=0.8
    )
    return ht.Model([upper, lower], [shoulder, elbow], forces, name="arm", couplings=couplings)


def carriage(*couplings):
    """A slider and two wheels on the ground that a coupling may join, with a bob on the slider."""
    names = ("slider", "wheel", "pinion", "bob")
    bodies = [ht.Body(name, 1.0, (0.0, 0.0, -0.1), (0.02, 0.02, 0.02)) for name in names]
    joints = [
        ht.Prismatic("slide", "ground", "slider", axis=X),
        ht.Revolute("turn", "ground", "wheel", axis=Y, q=0.2, qdot=0.4),
        ht.Revolute("spin", "ground", "pinion", ht.Frame((0.5, 0.0, 0.0)), axis=Y),
        ht.Revolute("swing", "slider", "bob", ht.Frame((0.0, 0.0, -0.2)), axis=Y, q=0.6),
    ]
    return ht.Model(bodies, joints, name="carriage", couplings=couplings)


def gimballed(qdot=(0.4, 0.3, 0.5), start=0.2, armature=0.0):
    """A rotor in a gimbal, without gravity; about its second axis alone it goes into lock."""
    rotor = ht.Body("rotor", 1.0, (0.0, 0.0, -0.3), (0.1, 0.2, 0.15))
    wrist = ht.Gimbal("wrist", "ground", "rotor", q=(0.0, start, 0.0), qdot=qdot, armature=armature)
    return ht.Model([rotor], [wrist], gravity=WEIGHTLESS, name="gimballed")


def fleet(*forces):
    """Three bodies in free flight, without gravity, with these forces."""
    places = ((0.0, 0.0, 0.0), (1.5, 0.2, -0.1), (-0.3, 1.4, 0.6))
    spins = ((0.3, -0.2, 0.5), (-0.4, 0.1, 0.2), (0.2, 0.6, -0.1))
    bodies, joints = [], []
    for k, (place, spin) in enumerate(zip(places, spins, strict=True), start=1):
        bodies.append(ht.Body(f"b{k}", 1.0 + 0.3 * k, inertia=(0.2, 0.2 + 0.1 * k, 0.35)))
        turn = (math.cos(0.1 * k), math.sin(0.1 * k), 0.0, 0.0)
        velocity = (0.1 * k, -0.2, 0.05 * k)
        joints.append(
            ht.Free(f"j{k}", "ground", f"b{k}", q=(*place, *turn), qdot=(*velocity, *spin))
        )
    return ht.Model(bodies, joints, forces, WEIGHTLESS, "fleet")


# ---- loops and constraints -----------------------------------------------------------------------
def flyer(*constraints, q=(0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), qdot=(0.0,) * 6):
    """One free body under gravity that only constraints hold."""
    plate = ht.Body("plate", 1.5, (0.02, 0.0, -0.05), (0.05, 0.04, 0.06))
    free = ht.Free("free", "ground", "plate", q=q, qdot=qdot)
    return ht.Model([plate], [free], name="flyer", constraints=constraints)


def driven_pendulums(*constraints):
    """Two pendulums side by side, hinged about y, with these constraints."""
    return ht.Model(
        [ht.Body(name, 1.0, (0.0, 0.0, -0.5), (0.08, 0.08, 0.01)) for name in ("left", "right")],
        [
            ht.Revolute("a", "ground", "left", axis=Y, q=0.3),
            ht.Revolute("b", "ground", "right", ht.Frame((0.6, 0.0, 0.0)), axis=Y, q=0.3),
        ],
        name="pendulums",
        constraints=constraints,
    )


def geared_loop():
    """A four-bar linkage whose last hinge, which closes the loop, turns a wheel by a gear."""
    linkage = ht.library.four_bar()
    wheel = ht.Body("wheel", 0.5, inertia=(0.01, 0.02, 0.01))
    axle = ht.Revolute("axle", "ground", "wheel", ht.Frame((1.0, 0.0, 0.0)), axis=Y)
    gear = ht.Gear("axle", linkage.closing[0], teeth=(20.0, 30.0))
    return linkage.with_(
        bodies=(*linkage.bodies, wheel), joints=(axle, *linkage.joints), couplings=[gear]
    )


# ---- particles -----------------------------------------------------------------------------------
def molecules(potential, **range_):
    """Four bodies of four particles, about 1.4 apart, that act on each other by a pair force."""
    corners = ((-0.2, 0.05, 0.0), (0.2, -0.05, 0.1), (0.0, 0.2, -0.1), (0.05, -0.1, 0.2))
    particles = ht.Particles(corners, (1.0, 1.5, 0.8, 1.2), ("A", "B", "A", "B"))
    places = ((0.0, 0.0, 0.0), (1.3, 0.3, 0.2), (0.2, 1.4, -0.3), (-0.1, 0.4, 1.5))
    bodies, joints = [], []
    for k, place in enumerate(places, start=1):
        bodies.append(ht.Body.of_particles(f"b{k}", particles))
        turn = (math.cos(0.2 * k), 0.0, math.sin(0.2 * k), 0.0)
        spin = (0.1 * k, 0.2, -0.1 * k)
        joints.append(
            ht.Free(
                f"j{k}", "ground", f"b{k}", q=(*place, *turn), qdot=(0.05 * k, 0.0, -0.1, *spin)
            )
        )
    force = ht.PairForce(potential, **range_)
    return ht.Model(bodies, joints, [force], WEIGHTLESS, "molecules")


def grains(n=4, **options):
    """A chain of tetrahedra of the thesis that act on their neighbours, moving."""
    velocities = [(0.0, 0.0, 0.0)] + [(0.2 * k, -0.15, 0.1 * k) for k in range(1, n)]
    omegas = [(0.0, 0.0, 0.0)] + [(0.4, -0.2 * k, 0.3) for k in range(1, n)]
    given = {"velocities": velocities, "omegas": omegas, **options}
    return ht.library.particle_chain(n, **given)


def tops(*forces, height=0.4):
    """Two tops on balls of the ground with centres of mass at this height, moderately spun."""
    places = ((0.0, 0.0, 0.0), (1.2, 0.0, 0.0))
    bodies = [ht.Body(f"top{k}", 1.0, (0.0, 0.0, height), (0.05, 0.06, 0.02)) for k in (1, 2)]
    turn = (math.cos(0.2), math.sin(0.2), 0.0, 0.0)
    joints = [
        ht.Ball(f"pivot{k}", "ground", f"top{k}", ht.Frame(at), q=turn, qdot=(0.1, 0.2, 6.0 * k))
        for k, at in enumerate(places, start=1)
    ]
    return ht.Model(bodies, joints, forces, name="tops")


# ---- what a user writes in Python ----------------------------------------------------------------
def braking(t, x, out):
    """An effort of position and rate: f(t, x, out)."""
    out[0] = -0.8 * x[0] - 0.3 * x[1] * abs(x[1]) + 0.1 * math.sin(3.0 * t)


def breeze(t, x, out):
    """A force and a torque of the velocity of a point and of time."""
    for k in range(3):
        out[k] = -0.2 * x[10 + k]
        out[3 + k] = 0.01 * math.cos(t) - 0.02 * x[7 + k]


def ramp(t, out):
    """A position with its first two derivatives by time."""
    out[0] = 0.3 + 0.2 * t * t
    out[1] = 0.4 * t
    out[2] = 0.4


def energy(t, q, p, k):
    """H of a pendulum whose length is a parameter, pushed in time."""
    return 0.5 * p[0] ** 2 / k[0] ** 2 - k[0] * math.cos(q[0]) * (1.0 + 0.1 * t)


def energy_by_q(t, q, p, k, out):
    out[0] = k[0] * math.sin(q[0]) * (1.0 + 0.1 * t)


def energy_by_p(t, q, p, k, out):
    out[0] = p[0] / k[0] ** 2


def energy_by_t(t, q, p, k):
    return -0.1 * k[0] * math.cos(q[0])


def pendulum_of_functions():
    gradients = {"dHdq": energy_by_q, "dHdp": energy_by_p, "dHdt": energy_by_t}
    return ht.hamiltonian(energy, q="angle", p="momentum", length=1.3, **gradients)


# ---- formulas for H ------------------------------------------------------------------------------
def coupled_pendulum():
    """Not separable."""
    return ht.hamiltonian("p**2/2 - cos(q)*(1 - p/6)")


def rotor():
    """Euler's equations with friction and a push in time."""
    return ht.ode("x' = -y*z/2 - c*x; y' = 2*z*x/3; z' = -x*y/3 + sin(t)/5", y="x y z", c=0.1)


def henon_heiles():
    """Separable, two coordinates."""
    return ht.hamiltonian("(p1**2 + p2**2 + q1**2 + q2**2)/2 + q1**2*q2 - q2**3/3")


def kepler():
    """Separable, with invariants and a parameter."""
    H = "(px**2 + py**2)/2 - k/sqrt(x**2 + y**2)"
    kept = {"L": "x*py - y*px", "A": "py*(x*py - y*px) - k*x/sqrt(x**2 + y**2)"}
    return ht.hamiltonian(H, q="x y", p="px py", k=1.0, invariants=kept)


def pumped_swing():
    """It depends on time."""
    return ht.hamiltonian("p**2/2 - (1 + a*sin(3*t))*cos(q)", a=0.3)
