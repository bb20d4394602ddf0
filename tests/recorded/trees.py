"""Recorded runs of trees: every joint, coupling and force, by every formulation."""

from collections.abc import Callable
from typing import Any

import hamiltree as ht
from tests.recorded import models
from tests.recorded.entries import run, words

# ---- joints and couplings ------------------------------------------------------------------------
AXES = words("revolute prismatic screw universal cylindrical planar translation gimbal axes")
BALLS = words("ball free")


def of_joints(*kinds: str, n: int = 3, seed: int = 2) -> Callable[[], Any]:
    """A random tree of these kinds of joint."""
    return lambda: ht.library.tree(n, joints=kinds, seed=seed)


JOINTS = [
    *(run(f"joint {kind}", of_joints(kind)) for kind in (*AXES, *BALLS)),
    run("joint weld", of_joints("revolute", "weld", n=6)),
    run("joints of all kinds", of_joints(*AXES, *BALLS, n=9)),
    run("joints of all kinds rk4", of_joints(*AXES, *BALLS, n=9), integrator="rk4"),
    run("armature", lambda: models.arm(armature=0.3)),
    run("gimbal with armature", lambda: models.gimballed(armature=0.05)),
    run("mimic", lambda: models.carriage(ht.Mimic("spin", "turn", ratio=-1.5, offset=0.3))),
    run("gear", lambda: models.carriage(ht.Gear("spin", "turn", teeth=(20.0, 30.0)))),
    run("rack", lambda: models.carriage(ht.Rack("slide", "turn", radius=0.05))),
    run(
        "mimic of a force",
        lambda: models.carriage(ht.Mimic("spin", "turn", ratio=2.0)).with_(
            forces=[ht.JointSpring("spin", 3.0, 0.1), ht.JointDamper("spin", 0.2)]
        ),
    ),
]

# ---- inputs --------------------------------------------------------------------------------------
INPUTS = [ht.JointInput("elbow"), ht.BodyInput("lower", name="thrust")]
PUSHED = {"elbow": 0.7, "thrust": {"force": (1.0, -0.5, 2.0), "torque": (0.1, 0.2, -0.1)}}
OF_INPUTS = [run("inputs", lambda: models.arm().with_(forces=INPUTS), inputs=PUSHED)]

# ---- forces --------------------------------------------------------------------------------------
TIMES, LINE = (0.0, 0.02, 0.05, 0.08, 0.2), (0.0, 0.5, -0.3, 0.4, 0.1)
PUSHES = tuple((x, 0.5 * x, -x) for x in LINE)
SLANTED = ht.Frame.about((1.0, 0.0, 0.0), 0.2, (0.0, 0.05, -0.4))
FORCES_OF_ARM = {
    "joint spring": [ht.JointSpring("shoulder", 4.0, 0.1)],
    "joint damper": [ht.JointDamper("shoulder", 0.4), ht.JointDamper("elbow", 0.2)],
    "joint effort": [ht.JointEffort("elbow", 0.7)],
    "joint limit": [ht.JointLimit("shoulder", -0.1, 0.39, stiffness=80.0, damping=3.0)],
    "joint friction": [ht.JointFriction("elbow", coulomb=0.2, viscous=0.1, smoothing=0.1)],
    "joint potential": [ht.JointPotential("shoulder", "k*q**4/4 - cos(q)", {"k": 3.0})],
    "joint law": [ht.JointLaw("elbow", "-k*elbow*shoulder_dot - 0.1*v + sin(3*t)", {"k": 2.0})],
    "joint law of a function": [ht.JointLaw("shoulder", models.braking)],
    "joint table": [ht.JointTable("shoulder", TIMES, LINE)],
    "joint table cubic": [ht.JointTable("elbow", TIMES, LINE, "cubic", "zero")],
    "joint table periodic": [ht.JointTable("elbow", TIMES[:3], LINE[:3], outside="periodic")],
    "body load": [ht.BodyLoad("lower", (1.0, -0.5, 2.0), (0.1, 0.2, -0.1), (0.0, 0.1, -0.4))],
    "body load in body axes": [ht.BodyLoad("upper", (1.0, 0.3, 0.2), axes="body")],
    "body law": [
        ht.BodyLaw(
            "lower", ("-c*vx", "sin(t)", 0.3), (0.0, "-0.1*wy", "0.02*qz"), parameters={"c": 0.5}
        )
    ],
    "body law of a function": [ht.BodyLaw("lower", function=models.breeze)],
    "body table": [ht.BodyTable("lower", TIMES, PUSHES, at=(0.0, 0.0, -0.3))],
    "body table cubic": [
        ht.BodyTable("upper", TIMES, (), PUSHES, axes="body", interpolation="cubic")
    ],
    "point spring": [
        ht.PointSpring("ground", "lower", (0.5, 0.2, -0.3), (0.0, 0.0, -0.4), 20.0, 0.3, 0.5)
    ],
    "cable": [
        ht.PointSpring(
            "ground", "lower", (0.5, 0.2, 0.3), (0.0, 0.0, -0.4), 9.0, 0.9, tension_only=True
        )
    ],
    "constant force spring": [
        ht.ConstantForceSpring("ground", "lower", (0.4, 0.3, -0.2), (0.0, 0.0, -0.4), 3.0)
    ],
    "torsion": [
        ht.Torsion("upper", "lower", 2.0, 0.1, ht.Frame.about((1.0, 2.0, 2.0), 0.4).rotation)
    ],
    "bushing": [
        ht.Bushing("ground", "lower", SLANTED, SLANTED, (9.0, 8.0, 7.0, 0.6, 0.5, 0.4), (0.2,) * 6)
    ],
    "drag": [ht.Drag("lower", 0.5, 0.02, (0.0, 0.0, -0.3), (1.0, 0.0, 0.2))],
}
FLEET = tuple(f"b{k}" for k in (1, 2, 3))
FORCES_OF_FLEET = {
    "gravitation": [ht.Gravitation(FLEET, constant=0.5)],
    "gravitation softened": [ht.Gravitation(FLEET, constant=0.5, softening=0.3)],
    "central gravity": [ht.CentralGravity(name, 3.0, (4.0, 1.0, -2.0)) for name in FLEET],
    "central gravity of points": [ht.CentralGravity("b2", 3.0, (4.0, 1.0, 0.0), gradient=False)],
}


def arm_with(forces: list[Any]) -> Callable[[], Any]:
    return lambda: models.arm(*forces)


def fleet_with(forces: list[Any]) -> Callable[[], Any]:
    return lambda: models.fleet(*forces)


POSE_POTENTIAL = ht.PosePotential(
    "upper",
    "lower",
    "k/2*(r - l)**2 - c*R_33 + k*x1*z2*R2_12",
    {"k": 9.0, "l": 0.4, "c": 0.5},
    SLANTED,
)
POINT_ACTUATOR = ht.PointActuator(
    "ground", "lower", (0.5, 0.2, -0.3), (0.0, 0.0, -0.4), "3*sin(4*t) - k*v*l", {"k": 0.5}
)
SERVO = ht.JointActuator(
    "elbow", gain=5.0, stiffness=5.0, damping=0.5, effort=(-3, 3), name="servo"
)
KINKED = ("joint_limit", "joint_table", "body_table")  # their kinks shake the choice of a step
# all but those of later days: what is recorded of them all together keeps its numbers
EVERY_FORCE = [force for forces in FORCES_OF_ARM.values() for force in forces]
SMOOTH_FORCES = [force for force in EVERY_FORCE if force.kind not in KINKED]
FORCES = [
    *(run(name, arm_with(forces)) for name, forces in FORCES_OF_ARM.items()),
    *(run(name, fleet_with(forces)) for name, forces in FORCES_OF_FLEET.items()),
    run("every force rk4", arm_with(EVERY_FORCE), integrator="rk4"),
    run("smooth forces radau5", arm_with(SMOOTH_FORCES), integrator="radau5"),
    run("smooth forces cartesian_3", arm_with(SMOOTH_FORCES), "cartesian_3", "dop853"),
    run("every force kane_relative", arm_with(EVERY_FORCE), "kane_relative"),
    run("every force cartesian_3", arm_with(EVERY_FORCE), "cartesian_3", "rk4"),
    run("every force kane_absolute", arm_with(EVERY_FORCE), "kane_absolute", "rk4"),
    run("every force cartesian_hamiltonian", arm_with(EVERY_FORCE), "cartesian_hamiltonian"),
    run("point actuator", arm_with([POINT_ACTUATOR])),
    run("joint actuator", lambda: models.arm().with_(forces=[SERVO]), inputs={"servo": 0.7}),
    run("pose potential", arm_with([POSE_POTENTIAL])),
    run("pose potential cartesian_3", arm_with([POSE_POTENTIAL]), "cartesian_3", "rk4"),
    run("damped ball", lambda: models.tops(ht.JointDamper("pivot1", 0.05))),
]

# ---- trees by every formulation and family -------------------------------------------------------
MIXED = of_joints("revolute", "prismatic", "ball", "universal", n=5)
ON_TREES = words("""
    explicit_euler rk4 implicit_midpoint gauss8 radau_iia5 lobatto_iiic4 avf3 euler_a
    stormer_verlet lobatto_pair4 yoshida6(implicit_midpoint) triple_jump4(stormer_verlet) tao4
    discrete_gradient discrete_gradient4 dormand_prince5 tsitouras5 dop853 radau5
    fixed(dop853) reversible(stormer_verlet) reversible(implicit_midpoint)
""")
RATES = words("cartesian_1 cartesian_2 cartesian_3 kane_absolute")  # they project their states
SWUNG = {"q": [0.3, -0.2, 0.5, 0.1], "qdot": [1.0, -0.5, 0.7, 0.4]}


def chain() -> ht.Model:
    return ht.library.chain(4)


TREES = [
    *(run(f"chain {x}", chain, integrator=x, **SWUNG) for x in ON_TREES),
    run("chain gauss8 newton", chain, solver="newton", **SWUNG),
    run(
        "chain stormer_verlet newton", chain, integrator="stormer_verlet", solver="newton", **SWUNG
    ),
    run(
        "chain from momenta", lambda: ht.library.chain(3), q=[0.1, 0.2, -0.3], p=[0.05, 0.0, -0.02]
    ),
    run("chain between two steps", chain, until=0.0983, save_every=7),
    run("ten body tree", ht.library.ten_body_tree),
    run("floating tree", lambda: ht.library.floating_tree(4, seed=3)),
    run("satellite", lambda: ht.library.satellite(3, 2), step=0.05, until=1.0),
    run("top", ht.library.top, until=0.02, step=1e-3),
    run("spherical chain", lambda: ht.library.spherical_chain(4)),
    run("pendulums", lambda: ht.library.n_pendulum(3, angles=0.5)),
    run("free body kane_relative gauss4", ht.library.free_body, "kane_relative", "gauss4"),
    run("tree kane_relative rk4", MIXED, "kane_relative", "rk4"),
    run("tree kane_relative gauss8", MIXED, "kane_relative"),
    run("tree kane_relative dop853", MIXED, "kane_relative", "dop853"),
    run("tree kane_relative reversible", MIXED, "kane_relative", "reversible(implicit_midpoint)"),
    *(run(f"tree {x} rk4", MIXED, x, "rk4") for x in RATES),
    *(run(f"tree {x} dop853", MIXED, x) for x in RATES),
    run("tree cartesian_3 gauss4", MIXED, "cartesian_3", "gauss4"),
    run("tree cartesian_hamiltonian spark4", MIXED, "cartesian_hamiltonian", "spark4"),
]
