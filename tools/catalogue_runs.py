"""Short runs that make the package compile all that it can: what the compiled wheel carries.

`python tools/catalogue_runs.py PART` does those of one part in this process, into the cache of
compiled code; without a part it prints their names. A process each: compilers keep their memory.
Formulations compile their verbs and families of integrators their loops, each once, so the list is
a sum: every formulation with one integrator of each family, then what runs alone do not ask for.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import hamiltree as ht
from hamiltree.algorithms.evaluation import assembly_for
from hamiltree.cli.warm import one_of_each_family, small_model
from hamiltree.compiled.internals import LISTENERS
from hamiltree.forces.laws import BODY_LAWS, JOINT_LAWS
from hamiltree.forces.pair_force import POTENTIALS, FormulaPairs, table_type_of
from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.formulation import FORMULA, MOTIONS, Coordinates
from hamiltree.model.orbits import OrbitingFrame
from hamiltree.run.problem_files import load_problem
from hamiltree.verbs import add_multiplier_forces, missing_verbs

EXAMPLES = Path(__file__).parents[1] / "examples"
STEP = 1e-3
END = 2.5 * STEP  # two steps and a shorter last one
EXPRESSIONS = {"phase_space": "q*q*p*p/2 + p*p/2", "separable_phase_space": "p*p/2 + q*q/2"}


class Task(NamedTuple):
    """Something to be done; what it needs and has not been compiled is compiled."""

    name: str
    run: Callable[[], Any]


def simulate(problem: Any, **rest: Any) -> ht.Trajectory:
    return ht.simulate(problem, END, STEP, progress=False, **rest)


def step_by_hand(problem: Any, **rest: Any) -> None:
    ht.simulator(problem, STEP, **rest).step()


# ---- formulations and integrators ----------------------------------------------------------------
def smallest(formulation: Any) -> Any:
    """A small problem that a formulation can have."""
    if formulation.name in EXPRESSIONS:
        return ht.hamiltonian(EXPRESSIONS[formulation.name], q={"q": 1.0}, p={"p": 0.1})
    if formulation.coordinates is Coordinates.FIRST_ORDER:
        return ht.ode("x' = v; v' = -x*x", y={"x": 1.0, "v": 0.1})
    return small_model(formulation)


def runs_of(formulation: Any) -> Iterator[Task]:
    """A formulation with one integrator of each family that fits, its options, forces, rates."""
    problem = smallest(formulation)
    for integrator in one_of_each_family(formulation).values():
        chosen = {"formulation": formulation.name, "integrator": integrator.name}
        yield Task(integrator.name, lambda c=chosen: simulate(problem, **c))
        yield Task(f"{integrator.name} by steps", lambda c=chosen: step_by_hand(problem, **c))
    for option in formulation.options:
        yield Task(option, lambda o=option: optional(formulation, o))
    if FORMULA not in formulation.supports:
        yield Task("forces", lambda: forced(formulation))
    is_evaluated = formulation.coordinates is not Coordinates.FIRST_ORDER
    if is_evaluated and missing_verbs(formulation.system, (add_multiplier_forces,)):
        yield Task("evaluate", lambda: evaluate(formulation))


def optional(formulation: Any, option: str) -> Any:
    """A run with an option of the formulation: a switch, or a number."""
    value = False if option == "projection" else 1.0
    return simulate(smallest(formulation), formulation=formulation.name, **{option: value})


def runs_with_events() -> Iterator[Task]:
    """A section with every family; it is taken where the step is taken again."""
    seen: set[tuple] = set()
    for formulation in FORMULATIONS.values():
        if formulation.coordinates is Coordinates.BODIES:
            continue
        problem = smallest(formulation)
        section = f"{problem.coordinates[0]} - 0.1"
        for family, integrator in one_of_each_family(formulation).items():
            if family[:2] not in seen:
                seen.add(family[:2])
                chosen = {"formulation": formulation.name, "integrator": integrator.name}
                wanted = {**chosen, "sections": [section]}
                name = f"section {formulation.name} {integrator.name}"
                yield Task(name, lambda p=problem, w=wanted: simulate(p, **w))


def evaluate(formulation: Any) -> None:
    """(q̇, ṗ) of one state and of several."""
    problem = smallest(formulation)
    system = formulation.assemble(assembly_for(problem, formulation))
    rates = ht.evaluator(problem, formulation.name)
    for shape in ((), (5,)):
        state = [np.ones((*shape, rows)) for rows in system.layout]
        with suppress(ht.OptionError):  # not every state is possible; it was asked all the same
            rates(*state)


# ---- forces --------------------------------------------------------------------------------------
TIMES, FORCES = (0.0, 1.0, 2.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
AWAY = (0.1, 0.2, 0.3)


def joint_forces(joint: str) -> list[Any]:
    """One force of every kind that acts along a joint coordinate."""
    return [
        ht.JointSpring(joint, 1.0),
        ht.JointDamper(joint, 0.1),
        ht.JointEffort(joint, 0.1),
        ht.JointFriction(joint, 0.1, 0.1),
        ht.JointLimit(joint, -1.0, 1.0, stiffness=10.0, damping=0.1),
        ht.JointLaw(joint, "-q"),
        ht.JointPotential(joint, "q**4"),
        ht.JointTable(joint, TIMES, TIMES),
    ]


def body_forces(body: str, other: str) -> list[Any]:
    """One force of every kind that acts on bodies."""
    frame = ht.Frame(AWAY)
    return [
        ht.BodyLoad(body, AWAY),
        ht.BodyLaw(body, ("-vx", "-vy", "-vz")),
        ht.BodyTable(body, TIMES, FORCES),
        ht.Bushing(body, "ground", frame, frame, (1.0,) * 6, (0.1,) * 6),
        ht.CentralGravity(body, 1.0, centre=(9.0, 9.0, 9.0)),
        ht.ConstantForceSpring(body, "ground", AWAY, (2.0, 2.0, 2.0), 0.1),
        ht.Drag(body, 0.1, 0.1),
        ht.Gravitation((body, other), 1e-3, softening=0.1),
        ht.PointActuator(body, "ground", AWAY, (2.0, 2.0, 2.0), "l - v + sin(t)"),
        ht.PointSpring(body, "ground", AWAY, (2.0, 2.0, 2.0), 1.0, damping=0.1),
        ht.PosePotential(body, other, "x**2 - R_33 + z1"),
        ht.Torsion(body, other, 1.0, 0.1),
    ]


PAIRS = (
    ht.LennardJones(1.0, 1.0),
    ht.Morse(1.0, 1.0, 1.0),
    ht.Coulomb({"A": 1.0}),
    ht.Coulomb({"A": 1.0}, screening=1.0),
    ht.Buckingham(1000.0, 3.0, 1.0),
    ht.HarmonicBond(1.0, 2.0),
    ht.Fene(1.0, 9.0),
    ht.PairFormula("1/r"),
)


def loaded_tree() -> ht.Model:
    """Two hinges, a ball and a free body with every force that acts on joints and bodies."""
    model = ht.library.tree(4, joints=("revolute", "ball", "free"), seed=1)
    hinge = next(joint.name for joint in model.joints if joint.kind == "revolute")
    ball = next(joint.name for joint in model.joints if joint.kind == "ball")
    bodies = [body.name for body in model.bodies[:2]]
    inputs = [
        ht.JointInput(hinge, name="motor"),
        ht.JointActuator(hinge, name="servo"),
        ht.JointInput(ball, name="hip"),
        ht.BodyInput(bodies[0]),
    ]
    extra = [ht.JointDamper(ball, 0.1), *inputs]
    return model.with_(forces=[*joint_forces(hinge), *extra, *body_forces(*bodies)])


def check_forces() -> None:
    """A force or potential that is new must be put into the list above."""
    known = {type(force) for force in loaded_tree().forces} | {ht.PairForce, OrbitingFrame}
    laws = {law.part for law in (*JOINT_LAWS, *BODY_LAWS)}
    pairs = {table_type_of(potential.between("A", "A")) for potential in PAIRS}
    lacking = [*(laws - known), *({*POTENTIALS, FormulaPairs} - pairs)]
    assert not lacking, f"tools/catalogue_runs.py has no {', '.join(x.__name__ for x in lacking)}"


def body_in_orbit() -> ht.Model:
    """Seen from an origin that falls with it."""
    joint = ht.Free("free", "ground", "b", q=(1.0, 0, 0, 1, 0, 0, 0), qdot=(0, 1.0, 0, 0, 0, 0))
    field = ht.CentralGravity("b", 1.0)
    return ht.Model([ht.Body("b", 1.0, inertia=(1e-3,) * 3)], [joint], [field], gravity=(0, 0, 0))


def of_particles(potential: Any) -> ht.Model:
    return ht.library.particle_chain(3, potential=potential, first="free")


def runs_of_pairs() -> Iterator[Task]:
    """Every pair potential with every chain: some ask for its change between two states."""
    check_forces()
    chains = [made.name for made in FORMULATIONS.values() if MOTIONS in made.supports]
    for potential in PAIRS:
        for chain in chains:
            name = f"{type(potential).__name__} {chain}"
            yield Task(name, partial(simulate, of_particles(potential), formulation=chain))
    yield Task("a body in orbit", lambda: simulate(body_in_orbit()))


def loaded_body() -> ht.Model:
    model = ht.library.particle_chain(2, first="free")
    names = [body.name for body in model.bodies]
    return model.with_(forces=[*model.forces, *body_forces(*names)])


def forced(formulation: Any) -> None:
    """A model with forces; one that a formulation refuses is left out."""
    model = loaded_body() if MOTIONS in formulation.supports else loaded_tree()
    try:
        simulate(model, formulation=formulation.name)
    except (ht.FitError, ht.ModelError) as error:
        print(f"    {error}")


# ---- rigid-body algorithms -----------------------------------------------------------------------
ASKED = {
    "q": ("mass_matrix", "factor", "gravity", "centre_of_mass", "momentum_matrix", "poses"),
    "q qdot": (
        "bias",
        "forces",
        "momentum",
        "energies",
        "dissipated_power",
        "twists",
        "forward_dynamics",
    ),
    "q x": ("solve",),
    "q qdot x": ("inverse_dynamics", "forward_dynamics"),
}
DERIVED = {"q qdot x": ("inverse_derivatives", "forward_derivatives")}


def algorithms() -> Iterator[Task]:
    plain = ht.library.floating_tree(3, joints=("revolute", "ball"))
    yield Task("rigid-body algorithms", lambda: ask(plain, {**ASKED}))
    yield Task("rigid-body algorithms of a loaded tree", lambda: ask(loaded_tree(), ASKED))
    sprung = ht.library.chain(2).with_(forces=joint_forces("j1")[:3])
    yield Task("derivatives", lambda: ask(sprung, DERIVED))
    yield Task("derivatives of a loaded tree", lambda: ask(loaded_tree(), DERIVED))


def ask(model: ht.Model, asked: dict[str, tuple[str, ...]]) -> None:
    """Call the algorithms of a model, with one state and with several."""
    d = ht.dynamics(model)
    q, qdot = model.start()
    for many in (False, True):
        known = {"q": q, "qdot": qdot, "x": np.ones(len(qdot))}
        given = {name: np.tile(x, (5, 1)) if many else x for name, x in known.items()}
        for inputs, names in asked.items():
            for name in names:
                getattr(d, name)(*(given[word] for word in inputs.split()))
        for axes in ("world", "body"):
            d.jacobian(given["q"], model.bodies[-1].name, axes=axes)
            d.jacobian_rate(given["q"], given["qdot"], model.bodies[-1].name, axes=axes)


# ---- analysis ------------------------------------------------------------------------------------
def analyses() -> Iterator[Task]:
    """Comparisons and questions to a run or a model that have kernels of their own."""
    models = {
        "tree": ht.library.chain(2),
        "loaded tree": loaded_tree(),
        "four_bar": ht.library.four_bar(),
        "particles": of_particles(None),
        "crane": ht.load(EXAMPLES / "crane.toml"),
        "drive": ht.load(EXAMPLES / "slider_crank_driven.toml"),
    }
    for name, model in models.items():
        yield Task(f"compare {name}", lambda m=model: ht.compare(m, until=0.01, progress=False))
        yield Task(f"accelerations {name}", lambda m=model: ht.accelerations(m))
    for name in ("crane.toml", "four_bar.toml", "slider_crank_driven.toml", "kepler.toml"):
        yield Task(name, lambda n=name: example(EXAMPLES / n))
    for name in ("tree", "four_bar", "drive"):
        yield Task(f"reactions {name}", lambda m=models[name]: reactions(m))
    yield Task("ledger", lambda: simulate(models["loaded tree"]).ledger())
    yield Task("kane", lambda: ht.kane.partials(models["tree"]).rates)
    yield Task("mechanism", lambda: ht.mechanism(models["four_bar"]))


def example(path: Path) -> None:
    problem, sections = load_problem(path)
    simulate(problem, sections=sections)


def reactions(model: ht.Model) -> None:
    for formulation in ("hamiltonian_loops", "cartesian_3"):
        simulate(model, formulation=formulation).reactions(model.joints[-1].name)


# ---- studies -------------------------------------------------------------------------------------
def studies() -> Iterator[Task]:
    """Members in lanes, with start values or tables of their own, and one by one."""
    tree, body = ht.library.chain(2), ht.library.free_body()
    typed = ht.hamiltonian("p**2/2 - k*cos(q)", q={"q": 1.0}, p={"p": 0.0}, k=1.0)
    masses = {f"bodies.{tree.bodies[0].name}.mass": [1.0, 2.0]}
    varied = {
        "tree starts": (tree, {f"q.{tree.coordinates[0]}": [0.1, 0.2]}, "rk4", None),
        "tree tables": (tree, masses, "rk4", None),
        "tree one by one": (tree, masses, "gauss8", None),
        "free body": (body, {"gravity": [1.0, 2.0]}, "rk4", "free_bodies_quaternion"),
        "typed starts": (typed, {"q.q": [0.1, 0.2]}, "pefrl", None),
        "typed parameters": (typed, {"k": [1.0, 2.0]}, "rk4", None),
    }
    for name, given in varied.items():
        yield Task(f"study {name}", partial(study, *given))


def study(problem: Any, vary: dict[str, Any], integrator: str, formulation: str | None) -> None:
    ht.study(
        problem,
        vary,
        keep=["end", "energy_error", "max(energy)"],
        until=0.02,
        step=0.01,
        integrator=integrator,
        formulation=formulation,
        progress=False,
    )


# ---- the list ------------------------------------------------------------------------------------
def small_list() -> Iterator[Task]:
    """What `hamiltree demo` needs."""
    yield Task("chain gauss8", lambda: simulate(ht.library.chain(2)))


PARTS: dict[str, Callable[[], Iterator[Task]]] = {
    "small": small_list,
    **{name: partial(runs_of, made) for name, made in FORMULATIONS.items()},
    "events": runs_with_events,
    "pairs": runs_of_pairs,
    "algorithms": algorithms,
    "analyses": analyses,
    "studies": studies,
}


def perform(tasks: Iterator[Task]) -> list[str]:
    """Do them all; the names of those that failed."""
    names, failed = [], []

    def count(dispatcher: Any, is_start: bool, depth: int) -> None:
        if is_start and depth == 1:
            names.append(dispatcher)

    LISTENERS.append(count)
    for task in tasks:
        began, before = time.process_time(), len(names)
        try:
            task.run()
        except Exception as error:
            failed.append(task.name)
            print(f"FAILED {task.name}: {type(error).__name__}: {error}")
        seconds = time.process_time() - began
        print(f"{len(names) - before:4} kernels {seconds:6.1f} s  {task.name}", flush=True)
    return failed


def main() -> int:
    """Do the tasks of one part, or print the names of the parts."""
    if len(sys.argv) < 2:
        print("\n".join(PARTS))
        return 0
    warnings.simplefilter("ignore")
    failed = perform(PARTS[sys.argv[1]]())
    if failed:
        print(f"{len(failed)} failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
