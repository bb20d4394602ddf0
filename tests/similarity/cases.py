"""What is compared across scales: the recorded runs of models, models of the library and of the
gallery, and models with typed formulas.

A case is made in a scale: `make(units)`, `options(units)`. Formulas are scaled by hand, here; what
else has a formula or a function is left out by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import hamiltree as ht
from hamiltree.gallery.experiments import disc_chain, tetrahedra
from hamiltree.model.units import SI, Units
from tests.recorded import models
from tests.recorded.entries import SHORT, Run, words
from tests.recorded.loops import LOOPS
from tests.recorded.particles import PARTICLES
from tests.recorded.trees import FORCES, JOINTS, OF_INPUTS, TREES
from tests.similarity.scaling import Scaled, enlarge, enlarge_options, reduce_run, size

RECORDED = (*JOINTS, *FORCES, *OF_INPUTS, *TREES, *LOOPS, *PARTICLES)
ADAPTIVE = ("dop853", "dormand_prince5", "tsitouras5", "radau5")
LONGER = {"until": 0.2, "step": 5e-3}
PROJECTED = ("cartesian_1", "cartesian_2", "cartesian_3", "kane_absolute")  # dop853 unless said


@dataclass(frozen=True)
class Case:
    """A run that is made in a scale. Its start and its times are those of the scale of one."""

    name: str
    make: Callable[[Units], ht.Model]
    given: Mapping[str, Any] = field(default_factory=dict)

    def options(self, units: Units) -> dict[str, Any]:
        return enlarge_options(self.make(SI), self.given, units)

    def reduce(self, run: ht.Trajectory, units: Units) -> Scaled:
        """The arrays of a run in the scale of one."""
        return reduce_run(run, units)

    @property
    def is_exact(self) -> bool:
        """Whether its steps are of fixed length."""
        default = "dop853" if self.given.get("formulation") in PROJECTED else "gauss8"
        return (self.given.get("integrator") or default) not in ADAPTIVE


def scaled(name: str, make: Callable[[], ht.Model], **options: Any) -> Case:
    """A model whose numbers all have declared dimensions."""
    return Case(name, lambda units: enlarge(make(), units), options)


# ---- formulas, scaled by hand --------------------------------------------------------------------
def quartic_arm(units: Units) -> ht.Model:
    """A potential of an angle: its constants are energies."""
    parameters = {"k": 3.0 * units.energy, "e": units.energy}
    potential = ht.JointPotential("shoulder", "k*q**4/4 - e*cos(q)", parameters)
    return enlarge(models.arm(), units).with_(forces=[potential])


def law_of_arm(units: Units) -> ht.Model:
    """A torque of angles, rates and time."""
    torque, rate = units.energy, 1.0 / units.time
    parameters = {
        "k": 2.0 * torque / rate,
        "c": 0.1 * torque / rate,
        "e": torque,
        "w": 3.0 * rate,
    }
    law = ht.JointLaw("elbow", "-k*elbow*shoulder_dot - c*v + e*sin(w*t)", parameters)
    return enlarge(models.arm(), units).with_(forces=[law])


def pushed_arm(units: Units) -> ht.Model:
    """A force and a torque of velocities and time."""
    parameters = {
        "c": 0.5 * units.mass / units.time,
        "w": 1.0 / units.time,
        "f": units.force,
        "d": 0.1 * units.energy * units.time,
        "e": 0.02 * units.energy,
    }
    law = ht.BodyLaw(
        "lower", ("-c*vx", "f*sin(w*t)", "0.3*f"), ("0.0*e", "-d*wy", "e*qz"), parameters=parameters
    )
    return enlarge(models.arm(), units).with_(forces=[law])


def arm_on_poses(units: Units) -> ht.Model:
    """A potential of two poses: its constants are energies, stiffnesses and lengths."""
    parameters = {"k": 30.0 * units.size("stiffness"), "l": 0.4 * units.length, "e": units.energy}
    potential = ht.PosePotential(
        "upper",
        "lower",
        "k/2*(r - l)**2 - e*R_33 + k*x1*z2",
        parameters,
        (0.1 * units.length, 0, 0),
    )
    return enlarge(models.arm(), units).with_(forces=[potential])


def driven_pendulums(units: Units) -> ht.Model:
    """An angle by time."""
    parameters = {"w": 0.5 / units.time**2}
    drive = ht.Drive("a", "0.3 + w*t**2", parameters=parameters)
    return enlarge(models.driven_pendulums(), units).with_(constraints=[drive])


def repelling_molecules(units: Units) -> ht.Model:
    """A potential of a distance, cut off."""
    parameters = {"a": 0.3 * size(units, 6, 1, -2)}
    law = ht.PairFormula("a/r**4", parameters)
    pairs = ht.PairForce(law, cutoff=1.9 * units.length, switch=1.0 * units.length)
    bare = models.molecules(ht.LennardJones(0.5, 0.6)).with_(forces=[])
    return enlarge(bare, units).with_(forces=[pairs])


def moved_grains(units: Units) -> ht.Model:
    """A prescribed motion of the first body of a chain."""
    still = enlarge(models.grains(first="free"), units)
    w, a = 1.0 / units.time, 0.1 * units.length
    parameters = {"w": w, "a": a, "zero": 0.0}
    motion = ht.Motion(
        still.bodies[0].name,
        position=("0.0*a", "a*sin(w*t)", "0.0*a"),
        rotation=("0.2*w*t", "0.0*w", "0.1*sin(w*t)"),
        parameters=parameters,
    )
    return still.with_(constraints=[motion], joints=still.joints[1:])


@dataclass(frozen=True)
class HamiltonianCase(Case):
    """An H(q, p) whose positions are lengths: its parameters are scaled by hand."""

    def options(self, units: Units) -> dict[str, Any]:
        times = {name: self.given[name] * units.time for name in ("until", "step")}
        return {**self.given, **times}

    def reduce(self, run: ht.Trajectory, units: Units) -> Scaled:
        sizes = {
            "t": units.time,
            "q": units.length,
            "p": units.size("momentum"),
            "qdot": units.size("velocity"),
            "pdot": units.force,
            "energy": units.energy,
        }
        return {name: run.dataset[name].values / x for name, x in sizes.items()}


def oscillator(units: Units) -> ht.Hamiltonian:
    return ht.hamiltonian(
        "p**2/(2*m) + k*q**2/2",
        q={"q": 0.3 * units.length},
        p={"p": 2.0 * units.size("momentum")},
        m=1.5 * units.mass,
        k=4.0 * units.size("stiffness"),
    )


def kepler(units: Units) -> ht.Hamiltonian:
    momentum = units.size("momentum")
    return ht.hamiltonian(
        "(p1**2 + p2**2)/(2*m) - k/sqrt(q1**2 + q2**2)",
        q={"q1": 0.4 * units.length, "q2": 0.0},
        p={"p1": 0.0, "p2": 2.0 * momentum},
        m=units.mass,
        k=units.size("strength"),
    )


SWING = {"until": 0.5, "step": 0.02}
FORMULAS = [
    *(
        HamiltonianCase(f"{name} {x}", make, {**SWING, "integrator": x})
        for name, make in (("oscillator", oscillator), ("kepler", kepler))
        for x in words("rk4 gauss6 stormer_verlet implicit_euler")
    ),
    Case("quartic arm", quartic_arm, SHORT),
    Case("law of an arm", law_of_arm, SHORT),
    Case("pushed arm", pushed_arm, SHORT),
    Case("arm on poses", arm_on_poses, SHORT),
    Case("driven pendulums", driven_pendulums, {**SHORT, "assemble": True}),
    Case("repelling molecules", repelling_molecules, {"until": 0.2, "step": 0.01}),
]


# ---- recorded runs, library, gallery -------------------------------------------------------------
def reason_to_leave_out(run: Run) -> str:
    """Why a model cannot be scaled by the dimensions of its numbers; empty if it can."""
    try:
        enlarge(run.make(), SI)
    except ht.ModelError as error:
        return str(error)
    return ""


def flat_parallelogram() -> ht.Model:
    """Both cranks and the coupler along one line: a singular start."""
    z = (0.0, 0.0, 1.0)
    lengths = {"crank": 0.2, "coupler": 0.5, "rocker": 0.2}
    bodies = [
        ht.Body(name, 1.0, (x / 2, 0, 0), (1e-3 * x * x, x * x / 12, x * x / 12))
        for name, x in lengths.items()
    ]
    joints = [
        ht.Revolute("A", "ground", "crank", axis=z, qdot=6.0),
        ht.Revolute("B", "crank", "coupler", axis=z, on_parent=(0.2, 0, 0), qdot=-6.0),
        ht.Revolute("D", "ground", "rocker", axis=z, on_parent=(0.5, 0, 0), qdot=6.0),
        ht.Revolute("C", "rocker", "coupler", axis=z, on_parent=(0.2, 0, 0), on_child=(0.5, 0, 0)),
    ]
    return ht.Model(bodies, joints, gravity=models.WEIGHTLESS)


def mass_above_a_stop() -> ht.Model:
    """A stop that is too stiff for the step throws the body up."""
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=models.Z, q=1.0)
    stop = ht.JointLimit("slider", lower=0.0, stiffness=1e8)
    return ht.Model([body], [slider], forces=[stop])


def overlapping_molecules() -> ht.Model:
    """Two of them in one place."""
    apart = models.molecules(ht.LennardJones(0.5, 0.6))
    return apart.with_(joints={"j2": {"q": apart.joint("j1").q}})


REFUSALS = [
    scaled("flat parallelogram", flat_parallelogram, **SHORT),
    scaled(
        "open loop",
        lambda: ht.library.four_bar().with_(joints={"crank_pivot": {"q": 0.9}}),
        **SHORT,
    ),
    scaled(
        "speeds that break a loop",
        lambda: ht.library.four_bar().with_(joints={"rocker_pivot": {"qdot": 9.0}}),
        **SHORT,
    ),
    scaled(
        "start of a closing joint",
        lambda: ht.library.four_bar().with_(joints={"coupler_pin": {"qdot": 2.1}}),
        **SHORT,
    ),
    scaled("gimbal lock", lambda: models.gimballed((0.0, 1.0, 0.0), 1.45), until=0.4, step=1e-2),
    scaled("stiff stop", mass_above_a_stop, until=1.0, step=1e-3, integrator="rk4"),
    scaled("steps too long", ht.library.four_bar, until=4.0, step=1.0),
    scaled("overlapping molecules", overlapping_molecules, until=0.1, step=0.01),
]
SECTIONS = {"until": 0.2, "step": 5e-3, "sections": ["shoulder - 0.42"]}
EVENTS = [
    scaled("section of an arm", models.arm, **SECTIONS),
    scaled("section of an arm dop853", models.arm, integrator="dop853", **SECTIONS),
    scaled("section of a loop", ht.library.four_bar, sections=["crank_pivot - 0.6"], **SHORT),
]


LEFT_OUT = {run.name: why for run in RECORDED if (why := reason_to_leave_out(run))}
CASES = [
    *(scaled(run.name, run.make, **run.options) for run in RECORDED if run.name not in LEFT_OUT),
    *FORMULAS,
    *REFUSALS,
    *EVENTS,
]
LIBRARY = {
    "pendulum": lambda: ht.library.pendulum(angle=0.5),
    "n_pendulum": lambda: ht.library.n_pendulum(3, angles=0.5),
    "chain": lambda: ht.library.chain(5),
    "tree": lambda: ht.library.tree(6, joints=("revolute", "prismatic", "ball"), seed=4),
    "ten_body_tree": ht.library.ten_body_tree,
    "free_body": ht.library.free_body,
    "top": ht.library.top,
    "spherical_chain": lambda: ht.library.spherical_chain(3),
    "floating_tree": lambda: ht.library.floating_tree(4, seed=1),
    "satellite": lambda: ht.library.satellite(2, 2),
    "four_bar": ht.library.four_bar,
    "slider_crank": ht.library.slider_crank,
    "andrews": ht.library.andrews,
    "spatial_slider_crank": ht.library.spatial_slider_crank,
    "governor": ht.library.governor,
    "bricard": ht.library.bricard,
    "problem_11_7": ht.library.problem_11_7,
    "stewart": ht.library.stewart,
    "strandbeest": lambda: ht.library.strandbeest(1),
    "double_wishbone": ht.library.double_wishbone,
    "particle_chain": lambda: ht.library.particle_chain(4),
    "particle_box": lambda: ht.library.particle_box(2, cutoff=2.4, switch=2.0),
    "particle_ring": lambda: ht.library.particle_ring(4),
    "branched_molecule": lambda: ht.library.branched_molecule(1),
}
# step of the gallery and the model it takes; typed H(q, p) of the gallery have no units to scale
GALLERY = {
    "four_bar": (2e-3, lambda: ht.library.four_bar(speed=16.0)),
    "andrews": (3e-5, ht.library.andrews),
    "spatial_slider_crank": (4e-3, ht.library.spatial_slider_crank),
    "governor": (2e-3, ht.library.governor),
    "bricard": (5e-3, ht.library.bricard),
    "double_wishbone": (1e-3, lambda: ht.library.double_wishbone(load=6000.0)),
    "problem_11_7": (1e-3, lambda: ht.library.problem_11_7(masses=(2.0, 1.0))),
    "disc_chain": (1e-2, lambda: disc_chain.model(6, 8)),
    "tetrahedra": (5e-3, lambda: tetrahedra.chain("c1c2")),
}
FURTHER = [
    *(scaled(f"library {name}", make, **LONGER) for name, make in LIBRARY.items()),
    *(
        scaled(f"gallery {name}", make, until=50 * step, step=step)
        for name, (step, make) in GALLERY.items()
    ),
]
