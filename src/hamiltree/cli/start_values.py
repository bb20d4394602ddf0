"""Start values in the shell: --q shoulder=1.2 --q elbow=0.3, --qdot 0.5, --p base=0,0,1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from hamiltree.errors import OptionError

FORM = "NAME=VALUE"
PARTS = ("q", "qdot", "p", "y")


def start_option(name: str, what: str) -> Any:
    return typer.Option(
        f"--{name}",
        metavar=FORM,
        help=f"{what}: NAME=VALUE, or NAME=1,2,3 for all coordinates of a joint; may be repeated. "
        "Or all values in their order: 1,2,3.",
    )


StartPositions = Annotated[list[str] | None, start_option("q", "Start positions")]
Qdot = Annotated[list[str] | None, start_option("qdot", "Start speeds of a model")]
StartMomenta = Annotated[list[str] | None, start_option("p", "Start momenta")]
StartVariables = Annotated[list[str] | None, start_option("y", "Start values of an ode")]


def start_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments q, qdot, p, y of `simulate` from what was typed; what was not is left out."""
    return {part: parse_start(part, given[part]) for part in PARTS if given.get(part)}


def parse_start(part: str, texts: list[str]) -> dict[str, Any] | list[float]:
    """Values by name, or one list in their order; both together, and a name twice, are refused."""
    named = {text.partition("=")[0].strip(): text for text in texts if "=" in text}
    plain = [text for text in texts if "=" not in text]
    if len(plain) > 1 or (plain and named) or len(named) + len(plain) < len(texts):
        raise OptionError(
            f"--{part} {' '.join(texts)}: give each name once as {FORM}, or all values once, "
            "separated by commas"
        )
    if plain:
        return parse_numbers(part, plain[0], plain[0])
    found: dict[str, Any] = {}
    for name, text in named.items():
        numbers = parse_numbers(part, text, text.partition("=")[2])
        found[name] = numbers[0] if len(numbers) == 1 else numbers
    return found


def parse_numbers(part: str, text: str, values: str) -> list[float]:
    try:
        return [float(value) for value in values.split(",")]
    except ValueError:
        raise OptionError(f"--{part} {text}: give numbers, e.g. --{part} elbow=1.2") from None
