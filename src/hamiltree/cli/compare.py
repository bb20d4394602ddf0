"""hamiltree compare: a model under every formulation that fits, as a table or as JSON.

Exit code 1 where they disagree.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hamiltree.errors import OptionError

STANDARD_OUTPUT = Path("-")


def show_comparison(model: Any, json: Path | None, force: bool, quiet: bool, **wishes: Any) -> int:
    """Compare, print the table (or JSON instead of it if that goes to the standard output), and say
    how to leave.
    """
    from hamiltree.analysis.compare.comparison import compare
    from hamiltree.model import Model
    from hamiltree.trajectory.netcdf import writable_path

    if not isinstance(model, Model):
        raise OptionError(
            f"compare is for models; {model.name} is an H(q, p), which has one formulation only"
        )
    if json is not None and json != STANDARD_OUTPUT:
        writable_path(json, force)
    found = compare(
        model,
        progress=not quiet,
        **{name: wish for name, wish in wishes.items() if wish is not None},
    )
    if json == STANDARD_OUTPUT:
        sys.stdout.write(found.to_json() + "\n")
    else:
        print(found)
    if json is not None and json != STANDARD_OUTPUT:
        found.to_json(json, force)
        print(f"wrote {json}")
    return 0 if found.agree else 1
