"""Examples of every force, on one model with a free base, a hinge, a slider and a ball.

A new force needs a line here; `test_every_force.py` then tests it, and fails while there is none.
"""

import numpy as np

import hamiltree as ht

PARTICLES = ht.Particles([(0.1, 0.0, 0.2), (-0.2, 0.1, 0.0), (0.0, -0.1, -0.1)], masses=0.3)
AT = (0.3, -0.2, 0.1), (-0.1, 0.4, 0.2)
FRAMES = (
    ht.Frame.about((1, 1, -0.3), 0.4, (0.1, 0.2, 0.0)),
    ht.Frame.about((0, 1, 0.4), -0.7, (0.0, -0.1, 0.3)),
)
FACTOR = np.random.default_rng(1).normal(size=(6, 6))
MATRIX = (FACTOR @ FACTOR.T).tolist()
TIMES = (-1.0, 0.0, 0.5, 1.5)
POINTS = ((0.1, 0.2, 0.3), (1.0, -1.0, 0.5), (0.0, 0.4, -0.2), (0.3, 0.3, 0.3))

EXAMPLES = {
    "joint_spring": [ht.JointSpring("elbow", 3.0, 0.4), ht.JointSpring("slide", 1.3, -0.1)],
    "joint_damper": [ht.JointDamper("elbow", 0.3), ht.JointDamper("slide", 0.7)],
    "joint_effort": [ht.JointEffort("elbow", -0.8), ht.JointEffort("slide", 2.5)],
    "body_load": [
        ht.BodyLoad("arm", (1.0, -2.0, 0.5), (0.1, 0.2, -0.3), (0.3, 0.1, -0.4)),
        ht.BodyLoad("arm", (0.4, 0.7, -1.0), (-0.2, 0.0, 0.6), (-0.1, 0.2, 0.2), "body"),
        ht.BodyLoad("hand", (0.6, -0.3, 1.7), at=(0.2, -0.5, 0.3)),
    ],
    "joint_input": [ht.JointInput("elbow"), ht.JointInput("neck")],
    "joint_actuator": [
        ht.JointActuator("elbow", 2.0, -0.3, 2.0, 0.4, effort=(-5.0, 4.0)),
        ht.JointActuator("slide", offset=0.7, control=(-1.0, 1.0)),
    ],
    "body_input": [ht.BodyInput("hand", (0.1, 0.0, 0.2))],
    "joint_law": [
        ht.JointLaw("elbow", "-3*sin(q) - 0.2*v + a*cos(t)", {"a": 0.5}),
        ht.JointLaw("slide", 1.5),
    ],
    "joint_potential": [ht.JointPotential("elbow", "k*(1 - cos(q))", {"k": 2.0})],
    "body_law": [
        ht.BodyLaw("hand", ("-2*x", "-y*vx", "0.3"), ("0", "-wy", "0.1*t"), (0.1, 0.0, 0.2)),
        ht.BodyLaw("hand", (1.0, 0.5, -0.2), (0.1, 0.0, 0.3), (0.1, 0.0, 0.2)),
    ],
    "joint_table": [ht.JointTable("elbow", TIMES, (0.5, -1.0, 2.0, 0.3))],
    "body_table": [ht.BodyTable("arm", TIMES, POINTS, POINTS[::-1], (0.2, 0.1, 0.0), "body")],
    "point_spring": [
        ht.PointSpring("trunk", "hand", *AT, 3.0, 0.8),
        ht.PointSpring("trunk", "hand", *AT, 3.0, 0.8, 0.6),
        ht.PointSpring("arm", "head", *AT, 3.0, 0.2, 0.6, tension_only=True),
    ],
    "constant_force_spring": [ht.ConstantForceSpring("trunk", "hand", *AT, 2.5)],
    "point_actuator": [
        ht.PointActuator("trunk", "hand", *AT, "k*(l - 0.8) + c*v", {"k": 3.0, "c": 0.6}),
        ht.PointActuator("arm", "head", *AT, "2*sin(3*t) - l*v**2"),
        ht.PointActuator("trunk", "head", *AT, 1.5),
    ],
    "torsion": [
        ht.Torsion("trunk", "hand", 1.3, rest=FRAMES[0].rotation),
        ht.Torsion("arm", "head", 1.3, 0.4),
    ],
    "bushing": [
        ht.Bushing("trunk", "hand", *FRAMES, MATRIX, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
        ht.Bushing("arm", "head", *FRAMES, (1.0, 2.0, 3.0, 0.5, 0.6, 0.7)),
    ],
    "pose_potential": [
        ht.PosePotential(
            "trunk",
            "hand",
            "k/2*(r - l)**2 + c*(1 - R_33)**2 + c*x*R_12*y",
            {"k": 3.0, "l": 0.8, "c": 0.4},
            *FRAMES,
        ),
        ht.PosePotential("arm", "head", "k*x1*R2_23**2 - k*z2*R1_31 + k*(x1 - x2)**2", {"k": 1.3}),
    ],
    "gravitation": [ht.Gravitation(("trunk", "arm", "hand"), 1.7, 0.1)],
    "central_gravity": [
        ht.CentralGravity("hand", 3.0, (0.1, 0.2, -4.0)),
        ht.CentralGravity("arm", 3.0, (0.1, 0.2, -4.0), gradient=False),
    ],
    "drag": [ht.Drag("hand", 0.4, 0.2, (0.1, 0.2, 0.3), (1.0, -2.0, 0.5))],
    "joint_limit": [
        ht.JointLimit("elbow", -2.0, 0.1, stiffness=30.0, damping=4.0, ramp=0.05),
        ht.JointLimit("slide", lower=0.6, stiffness=10.0),
    ],
    "joint_friction": [ht.JointFriction("elbow", 0.7, 0.2, 0.05), ht.JointFriction("slide", 0.2)],
    "pair_force": [
        ht.PairForce(ht.Morse(2.0, 1.1, 0.9)),
        ht.PairForce(ht.Coulomb({"A": 0.7}, 1.3, 2.0), cutoff=6.0, switch=4.0),
    ],
}


def articulated_model(*forces, gravity=(0.0, 0.0, 0.0)):
    """trunk (free) — elbow — arm — slide — hand, and a head on a ball."""
    names = ("trunk", "arm", "hand", "head")
    bodies = [
        ht.Body(name, 1.0 + 0.5 * k, (0.1, 0.02 * k, 0.0), (0.2, 0.25, 0.3), particles=PARTICLES)
        for k, name in enumerate(names)
    ]
    joints = [
        ht.Free("base", "ground", "trunk"),
        ht.Revolute("elbow", "trunk", "arm", (0.0, 0.9, 0.2), (0.0, -0.4, 0.0), axis=(1, 2, 0)),
        ht.Prismatic("slide", "arm", "hand", (0.5, 0.6, 0.0), (-0.3, 0.0, 0.1), axis=(0, 1, 1)),
        ht.Ball("neck", "trunk", "head", (0.0, -0.3, 0.8), (0.1, 0.0, -0.5)),
    ]
    return ht.Model(bodies, joints, forces, gravity)
