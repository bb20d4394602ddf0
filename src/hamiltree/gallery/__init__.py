"""Experiments run again beside the numbers of their sources: seed 002, chapter 2; mechanisms; seed 001. `hamiltree gallery` lists them."""

from hamiltree.catalogue import find
from hamiltree.gallery import chapter11, disc_chain, galactic, kepler, mechanisms, oscillator, pendulum, rod, space_mechanisms, top
from hamiltree.gallery.experiment import Experiment, Row, perform

ALL = (
    *(module.EXPERIMENT for module in (oscillator, pendulum, kepler, galactic, top)),
    *mechanisms.EXPERIMENTS,
    *space_mechanisms.EXPERIMENTS,
    *chapter11.EXPERIMENTS,
    disc_chain.EXPERIMENT,
    rod.EXPERIMENT,
)
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}


def find_experiment(name: str) -> Experiment:
    return find(EXPERIMENTS, name, "experiment")


__all__ = ["EXPERIMENTS", "Experiment", "Row", "find_experiment", "perform"]
