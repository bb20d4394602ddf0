"""The file of recorded numbers: what it holds, where it was made, and how far others are from it.

Numbers are written in hexadecimal, exactly, one line for each array.
"""

import json
import platform
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite
import numba
import numpy as np
import sympy
from llvmlite import binding

from tests.recorded.outcomes import Outcome

FILE = Path(__file__).with_name("runs.json")
TOLERANCE = 1e-10  # of the largest magnitude of an array, where another machine recorded
FLOORS = {"opening": 1.0}  # residuals are round-off of lengths and angles of about one
FLOOR = 1e-6  # magnitudes below it count as this


class Recorded(NamedTuple):
    header: dict[str, str]
    runs: dict[str, Outcome]


# ---- where numbers were made ---------------------------------------------------------------------
def header() -> dict[str, str]:
    """All that the last bit of a number may depend on; NUMBA_CPU_NAME and _FEATURES go before."""
    features = sorted(name for name, has in binding.get_host_cpu_features().items() if has)
    chosen = numba.config.CPU_FEATURES
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "numpy": np.__version__,
        "sympy": sympy.__version__,
        "libc": " ".join(platform.libc_ver()),
        "cpu": numba.config.CPU_NAME or binding.get_host_cpu_name(),
        "cpu_features": " ".join(features) if chosen is None else chosen,
    }


# ---- the file ------------------------------------------------------------------------------------
def read(path: Path = FILE) -> Recorded:
    """What is recorded; nothing if there is no file."""
    if not path.exists():
        return Recorded({}, {})
    kept = json.loads(path.read_text(encoding="utf-8"))
    return Recorded(
        kept["header"], {name: from_lines(lines) for name, lines in kept["runs"].items()}
    )


def write(recorded: Recorded, path: Path = FILE) -> None:
    runs = {name: to_lines(outcome) for name, outcome in recorded.runs.items()}
    text = json.dumps({"header": recorded.header, "runs": runs}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def to_lines(outcome: Outcome) -> dict[str, Any]:
    counts = " ".join(f"{name} {count}" for name, count in outcome.counts.items())
    arrays = {name: to_text(values) for name, values in outcome.arrays.items()}
    return {"uses": ", ".join(outcome.uses), "counts": counts, **arrays}


def from_lines(lines: dict[str, str]) -> Outcome:
    words = lines["counts"].split()
    counts = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    uses = lines["uses"].split(", ") if lines["uses"] else []
    arrays = {
        name: from_text(text) for name, text in lines.items() if name not in ("uses", "counts")
    }
    return Outcome(arrays, counts, uses)


def to_text(values: np.ndarray) -> str:
    """The shape and the numbers: "3x2 0x1.8p+0 …"."""
    shape = "x".join(map(str, values.shape)) or "number"
    return " ".join([shape, *(float(value).hex() for value in values.ravel())])


def from_text(text: str) -> np.ndarray:
    shape, *numbers = text.split()
    sizes = () if shape == "number" else tuple(map(int, shape.split("x")))
    return np.array([float.fromhex(number) for number in numbers]).reshape(sizes)


# ---- comparison ----------------------------------------------------------------------------------
def difference(recorded: Outcome, found: Outcome) -> tuple[float, str]:
    """The largest difference, relative to the largest magnitude of its array, and the array."""
    if recorded.arrays.keys() != found.arrays.keys():
        return np.inf, " ".join(recorded.arrays.keys() ^ found.arrays.keys())
    each = {name: distance(name, old, found.arrays[name]) for name, old in recorded.arrays.items()}
    worst = max(each, key=lambda name: each[name])
    return each[worst], worst


def distance(name: str, recorded: np.ndarray, found: np.ndarray) -> float:
    if recorded.shape != found.shape or not np.isfinite(found).all():
        return np.inf
    scale = max(np.abs(recorded).max(initial=0.0), FLOORS.get(name, FLOOR))
    return float(np.abs(found - recorded).max(initial=0.0) / scale)


def differing_bits(recorded: Outcome, found: Outcome) -> list[str]:
    """The names of arrays and counts that are not the same to the bit."""
    names = dict.fromkeys([*recorded.arrays, *found.arrays])
    arrays = [name for name in names if bits(recorded, name) != bits(found, name)]
    keys = dict.fromkeys([*recorded.counts, *found.counts])
    return arrays + [key for key in keys if recorded.counts.get(key) != found.counts.get(key)]


def bits(outcome: Outcome, name: str) -> tuple[Any, bytes]:
    values = outcome.arrays.get(name, np.zeros(0))
    return name in outcome.arrays and values.shape, np.ascontiguousarray(
        values, dtype=float
    ).tobytes()
