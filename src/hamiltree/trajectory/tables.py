"""A run as a table: a pandas DataFrame, a CSV file, a MATLAB file.

Columns are the variables by time of `run.dataset`, with the labels of their other dimensions:
q[elbow], pose[arm.x], kinetic_energy.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError, MissingPackage, OptionError, suggest
from hamiltree.files.durable import write_durably
from hamiltree.model.joints import coordinate_labels
from hamiltree.trajectory.netcdf import writable_path

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from hamiltree.trajectory.trajectory import Trajectory

UNITS_BY_DIMENSION = {
    "q": {"angle": "rad", "length": "m", "number": "1"},
    "qdot": {"angle": "rad/s", "length": "m/s", "number": "1/s"},
    "p": {"angle": "kg m²/s", "length": "kg m/s", "number": "kg m²/s"},
}
UNITS_BY_PART = {
    "pose": ("m",) * 3 + ("1",) * 4,
    "twist": ("rad/s",) * 3 + ("m/s",) * 3,
}
LONGEST_MATLAB_NAME = 31  # characters of a field, by the format that SciPy writes


def to_pandas(run: Trajectory, variables: Sequence[str] | str | None = None) -> pd.DataFrame:
    """A DataFrame by t, all variables or those named; units are in `.attrs["units"]`."""
    import pandas as pd

    chosen = choose_variables(run.dataset, variables)
    columns: dict[str, np.ndarray] = {}
    units: dict[str, Any] = {"t": run.t.attrs.get("units", "")}
    for array in chosen.values():
        names = column_names(array)
        values = array.values.reshape(len(array), len(names))
        columns |= dict(zip(names, values.T, strict=True))
        units |= dict(zip(names, column_units(run, array, names), strict=True))
    made = pd.DataFrame(columns, index=pd.Index(run.t.values, name="t"))
    made.attrs["units"] = units
    return made


def to_csv(
    run: Trajectory,
    path: str | os.PathLike,
    variables: Sequence[str] | str | None = None,
    force: bool = False,
) -> Path:
    """Write a CSV file with one row per sample; its numbers read back to the bit. An existing file
    is kept unless forced.
    """
    target = writable_path(path, force)
    text = to_pandas(run, variables).to_csv(float_format=repr_of_float, lineterminator="\n")
    return write_whole(target, text.encode())


def to_mat(
    run: Trajectory,
    path: str | os.PathLike,
    variables: Sequence[str] | str | None = None,
    force: bool = False,
) -> Path:
    """Write a MATLAB file (version 5): t and the variables as arrays, the labels of their
    dimensions as cell arrays, units as a struct. An existing file is kept unless forced.
    """
    target = writable_path(path, force)
    savemat = import_savemat()
    chosen = choose_variables(run.dataset, variables)
    content: dict[str, Any] = {"t": run.t.values}
    units = {"t": run.t.attrs.get("units", "")}
    for name, array in chosen.items():
        content[matlab_name(name)] = array.values
        units[matlab_name(name)] = array.attrs.get("units", "")
        for dimension in array.dims[1:]:
            content[matlab_name(str(dimension))] = np.array(labels_of(array, dimension), object)
    content["units"] = units
    made = io.BytesIO()
    savemat(made, content, do_compression=True, oned_as="column")
    return write_whole(target, made.getvalue())


# ---- columns -------------------------------------------------------------------------------------
def choose_variables(
    dataset: xr.Dataset, wanted: Sequence[str] | str | None
) -> dict[str, xr.DataArray]:
    """The variables by time, all or those named; an unknown one is refused."""
    known = {
        str(name): array
        for name, array in dataset.data_vars.items()
        if array.dims and array.dims[0] == "t"
    }
    if wanted is None:
        return known
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in known:
            raise OptionError(f"a run has no variable {name!r} by time; {suggest(name, known)}")
    return {name: known[name] for name in names}


def column_names(array: xr.DataArray) -> list[str]:
    """q[elbow], pose[arm.x], …; the name alone where a variable is one number per sample."""
    labels = [""]
    for dimension in array.dims[1:]:
        inner = labels_of(array, dimension)
        labels = [f"{outer}.{name}" if outer else name for outer in labels for name in inner]
    return [f"{array.name}[{label}]" if label else str(array.name) for label in labels]


def column_units(run: Trajectory, array: xr.DataArray, names: list[str]) -> list[str]:
    """The unit of each column: of coordinates that of their axis, of poses and twists that of their
    part, else that of the variable.
    """
    own = str(array.attrs.get("units", ""))
    kind = str(array.name)
    if not run.has_bodies or kind not in (*UNITS_BY_DIMENSION, *UNITS_BY_PART):
        return [own] * len(names)
    if kind in UNITS_BY_PART:
        return [UNITS_BY_PART[kind][k % len(UNITS_BY_PART[kind])] for k in range(len(names))]
    dimensions = {
        label: dimension
        for joint in run.model.joints
        for label, dimension in zip(
            coordinate_labels(joint), joint.coordinate_dimensions(), strict=True
        )
    }
    by_dimension = UNITS_BY_DIMENSION[kind]
    labels = labels_of(array, array.dims[1])
    return [by_dimension.get(dimensions.get(label, ""), own) for label in labels]


def labels_of(array: xr.DataArray, dimension: Any) -> list[str]:
    return [str(name) for name in array[dimension].values]


def matlab_name(name: str) -> str:
    """A name that MATLAB takes: letters, digits and underscores, a letter first, not too long."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return (plain if plain[:1].isalpha() else f"x{plain}")[:LONGEST_MATLAB_NAME]


def repr_of_float(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(value))


# ---- files ---------------------------------------------------------------------------------------
def import_savemat() -> Callable[..., None]:
    """SciPy's writer, or a MissingPackage that says how to get it."""
    try:
        from scipy.io import savemat
    except ImportError:
        remedy = 'pip install "hamiltree[modes]"'
        raise MissingPackage(
            f"MATLAB files are written by SciPy, which is missing: {remedy}"
        ) from None
    return savemat


def write_whole(target: Path, content: bytes) -> Path:
    """The file, whole or not at all."""
    try:
        write_durably(target.resolve(), content)
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror or error}") from None
    return target
