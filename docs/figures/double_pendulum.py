"""The figure of docs/accuracy.md: energy error of a double pendulum over ten million steps.

Takes about a minute.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import hamiltree as ht

STEP, STEPS = 5e-3, 10**7


def main() -> None:
    model = ht.library.n_pendulum(2, angles=(0.3, 0.7))
    run = ht.simulate(model, until=STEP * STEPS, step=STEP, save_every=1000)
    million, error = run.t.values / STEP / 1e6, run.energy.values - run.energy.values[0]
    slope, offset = np.polyfit(million, error, 1)
    figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
    axes.plot(million, error, lw=0.5, color="#1f2a44", label="H − H₀")
    axes.plot(
        million,
        offset + slope * million,
        color="#c8553d",
        label=f"fitted line: {slope:+.1e} J a million steps",
    )
    axes.set_xlabel("million steps")
    axes.set_ylabel("energy error / J")
    axes.set_ylim(-1e-13, 1e-13)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_suffix(".png"), dpi=120)
    first, second = (np.abs(half).max() for half in np.array_split(error, 2))
    print(
        f"largest |dE|: first half {first:.2e} J, second half {second:.2e} J; trend "
        f"{slope * 10:.2e} J in 10^7 steps"
    )


if __name__ == "__main__":
    main()
