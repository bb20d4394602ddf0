"""hamiltree: simulate trees of rigid bodies so that the answer can be trusted.

import hamiltree as ht
run = ht.simulate(ht.library.chain(10), until=100, step=1e-3)
print(run.energy_error)

Names are resolved when first used, so that importing costs little.
"""

import importlib

HOMES = {
    "hamiltree.model": (
        "Body BodyLoad Box Capsule Cylinder Frame JointDamper JointEffort JointSpring Model Prismatic Revolute Screw Sphere Weld".split()
    ),
    "hamiltree.files": ["load", "save"],
    "hamiltree.simulate": ["simulate"],
    "hamiltree.evaluate": ["evaluate", "Evaluator"],
    "hamiltree.formulations.influence": ["influence"],
    "hamiltree.trajectory": ["Trajectory"],
    "hamiltree.errors": ["FileError", "FitError", "HamiltreeError", "ModelError", "OptionError", "StepError"],
    "hamiltree.version": ["__version__"],
}
HOME_OF = {name: module for module, names in HOMES.items() for name in names}
__all__ = ["library", *sorted(HOME_OF)]  # noqa: PLE0604


def __getattr__(name: str):
    if name == "library":
        return importlib.import_module("hamiltree.model.library")
    if name in HOME_OF:
        value = getattr(importlib.import_module(HOME_OF[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'hamiltree' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
