"""A pole balanced on a cart by a controller in plain Python.

    python examples/inverted_pendulum.py [seconds]

The force on the cart is a fixed combination of position, angle and their rates, measured every
tenth step. A lateral force after one second shows that it recovers.
"""

import sys

import numpy as np

import hamiltree as ht

# N by m, rad, m/s, rad/s: poles of the linear system at -2, -2.5, -4, -5
GAINS = np.array([7.1, 62.4, 9.6, 15.9])
LENGTH = 0.5  # m, from the hinge to the middle of the pole


def cart_and_pole(angle: float = 0.1) -> ht.Model:
    """The pole stands up at angle 0."""
    cart = ht.Body("cart", 1.0, inertia=((0.01, 0, 0), (0, 0.01, 0), (0, 0, 0.01)))
    pole = ht.Body("pole", 0.2, (0, 0, LENGTH), ((0.0167, 0, 0), (0, 0.0167, 0), (0, 0, 1e-5)))
    rail = ht.Prismatic("rail", "ground", "cart", axis=(1, 0, 0))
    hinge = ht.Revolute("hinge", "cart", "pole", axis=(0, 1, 0), q=angle)
    forces = [
        ht.JointInput("rail", name="drive"),
        ht.BodyInput("pole", at=(0, 0, 2 * LENGTH), name="push"),
    ]
    return ht.Model([cart, pole], [rail, hinge], forces, name="cart and pole")


def main(until: float = 5.0, step: float = 1e-3) -> float:
    """Simulate `until` seconds; returns the last angle of the pole, rad."""
    sim, every = ht.simulator(cart_and_pole(), step=step), 10
    for _ in range(round(until / step) // every):
        now = sim.state
        drive = float(GAINS @ np.concatenate([now.q, now.speeds]))
        is_pushed = 1.0 <= now.t < 1.1
        sim.set(inputs={"drive": drive, "push": {"force": (2.0 if is_pushed else 0.0, 0.0, 0.0)}})
        sim.step(every)
    now, run = sim.state, sim.trajectory()
    tilt = np.abs(run.q.values[:, 1]).max()
    print(
        f"after {now.t:g} s: cart at {now.q[0]:+.4f} m, pole {np.degrees(now.q[1]):+.4f} degrees "
        "from upright"
    )
    print(
        f"largest tilt {np.degrees(tilt):.2f} degrees, largest force on the cart "
        f"{np.abs(run.inputs.values[:, 0]).max():.3g} N"
    )
    print(f"energy less work, error {run.energy_error:.1e}")
    return float(abs(now.q[1]))


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
