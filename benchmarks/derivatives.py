"""Derivatives of forward dynamics of ten bodies, without forces and with more and more of them,
against Pinocchio's computeABADerivatives, which has none.
"""

import numpy as np
import pinocchio as pin

import hamiltree as ht
from benchmarks.measure import Row, agree, best

BODIES, ROUNDS = 10, 150
AXES = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
PLACE, COM, INERTIA = (0.3, 0.1, -0.4), (0.1, 0.05, -0.2), (0.1, 0.12, 0.08)
AT = (0.3, -0.2, 0.1), (-0.1, 0.4, 0.2)
FRAMES = ht.Frame.about((1, 1, -0.3), 0.4), ht.Frame.about((0, 1, 0.4), -0.7)
PARTICLES = ht.Particles([(0.1, 0.0, 0.2), (-0.2, 0.1, 0.0)], masses=0.3)
TIMES = (-1.0, 0.0, 0.5, 1.5)
VALUES = (0.5, -1.0, 2.0, 0.3)
VECTORS = ((0.1, 0.2, 0.3), (1.0, -1.0, 0.5), (0.0, 0.4, -0.2), (0.3, 0.3, 0.3))
ALONG_JOINTS = [
    *(ht.JointSpring(f"j{k}", 3.0, 0.4) for k in range(BODIES)),
    *(ht.JointDamper(f"j{k}", 0.3) for k in range(BODIES)),
    *(ht.JointFriction(f"j{k}", 0.7, smoothing=0.05) for k in range(BODIES)),
    *(ht.JointLimit(f"j{k}", -2.0, 2.0, stiffness=30.0) for k in range(BODIES)),
]
BETWEEN_BODIES = [
    ht.PointSpring("b2", "b7", *AT, 3.0, 0.8, 0.6),
    ht.PointSpring("ground", "b9", *AT, 3.0, 0.8, 0.6),
    ht.Drag("b8", 0.4, 0.2, (0.1, 0.2, 0.3)),
]
EVERY = [
    ht.JointSpring("j1", 3.0, 0.4),
    ht.JointDamper("j2", 0.3),
    ht.JointEffort("j3", -0.8),
    ht.JointInput("j5"),
    ht.JointActuator("j6", 2.0, -0.3, 2.0, 0.4, effort=(-5.0, 4.0)),
    ht.JointLaw("j7", "-3*sin(q) - 0.2*v + a*cos(t)", {"a": 0.5}),
    ht.JointPotential("j8", "k*(1 - cos(q))", {"k": 2.0}),
    ht.JointTable("j0", TIMES, VALUES),
    ht.JointLimit("j9", -2.0, 0.1, stiffness=30.0, damping=4.0, ramp=0.05),
    ht.JointFriction("j4", 0.7, 0.2, 0.05),
    ht.BodyLoad("b4", (1.0, -2.0, 0.5), (0.1, 0.2, -0.3), (0.3, 0.1, -0.4)),
    ht.BodyInput("b5", (0.1, 0.0, 0.2)),
    ht.BodyLaw("b9", ("-2*x", "-y*vx", "0.3"), ("0", "-wy", "0.1*t"), (0.1, 0.0, 0.2)),
    ht.BodyTable("b1", TIMES, VECTORS, VECTORS[::-1], (0.2, 0.1, 0.0), "body"),
    ht.PointSpring("b2", "b7", *AT, 3.0, 0.8, 0.6),
    ht.ConstantForceSpring("b3", "b8", *AT, 2.5),
    ht.PointActuator("b0", "b6", *AT, "k*(l - 0.8) + c*v", {"k": 3.0, "c": 0.6}),
    ht.Torsion("b1", "b4", 1.3, 0.4),
    ht.Bushing("b4", "b9", *FRAMES, (1.0, 2.0, 3.0, 0.5, 0.6, 0.7), (0.1,) * 6),
    ht.PosePotential("b3", "b6", "k/2*(r - l)**2 + c*(1 - R_33)**2", {"k": 3, "l": 0.8, "c": 1}),
    ht.Gravitation(("b0", "b4"), 1.7, 0.1),
    ht.CentralGravity("b7", 3.0, (0.1, 0.2, -9.0)),
    ht.Drag("b8", 0.4, 0.2, (0.1, 0.2, 0.3), (1.0, -2.0, 0.5)),
    ht.PairForce(ht.Morse(2.0, 1.1, 0.9)),
]
FORCES = {
    "no forces": [],
    "springs, dampers, friction and stops of all joints": ALONG_JOINTS,
    "two springs and a drag": BETWEEN_BODIES,
    "one of every force": EVERY,
}
# all together compile for a minute; derivatives of every force have tests of their own
SMALL = {"ROUNDS": 1, "FORCES": {name: FORCES[name] for name in list(FORCES)[:3:2]}}


def chain(forces: list) -> ht.Model:
    """Hinges about x, y, z in turn."""
    bodies = [
        ht.Body(f"b{k}", 1.0 + 0.1 * k, COM, INERTIA, particles=PARTICLES if k in (2, 6) else None)
        for k in range(BODIES)
    ]
    joints = [
        ht.Revolute(
            f"j{k}", f"b{k - 1}" if k else "ground", f"b{k}", PLACE, axis=tuple(np.eye(3)[k % 3])
        )
        for k in range(BODIES)
    ]
    return ht.Model(bodies, joints, forces)


def peer_of(model: ht.Model) -> pin.Model:
    made = pin.Model()
    made.gravity.linear = np.array(model.gravity)
    parent = 0
    for k, body in enumerate(model.bodies):
        parent = made.addJoint(parent, AXES[k % 3](), pin.SE3(np.eye(3), np.array(PLACE)), f"j{k}")
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        made.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return made


def run() -> list[Row]:
    """Compare the answers without forces, then time one call of each."""
    bound = {name: ht.dynamics(chain(forces)) for name, forces in FORCES.items()}
    peer = peer_of(chain([]))
    data = peer.createData()
    q, u, tau = np.random.default_rng(1).normal(size=(3, BODIES))
    theirs = [np.array(each) for each in pin.computeABADerivatives(peer, data, q, u, tau)]
    ours = bound["no forces"].forward_derivatives(q, u, tau)
    for mine, other in zip(ours, theirs, strict=True):
        agree("derivatives", abs(mine - other).max() / abs(other).max(), 1e-9)
    seconds = best(
        {
            "pin": lambda k: [pin.computeABADerivatives(peer, data, q, u, tau) for _ in range(k)],
            **{
                name: (lambda k, ask=d.forward_derivatives: [ask(q, u, tau) for _ in range(k)])
                for name, d in bound.items()
            },
        },
        ROUNDS,
    )
    return [
        Row(
            f"ten hinges, {name}",
            f"ours {1e6 * seconds[name]:.2f} µs, pin without forces {1e6 * seconds['pin']:.2f} µs",
            seconds["pin"] / seconds[name],
            at_least=1,
        )
        for name in FORCES
    ]
