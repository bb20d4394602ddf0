"""hamiltree: simulate trees of rigid bodies so that the answer can be trusted.

    import hamiltree as ht
    run = ht.simulate(ht.library.chain(10), until=100, step=1e-3)
    print(run.energy_error)

Names are resolved when first used, so that importing costs little. Joints, forces and all else that
a model is made of come from the catalogues in `hamiltree.model`; nobody lists them here.
"""

# ruff: noqa: F401, F403
TYPE_CHECKING = False  # for type checkers alone: importing `typing` takes time

if TYPE_CHECKING:
    from hamiltree.model import *  # isort: skip
    from hamiltree import rotations, studies
    from hamiltree.algorithms.binding import dynamics
    from hamiltree.algorithms.evaluation import evaluate, evaluator
    from hamiltree.analysis import cartesian, euler_parameters, kane
    from hamiltree.analysis.accelerations import accelerations
    from hamiltree.analysis.advice import advise
    from hamiltree.analysis.compare.comparison import compare
    from hamiltree.analysis.convergence import convergence
    from hamiltree.analysis.influence import influence
    from hamiltree.analysis.linear.continuation import continuation
    from hamiltree.analysis.linear.linearisation import linearise
    from hamiltree.analysis.linear.steady import steady_motion
    from hamiltree.analysis.statics.equilibrium import equilibrium
    from hamiltree.analysis.statics.modes import modes
    from hamiltree.analysis.statics.rod import rod
    from hamiltree.assembly.report import assemble, mechanism
    from hamiltree.errors import (
        AccuracyWarning,
        ClusterError,
        CompileError,
        FileError,
        FitError,
        HamiltreeError,
        ModelError,
        OptionError,
        StepError,
    )
    from hamiltree.files.particles import particles_to_xyz, read_particles
    from hamiltree.integrators.own_methods import Composition, Tableau
    from hamiltree.model import library, units
    from hamiltree.problems.events import Event
    from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
    from hamiltree.problems.limit_events import limit_events
    from hamiltree.problems.ode import Ode, ode
    from hamiltree.problems.point_events import point_event
    from hamiltree.published.problem import published_problems
    from hamiltree.published.verify import verify
    from hamiltree.run.problem_files import load, save
    from hamiltree.run.resume import resume
    from hamiltree.run.simulate import simulate, simulator
    from hamiltree.studies.study import Study, study
    from hamiltree.trajectory.trajectory import Trajectory
    from hamiltree.version import __version__
else:

    def __getattr__(name: str):
        """A public name, imported now; an unknown one is refused with the nearest."""
        from hamiltree.public_names import find_name, public_names

        value = public_names() if name == "__all__" else find_name(name)
        if name != "__all__":
            globals()[name] = value
        return value

    def __dir__() -> list[str]:
        from hamiltree.public_names import public_names

        return public_names()
