"""Points of sections and events: those collected while running, and those found in stored
samples.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.problems.events import Event, Names, crossings, formula_names
from hamiltree.trajectory.variables import STATE_PARTS

if TYPE_CHECKING:
    import xarray as xr

    from hamiltree.trajectory.trajectory import Trajectory


def collected_sections(dataset: xr.Dataset) -> dict[str, xr.Dataset]:
    """Points collected while running, by the name of the section or event: t, q, p (or y) by
    point.
    """
    import xarray as xr

    found = {}
    for number, name in enumerate(json.loads(dataset.attrs.get("sections", "[]"))):
        parts = {
            part: dataset[f"section{number}_{part}"].rename({f"point{number}": "point"})
            for part in ("t", *STATE_PARTS)
            if f"section{number}_{part}" in dataset
        }
        found[name] = xr.Dataset(
            {
                part: values.drop_vars([c for c in values.coords if c not in values.dims])
                for part, values in parts.items()
            }
        )
    return found


def interpolate_section(run: Trajectory, event: Event) -> xr.Dataset:
    """Where the stored samples cross an expression, by interpolation between them: t, q, p (or y)
    by point.
    """
    import xarray as xr

    names = run.names
    dataset = run.dataset
    if run.has_energy and "p" not in dataset:
        raise OptionError(
            f"sections of samples are of coordinates and momenta, and a run of "
            f"{run.provenance['formulation']} has no momenta of joints in its state"
        )
    own = [part for part in STATE_PARTS if part in dataset]
    rates = [name for name in (f"{part}dot" for part in own) if name in dataset]
    states = np.concatenate([dataset[name].values for name in (*own, *rates)], axis=1)
    t, found = crossings(event, names, run.t.values, states)
    parts: dict[str, Any] = {"t": ("point", t)}
    dimensions = {str(dataset[part].dims[1]) for part in own}
    first = 0
    for part in own:
        last = first + dataset[part].shape[1]
        parts[part] = (("point", dataset[part].dims[1]), found[:, first:last])
        first = last
    return xr.Dataset(parts, coords={name: dataset[name].values for name in dimensions})


def sample_names(run: Trajectory) -> Names:
    """What an expression about a sample may name: of an H(q, p) or an ode its own names, of a model
    joint, p_joint and joint_dot.
    """
    if not run.has_energy:
        rows = tuple(str(name) for name in run.dataset["variable"].values)
        return Names(rows, tuple(f"{name}_dot" for name in rows), run.ode.parameters)
    q_names = tuple(str(name) for name in run.dataset["coordinate"].values)
    if "momentum" not in run.dataset:
        q_names = formula_names(q_names)
        rows = (*q_names, *(f"p_{name}" for name in q_names))
        return Names(rows, tuple(f"{name}_dot" for name in q_names), {})
    rows = (*q_names, *(str(name) for name in run.dataset["momentum"].values))
    return Names(rows, tuple(f"{name}_dot" for name in rows), run.hamiltonian.parameters)
