"""Points of sections and events: those collected while running, and those found in stored
samples.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.problems.events import Event, Names, crossings, formula_names

if TYPE_CHECKING:
    import xarray as xr

    from hamiltree.trajectory.trajectory import Trajectory


def collected_sections(dataset: xr.Dataset) -> dict[str, xr.Dataset]:
    """Points collected while running, by the name of the section or event: t, q, p by point."""
    import xarray as xr

    found = {}
    for number, name in enumerate(json.loads(dataset.attrs.get("sections", "[]"))):
        parts = {
            part: dataset[f"section{number}_{part}"].rename({f"point{number}": "point"})
            for part in ("t", "q", "p")
        }
        found[name] = xr.Dataset(
            {
                part: values.drop_vars([c for c in values.coords if c not in values.dims])
                for part, values in parts.items()
            }
        )
    return found


def interpolate_section(run: Trajectory, event: Event) -> xr.Dataset:
    """Where the stored samples cross an expression, by interpolation between them: t, q, p by
    point.
    """
    import xarray as xr

    names = run.names
    rates = [run.qdot.values]
    if "pdot" in run.dataset:
        rates.append(run.dataset["pdot"].values)
    states = np.concatenate([run.q.values, run.p.values, *rates], axis=1)
    t, found = crossings(event, names, run.t.values, states)
    n = run.q.shape[1]
    momentum = run.p.dims[1]
    parts = {
        "t": ("point", t),
        "q": (("point", "coordinate"), found[:, :n]),
        "p": (("point", momentum), found[:, n : len(names.rows)]),
    }
    return xr.Dataset(
        parts, coords={name: run.dataset[name].values for name in {"coordinate", momentum}}
    )


def sample_names(run: Trajectory) -> Names:
    """What an expression about a sample may name: of an H(q, p) its own names, of a model joint,
    p_joint and joint_dot.
    """
    q_names = tuple(str(name) for name in run.dataset["coordinate"].values)
    if "momentum" not in run.dataset:
        q_names = formula_names(q_names)
        rows = (*q_names, *(f"p_{name}" for name in q_names))
        return Names(rows, tuple(f"{name}_dot" for name in q_names), {})
    rows = (*q_names, *(str(name) for name in run.dataset["momentum"].values))
    return Names(rows, tuple(f"{name}_dot" for name in rows), run.hamiltonian.parameters)
