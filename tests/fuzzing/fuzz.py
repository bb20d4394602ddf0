"""Load a damaged file and take three steps: it runs, or one of our own errors says in a short line
why not. Anything else is a defect.
"""

import random
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import hamiltree as ht
from hamiltree.errors import MAX_MESSAGE, HamiltreeError
from hamiltree.model import Model
from hamiltree.run.problem_files import load_problem
from tests.fuzzing.good_files import GOOD
from tests.fuzzing.mutations import mutate

STEP = 1e-3
MAX_LINES = 3  # a formula is shown below the message, with a mark


class Outcome(NamedTuple):
    """What became of a damaged file: "ran", "loaded" (but not stepped), "refused" or "defect"."""

    verdict: str
    detail: str
    content: str


def damaged_files(kind: str, seed: int, count: int) -> Iterator[str]:
    """Texts, the same for the same seed."""
    for number in range(count):
        dice = random.Random(f"{kind} {seed} {number}")
        yield mutate(dice.choice(GOOD[kind][1]), dice)


def try_file(kind: str, content: str, folder: Path) -> Outcome:
    """Write a text, load it and take three steps."""
    path = folder / f"damaged.{GOOD[kind][0]}"
    path.write_text(content, encoding="utf-8", newline="")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            verdict = "ran" if load_and_step(path) else "loaded"
            detail = ""
        except HamiltreeError as error:
            verdict, detail = "refused", str(error)
        except Exception:
            return Outcome("defect", traceback.format_exc(limit=-4), content)
    for warning in said:
        if not is_ours(warning.category):
            where = f"{warning.filename}:{warning.lineno}"
            return Outcome("defect", f"{where} {warning.category.__name__}", content)
        detail = detail if is_short(str(warning.message)) else str(warning.message)
    is_told = not detail or is_short(detail)
    return Outcome(verdict if is_told else "defect", detail, content)


def is_ours(category: type[Warning]) -> bool:
    return category is UserWarning or category.__module__.startswith("hamiltree")


def is_short(message: str) -> bool:
    """One line of limited length; a formula may stand below it."""
    first, *more = message.split("\n")
    is_formula = all(line.startswith("    ") for line in more) and len(more) < MAX_LINES
    return bool(first.strip()) and is_formula and len(message) <= MAX_MESSAGE + 300


def load_and_step(path: Path) -> bool:
    """Whether the problem of a file was stepped; not where that would compile code for a kind of
    model that no good file has.
    """
    problem, sections = load_problem(path, **({"drop": "all"} if path.suffix == ".xml" else {}))
    if isinstance(problem, Model) and not shares_code(problem):
        return False
    # an adaptive method, the default of an ode, may need any number of steps where numbers are huge
    method = "rk4" if isinstance(problem, ht.Ode) else None
    until = 3 * STEP
    ht.simulate(problem, until, STEP, integrator=method, sections=sections, progress=False)
    return True


def shares_code(model: Model) -> bool:
    """Whether a model has only what the good files have: trees, springs and dampers of joints."""
    kinds = {part.kind for part in (*model.forces, *model.constraints)}
    return not model.closing and kinds <= {"joint_spring", "joint_damper", "joint_effort"}
