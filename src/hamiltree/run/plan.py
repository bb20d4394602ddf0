"""What simulate will do, with every default filled in and every option checked, before anything is
compiled or written.
"""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.integrators.integrator import Integrator
from hamiltree.model import Model
from hamiltree.problems.events import Event, as_list, events_from
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.choices import (
    check_threads,
    choose_formulation,
    choose_integrator,
    lookup_integrator,
)
from hamiltree.run.equations import Equations, equations_of
from hamiltree.run.step_function import with_step_function
from hamiltree.trajectory.netcdf import FORMAT
from hamiltree.verbs import index3_residual
from hamiltree.version import __version__, source_hash

DEFAULT_UNTIL, DEFAULT_STEP, DEFAULT_SAMPLES = 10.0, 1e-3, 2000
MAX_DEFAULT_NUMBERS = 2**27  # what a run may record (a gigabyte) unless save_every says otherwise
GRID_TOLERANCE = 1e-9  # an end nearer than this part of a step to a whole number of steps is on it
MAX_STEPS = 2**53


class Setup(NamedTuple):
    """What depends on the model and the method alone, with every default filled in."""

    equations: Equations
    integrator: Integrator
    step: float
    options: dict[str, Any]
    has_default_step: bool = False  # nobody has chosen it
    threads: int = 1  # that compute rates; they change no bit of a result


class Plan(NamedTuple):
    """What one run will do."""

    equations: Equations
    integrator: Integrator
    origin: float  # the time of point 0 of the grid
    begin: float  # the time of the first sample: the origin, or where an earlier run ended
    until: float
    step: float
    steps: int  # whole steps from the origin
    rest: float  # length of the shorter last step that follows them; 0 if there is none
    save_every: int
    events: tuple[Event, ...]
    monitored_events: tuple[Event, ...]  # these, then those that end a run at a gimbal lock
    options: dict[str, Any]

    def __str__(self) -> str:
        """What was chosen, in one line."""
        last = self.steps + (self.rest > 0)
        unit = self.equations.time_unit
        every = "every step" if self.save_every == 1 else f"every {self.save_every} steps"
        if self.save_every >= last > 1:
            every = "at the end"
        steps = f"{last} step{'s' * (last > 1)}"
        if self.integrator.samples_at_steps:
            steps = "steps of its own choice"
        elif self.integrator.is_adaptive:
            steps, every = "steps of its own choice", f"every {self.save_every * self.step:g}{unit}"
        start = f"from {self.begin:g}{unit} " if self.begin else ""
        return (
            f"{self.equations.name}: {self.equations.formulation.name}, {self.integrator.name}, "
            f"step {self.step:g}{unit}, "
            f"{start}until {self.until:g}{unit} ({steps}), saved {every}"
        )


def set_up(
    problem: Any,
    step: Any,
    formulation: str | None,
    integrator: str | None,
    options: Mapping[str, Any],
) -> Setup:
    """Check what belongs to the model and the method, and fill in the defaults."""
    check_problem(problem)
    asked = None if integrator is None else lookup_integrator(str(integrator))
    chosen = choose_formulation(problem, formulation, asked)
    method = choose_integrator(chosen, asked)
    options = dict(options)
    threads = options.pop("threads", 1)
    own = {name: options[name] for name in options if name in chosen.options}
    # V alone must be what acts where energy is kept by it; step functions are typed for the ground
    follows_orbits = not method.conserves_energy and "step_function" not in options
    equations = equations_of(problem, chosen, own, follows_orbits)
    if step is None and isinstance(problem, Model):
        step = problem.step
    has_default_step = step is None
    step = check_positive(DEFAULT_STEP if step is None else step, "step", equations.time_unit)
    check_stabilisation(own, method)
    left = {key: options[key] for key in options if key != "step_function" and key not in own}
    if options:
        method = with_step_function(method, options, equations).with_options(left)
    if type(threads) is not int or threads != 1:
        threads = check_threads(threads, chosen, method)
    return Setup(equations, method, step, options, has_default_step, threads)


def check_problem(problem: Any) -> None:
    if not isinstance(problem, (Model, TypedProblem)):
        raise OptionError(
            f"simulate takes a Model, a Hamiltonian or an Ode, not {type(problem).__name__}; "
            "read a file with hamiltree.load(path), or make one of expressions with "
            "hamiltree.hamiltonian(…) or hamiltree.ode(…)"
        )


def make_plan(
    setup: Setup,
    until: Any,
    t: Any = None,
    save_every: Any = None,
    monitored_events: Any = (),
    resumed: tuple | None = None,
) -> Plan:
    """Check what belongs to one run.

    `resumed`: origin of the grid, time and point of the grid at which it goes on.
    """
    equations = setup.equations
    if resumed is None:
        origin = begin = start_time(t, equations.time_unit)
        first = 0
    else:
        origin, begin, first = resumed
    own = equations.problem.until if isinstance(equations.problem, Model) else None
    until = end_time(until, begin, own or DEFAULT_UNTIL, equations.time_unit)
    steps, rest = whole_steps(until - origin, setup.step, equations.time_unit)
    if save_every is None:
        most = min(DEFAULT_SAMPLES, max(2, MAX_DEFAULT_NUMBERS // equations.numbers_per_sample))
        save_every = max(1, math.ceil((steps - first) / most))
    else:
        save_every = check_save_every(save_every)
    events: tuple[Event, ...] = ()
    if any(given is not None for given in monitored_events):
        events = events_from([item for given in monitored_events for item in as_list(given)])
    if events:
        equations.check_sections()
    numbers = (origin, begin, until, setup.step, steps, rest, save_every)
    monitored = (*events, *equations.terminal_events)
    return Plan(equations, setup.integrator, *numbers, events, monitored, setup.options)


def check_save_every(value: Any) -> int:
    """A whole number of steps, at least one."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or not 1 <= value <= MAX_STEPS:
        raise OptionError(
            f"save_every = {value!r}; it must be a whole number of steps from 1 to {MAX_STEPS}"
        )
    return int(value)


def start_time(value: Any, unit: str) -> float:
    """Where a run starts in time."""
    return 0.0 if value is None else check_finite_number(value, "t", unit)


def end_time(value: Any, begin: float, length: float, unit: str) -> float:
    """Where a run ends, after its start; `length` later if it is not given."""
    if begin == 0.0:
        return check_positive(length if value is None else value, "until", unit)
    until = begin + length if value is None else check_finite_number(value, "until", unit)
    if not until > begin:
        raise OptionError(
            f"until = {until:g}{unit} is not after the start t = {begin:g}{unit}; it is the time "
            "of the end, not a length"
        )
    return until


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def check_finite_number(value: Any, name: str, unit: str) -> float:
    unit = unit.strip() or "in the units of the problem"
    if not is_number(value) or not math.isfinite(value):
        raise OptionError(f"{name} = {value!r}; it must be a finite number ({unit})")
    return float(value)


def check_stabilisation(own: Mapping[str, Any], method: Integrator) -> None:
    """Refuse Baumgarte's terms where they would be ignored (an index-3 method needs no
    accelerations), or together with a projection.
    """
    if "baumgarte" in own and index3_residual in method.needs:
        raise OptionError(
            f"baumgarte changes accelerations; {method.name} keeps positions by itself and does "
            "not ask for them: leave it out"
        )
    if "baumgarte" in own and own.get("projection") is True:
        raise OptionError(
            "baumgarte and projection=True: give one of them, each keeps the constraints in its "
            "own way"
        )


def whole_steps(until: float, step: float, unit: str = " s") -> tuple[int, float]:
    """Whole steps, and the length of the shorter one that follows: 0 where the end differs from a
    whole number of steps by rounding only.
    """
    if until / step > MAX_STEPS:
        raise OptionError(
            f"until = {until:g}{unit} in steps of {step:g}{unit} are more than {MAX_STEPS} steps; "
            "choose a longer step or an earlier end"
        )
    whole = round(until / step)
    if whole >= 1 and abs(whole * step - until) <= max(GRID_TOLERANCE * step, 4 * math.ulp(until)):
        return whole, 0.0
    steps = math.floor(until / step)
    return steps, until - steps * step


def check_positive(value, name: str, unit: str) -> float:
    unit = unit.strip() or "in the units of the problem"
    if not is_number(value):
        raise OptionError(f"{name} = {value!r}; it must be a number ({unit})")
    if not (math.isfinite(value) and value > 0):
        raise OptionError(f"{name} = {value!r}; it must be finite and above zero ({unit})")
    return float(value)


def plain_value(value: Any) -> Any:
    """What JSON writes of a number of NumPy, or of something that it does not know."""
    return value.item() if isinstance(value, np.generic) else str(value)


def provenance(plan: Plan, created: float, has_text: bool) -> dict[str, Any]:
    """All that is needed to run it again, together with the first sample; the text of the model
    only if it is wanted.

    Strings and numbers only: they go into a file.
    """
    return {
        "hamiltree_format": FORMAT,
        "hamiltree_version": __version__,
        "source_hash": source_hash(),
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created)),
        **(plan.equations.provenance() if has_text else {"model_name": plan.equations.name}),
        "formulation": plan.equations.formulation.name,
        "integrator": plan.integrator.name,
        "options": json.dumps(plan.options, default=plain_value),
        "events": json.dumps([asdict(event) for event in plan.events]),
        "begin": plan.begin,
        "until": plan.until,
        "step": plan.step,
        "save_every": plan.save_every,
        "status": "running",
    }
