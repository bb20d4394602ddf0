"""Experiments of the literature, repeated: our numbers beside those of the source.

Sources are the thesis "On Hamiltonian Dynamics of a Chain of Rigid Bodies", papers on mechanisms,
the chapter "Spatial Dynamics", the notes "Multibody Dynamics" on Kane's equations and the notes
"EOM with Hamilton's Equations". `hamiltree gallery` lists the experiments.
"""

from hamiltree.catalogue import find
from hamiltree.gallery.documents import DOCUMENTS, Document, find_document
from hamiltree.gallery.experiment import Experiment, Row, perform
from hamiltree.gallery.experiments import (
    adaptive_energy,
    chapter11,
    disc_chain,
    drawings,
    galactic,
    hamiltons_equations,
    kane,
    kepler,
    mechanisms,
    molecular_bearing,
    molecules,
    norm_per_body,
    oscillator,
    pendulum,
    rod,
    space_mechanisms,
    spatial_dynamics,
    symplecticity,
    tetrahedra,
    top,
    top_by_quaternions,
    unit_norm,
)

SINGLE = (
    *(oscillator, pendulum, kepler, galactic, top, top_by_quaternions),
    *(unit_norm, symplecticity, tetrahedra, norm_per_body),
    *(disc_chain, rod, molecules, molecular_bearing, adaptive_energy, drawings),
)
ALL = (
    *(module.EXPERIMENT for module in SINGLE),
    *mechanisms.EXPERIMENTS,
    *space_mechanisms.EXPERIMENTS,
    *chapter11.EXPERIMENTS,
    *spatial_dynamics.EXPERIMENTS,
    *kane.EXPERIMENTS,
    *hamiltons_equations.EXPERIMENTS,
)
EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}


def find_experiment(name: str) -> Experiment:
    return find(EXPERIMENTS, name, "experiment", command="hamiltree gallery")


def experiments_of(document: str) -> list[Experiment]:
    """The experiments that repeat examples and figures of one of the five documents."""
    name = find_document(document).name
    return [experiment for experiment in ALL if experiment.document == name]


__all__ = [
    "DOCUMENTS",
    "EXPERIMENTS",
    "Document",
    "Experiment",
    "Row",
    "experiments_of",
    "find_document",
    "find_experiment",
    "perform",
]
