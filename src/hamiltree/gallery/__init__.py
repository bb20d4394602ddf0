"""The numerical experiments of seed 002, chapter 2: run again, beside the numbers of their source. `hamiltree gallery` lists them."""

from hamiltree.catalogue import find
from hamiltree.gallery import galactic, kepler, oscillator, pendulum, top
from hamiltree.gallery.experiment import Experiment, Row, perform

EXPERIMENTS: dict[str, Experiment] = {module.EXPERIMENT.name: module.EXPERIMENT for module in (oscillator, pendulum, kepler, galactic, top)}


def find_experiment(name: str) -> Experiment:
    return find(EXPERIMENTS, name, "experiment")


__all__ = ["EXPERIMENTS", "Experiment", "Row", "find_experiment", "perform"]
