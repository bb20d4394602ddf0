"""Names of the package `hamiltree` itself, found when they are first used.

The functions and classes below are in the module given; every other name is a class that a
catalogue of `hamiltree.model` holds.
"""

import importlib
import re
from typing import Any

from hamiltree.renamed import find_renamed

MODULE_OF_NAMES = {
    "algorithms.evaluation": ("evaluate", "evaluator"),
    "algorithms.binding": ("dynamics",),
    "analysis.accelerations": ("accelerations",),
    "analysis.advice": ("advise",),
    "analysis.compare.comparison": ("compare",),
    "analysis.convergence": ("convergence",),
    "analysis.influence": ("influence",),
    "analysis.linear.continuation": ("continuation",),
    "analysis.linear.linearisation": ("linearise",),
    "analysis.linear.steady": ("steady_motion",),
    "analysis.statics.equilibrium": ("equilibrium",),
    "analysis.statics.modes": ("modes",),
    "analysis.statics.rod": ("rod",),
    "assembly.report": ("assemble", "mechanism"),
    "errors": (
        "AccuracyWarning",
        "ClusterError",
        "CompileError",
        "FileError",
        "FitError",
        "HamiltreeError",
        "ModelError",
        "OptionError",
        "StepError",
    ),
    "files.particles": ("particles_to_xyz", "read_particles"),
    "integrators.own_methods": ("Composition", "Tableau"),
    "problems.events": ("Event",),
    "problems.hamiltonian": ("Hamiltonian", "hamiltonian"),
    "problems.limit_events": ("limit_events",),
    "problems.ode": ("Ode", "ode"),
    "problems.point_events": ("point_event",),
    "published.problem": ("published_problems",),
    "published.verify": ("verify",),
    "run.problem_files": ("load", "save"),
    "run.resume": ("resume",),
    "run.simulate": ("simulate", "simulator"),
    "studies.study": ("Study", "study"),
    "trajectory.trajectory": ("Trajectory",),
    "version": ("__version__",),
}
MODULE_OF = {name: module for module, names in MODULE_OF_NAMES.items() for name in names}
MODULES = {
    "cartesian": "analysis.cartesian",
    "euler_parameters": "analysis.euler_parameters",
    "kane": "analysis.kane",
    "library": "model.library",
    "rotations": "rotations",
    "studies": "studies",
    "units": "model.units",
}
MAX_SUGGESTED = 4


def public_names() -> list[str]:
    """Every name of `hamiltree`, sorted."""
    from hamiltree.model import public_classes

    return sorted({*MODULE_OF, *MODULES, *public_classes()})


def find_name(name: str) -> Any:
    """What `hamiltree.<name>` is."""
    if name in MODULES:
        return importlib.import_module(f"hamiltree.{MODULES[name]}")
    if name in MODULE_OF:
        return getattr(importlib.import_module(f"hamiltree.{MODULE_OF[name]}"), name)
    refuse_special_name(name)
    from hamiltree.model import public_classes

    if name not in (classes := public_classes()):
        raise AttributeError(
            f"module 'hamiltree' has no attribute {name!r}{suggest_names(name)}", name=name
        )
    return classes[name]


def refuse_special_name(name: str) -> None:
    """Python asks modules for `__path__` and the like; no model is imported for them."""
    if name.startswith("__"):
        raise AttributeError(f"module 'hamiltree' has no attribute {name!r}")


def suggest_names(name: str) -> str:
    """The new name of a renamed one, else the names of which it is a word (Spring: JointSpring,
    PointSpring), else those that are spelled almost so.
    """
    from difflib import get_close_matches

    new = find_renamed("", name)
    if new is not None:
        return f"; it is now called {new}"
    known = public_names()
    by_letters = {known_name.lower().replace("_", ""): known_name for known_name in known}
    wanted = name.lower().replace("_", "")
    with_word = [known_name for known_name in known if name in split_words(known_name)]
    close = [by_letters[letters] for letters in get_close_matches(wanted, by_letters, n=2)]
    hints = list(dict.fromkeys([*with_word, *close]))[:MAX_SUGGESTED]
    return f"; did you mean {', '.join(hints)}?" if hints else ""


def split_words(name: str) -> list[str]:
    """["Joint", "Spring"] of JointSpring."""
    return re.findall(r"[A-Z][a-z]*", name)
