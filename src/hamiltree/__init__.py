"""hamiltree: simulate trees of rigid bodies so that the answer can be trusted.

    import hamiltree as ht
    run = ht.simulate(ht.library.chain(10), until=100, step=1e-3)
    print(run.energy_error)

Names are resolved when first used, so that importing costs little.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hamiltree.algorithms.evaluation import evaluate, evaluator
    from hamiltree.algorithms.rigid_body import dynamics
    from hamiltree.analysis.accelerations import accelerations
    from hamiltree.analysis.compare.comparison import compare
    from hamiltree.analysis.influence import influence
    from hamiltree.analysis.kane import partials as kane
    from hamiltree.analysis.statics.equilibrium import equilibrium
    from hamiltree.analysis.statics.modes import modes
    from hamiltree.analysis.statics.rod import rod
    from hamiltree.assembly.report import assemble, mechanism
    from hamiltree.errors import (
        FileError,
        FitError,
        HamiltreeError,
        ModelError,
        OptionError,
        StepError,
    )
    from hamiltree.files.particles import particles_to_xyz, read_particles
    from hamiltree.model import (
        Axes,
        Ball,
        Body,
        BodyInput,
        BodyLaw,
        BodyLoad,
        BodyTable,
        Box,
        Buckingham,
        Bushing,
        Capsule,
        CentralGravity,
        Coincident,
        ConstantForceSpring,
        Coulomb,
        Cylinder,
        Cylindrical,
        Drag,
        Drive,
        Fene,
        Frame,
        Free,
        Gear,
        Gimbal,
        Gravitation,
        HarmonicBond,
        JointDamper,
        JointEffort,
        JointFriction,
        JointInput,
        JointLaw,
        JointLimit,
        JointPotential,
        JointSpring,
        JointTable,
        LennardJones,
        Mimic,
        Model,
        Morse,
        Motion,
        PairForce,
        PairFormula,
        ParallelAxes,
        Particles,
        PerpendicularAxes,
        Planar,
        PointInPlane,
        PointOnLine,
        PointSpring,
        Prismatic,
        Rack,
        Revolute,
        Rod,
        Screw,
        Sphere,
        Torsion,
        Translation,
        Universal,
        Weld,
        library,
        units,
    )
    from hamiltree.problems.events import Event
    from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
    from hamiltree.run.problem_files import load, save
    from hamiltree.run.simulate import simulate, simulator
    from hamiltree.trajectory.trajectory import Trajectory
    from hamiltree.version import __version__

__all__ = [
    "Axes",
    "Ball",
    "Body",
    "BodyInput",
    "BodyLaw",
    "BodyLoad",
    "BodyTable",
    "Box",
    "Buckingham",
    "Bushing",
    "Capsule",
    "CentralGravity",
    "Coincident",
    "ConstantForceSpring",
    "Coulomb",
    "Cylinder",
    "Cylindrical",
    "Drag",
    "Drive",
    "Event",
    "Fene",
    "FileError",
    "FitError",
    "Frame",
    "Free",
    "Gear",
    "Gimbal",
    "Gravitation",
    "Hamiltonian",
    "HamiltreeError",
    "HarmonicBond",
    "JointDamper",
    "JointEffort",
    "JointFriction",
    "JointInput",
    "JointLaw",
    "JointLimit",
    "JointPotential",
    "JointSpring",
    "JointTable",
    "LennardJones",
    "Mimic",
    "Model",
    "ModelError",
    "Morse",
    "Motion",
    "OptionError",
    "PairForce",
    "PairFormula",
    "ParallelAxes",
    "Particles",
    "PerpendicularAxes",
    "Planar",
    "PointInPlane",
    "PointOnLine",
    "PointSpring",
    "Prismatic",
    "Rack",
    "Revolute",
    "Rod",
    "Screw",
    "Sphere",
    "StepError",
    "Torsion",
    "Trajectory",
    "Translation",
    "Universal",
    "Weld",
    "__version__",
    "accelerations",
    "assemble",
    "compare",
    "dynamics",
    "equilibrium",
    "evaluate",
    "evaluator",
    "hamiltonian",
    "influence",
    "kane",
    "library",
    "load",
    "mechanism",
    "modes",
    "particles_to_xyz",
    "read_particles",
    "rod",
    "save",
    "simulate",
    "simulator",
    "units",
]

# Where a name lives; whatever is not listed is part of a model.
HOMES = {
    "algorithms.evaluation": ("evaluate", "evaluator"),
    "algorithms.rigid_body": ("dynamics",),
    "analysis.accelerations": ("accelerations",),
    "analysis.compare.comparison": ("compare",),
    "analysis.influence": ("influence",),
    "analysis.statics.equilibrium": ("equilibrium",),
    "analysis.statics.modes": ("modes",),
    "analysis.statics.rod": ("rod",),
    "assembly.report": ("assemble", "mechanism"),
    "errors": ("FileError", "FitError", "HamiltreeError", "ModelError", "OptionError", "StepError"),
    "files.particles": ("particles_to_xyz", "read_particles"),
    "problems.events": ("Event",),
    "problems.hamiltonian": ("Hamiltonian", "hamiltonian"),
    "run.problem_files": ("load", "save"),
    "run.simulate": ("simulate", "simulator"),
    "trajectory.trajectory": ("Trajectory",),
    "version": ("__version__",),
}
MODULES = {"kane": "analysis.kane", "library": "model.library", "units": "model.units"}
HOME_OF = {name: home for home, names in HOMES.items() for name in names}


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module 'hamiltree' has no attribute {name!r}")
    home = importlib.import_module(f"hamiltree.{HOME_OF.get(name, 'model')}")
    value = (
        importlib.import_module(f"hamiltree.{MODULES[name]}")
        if name in MODULES
        else getattr(home, name)
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
