"""Experiments run again beside the numbers of their sources: seed 002; mechanisms; seed 001.

`hamiltree gallery` lists them.
"""

from hamiltree.catalogue import find
from hamiltree.gallery.experiment import Experiment, Row, perform
from hamiltree.gallery.experiments import (
    chapter11,
    disc_chain,
    galactic,
    kepler,
    mechanisms,
    molecules,
    norm_per_body,
    oscillator,
    pendulum,
    rod,
    space_mechanisms,
    tetrahedra,
    top,
    top_by_quaternions,
    unit_norm,
)

ALL = (
    *(
        module.EXPERIMENT
        for module in (oscillator, pendulum, kepler, galactic, top, top_by_quaternions)
    ),
    *(
        module.EXPERIMENT
        for module in (unit_norm, tetrahedra, norm_per_body, disc_chain, rod, molecules)
    ),
    *mechanisms.EXPERIMENTS,
    *space_mechanisms.EXPERIMENTS,
    *chapter11.EXPERIMENTS,
)
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}


def find_experiment(name: str) -> Experiment:
    return find(EXPERIMENTS, name, "experiment")


__all__ = ["EXPERIMENTS", "Experiment", "Row", "find_experiment", "perform"]
