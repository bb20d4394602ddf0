"""An arm of two links that a PD controller brings to a position: plain Python between the steps.

    python examples/pd_arm.py [seconds]

The torque of each motor is stiffness (target − q) − damping qdot, and what holds the arm against
gravity. It is constant over a step, as a digital controller would have it.
"""

import sys

import numpy as np

import hamiltree as ht

TARGET = np.array([0.8, -0.5])  # rad
STIFFNESS, DAMPING = np.array([60.0, 25.0]), np.array([12.0, 4.0])


def arm() -> ht.Model:
    """Two links in a vertical plane, hanging down, with a motor in each hinge."""
    rod = ((0.0208, 0, 0), (0, 0.0208, 0), (0, 0, 1e-4))
    links = [ht.Body(name, 1.0, (0, 0, -0.25), rod) for name in ("upper", "fore")]
    shoulder = ht.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0))
    elbow = ht.Revolute("elbow", "upper", "fore", on_parent=(0, 0, -0.5), axis=(0, 1, 0))
    return ht.Model(
        links, [shoulder, elbow], [ht.JointInput("shoulder"), ht.JointInput("elbow")], name="arm"
    )


def main(until: float = 3.0, step: float = 1e-3) -> float:
    """Simulate `until` seconds; returns the largest distance from the target, rad."""
    model = arm()
    sim, gravity = ht.simulator(model, step=step), ht.dynamics(model).gravity
    for _ in range(round(until / step)):
        now = sim.state
        torque = STIFFNESS * (TARGET - now.q) - DAMPING * now.speeds + gravity(now.q)
        sim.set(inputs=dict(zip(model.speeds, torque.tolist(), strict=True)))
        sim.step()
    run, now = sim.trajectory(), sim.state
    print(
        f"after {now.t:g} s: shoulder {now.q[0]:.4f} rad, elbow {now.q[1]:.4f} rad (wanted "
        f"{TARGET[0]}, {TARGET[1]})"
    )
    print(
        f"work of the motors {now.work:.4f} J, largest torque "
        f"{np.abs(run.inputs.values).max():.3g} N m"
    )
    print(f"energy less work, error {run.energy_error:.1e}")
    return float(np.abs(now.q - TARGET).max())


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
