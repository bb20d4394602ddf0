"""Power spectra of what a run recorded.

One-sided power spectral density of evenly spaced samples, mean removed, by one periodogram:
S(f) = 2 Δt |Σ w x e^{−2πi f t}|² / Σ w². Its integral over f is the variance of x for a window of
ones, and close to it for Hann's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from hamiltree.errors import OptionError, suggest

WINDOWS = ("hann", "none")
SPACING_TOLERANCE = 1e-6  # of the spacing: larger differences are not taken for rounding
FEWEST_SAMPLES = 4


def spectrum_of_run(run: Any, what: Any, window: str = "hann") -> xr.DataArray:
    """(frequency, …): power spectral density of a coordinate or variable by its name, or of
    labelled values by t such as run.point("tip").position; frequencies in Hz, the unit squared per
    Hz.
    """
    values = what if isinstance(what, xr.DataArray) else find_values(run, what)
    return spectrum(values, window)


def find_values(run: Any, name: Any) -> xr.DataArray:
    """A coordinate of q, a variable of an ode, or a variable by time of the run."""
    part, dimension = ("q", "coordinate") if run.has_energy else ("y", "variable")
    labels = [str(label) for label in run.dataset[dimension].values]
    if name in labels:
        return run.dataset[part].sel({dimension: name}).rename(str(name))
    if name == "energy" and run.has_energy:
        return run.energy.rename("energy")
    known = [str(key) for key, each in run.dataset.data_vars.items() if each.dims[:1] == ("t",)]
    if name in known:
        return run.dataset[name]
    raise OptionError(f"there is no {dimension} {name!r}; {suggest(str(name), [*labels, *known])}")


def spectrum(values: xr.DataArray, window: str = "hann") -> xr.DataArray:
    """The power spectral density of values by t."""
    if values.dims[:1] != ("t",):
        raise OptionError(
            f"a spectrum is of values by t, not by {', '.join(map(str, values.dims))}"
        )
    if window not in WINDOWS:
        raise OptionError(f"window = {window!r}; {suggest(str(window), WINDOWS)}")
    count, spacing = even_samples(values["t"].values)
    x = values.values[:count]
    x = x - x.mean(axis=0)
    k = np.arange(count)
    weights = np.ones(count) if window == "none" else np.sin(np.pi * k / count) ** 2
    weights = weights.reshape(-1, *[1] * (x.ndim - 1))
    power = np.abs(np.fft.rfft(weights * x, axis=0)) ** 2 * spacing / (weights**2).sum()
    last = len(power) - 1 if count % 2 == 0 else len(power)
    power[1:last] *= 2.0  # the other half of the frequencies, but not 0 and half the rate
    coords = {name: each for name, each in values.coords.items() if "t" not in each.dims}
    made = xr.DataArray(
        power, coords, ("frequency", *values.dims[1:]), f"spectrum of {values.name}"
    )
    units = f"({values.attrs.get('units', '')})²/Hz"
    return made.assign_coords(frequency=np.fft.rfftfreq(count, spacing)).assign_attrs(units=units)


def even_samples(t: np.ndarray) -> tuple[int, float]:
    """How many samples from the first are evenly spaced, and by how much; refused if more than the
    last is elsewhere.
    """
    if len(t) < FEWEST_SAMPLES:
        raise OptionError(f"a spectrum needs at least {FEWEST_SAMPLES} samples; there are {len(t)}")
    steps = np.diff(t)
    spacing = float((t[-2] - t[0]) / (len(t) - 2))
    is_even = np.abs(steps - spacing) <= SPACING_TOLERANCE * spacing
    if not is_even[:-1].all():
        at = t[int(np.argmin(is_even))]
        raise OptionError(
            f"the samples are not evenly spaced (after t = {at:g}); make one run with one step and "
            "one save_every"
        )
    return (len(t) if is_even[-1] else len(t) - 1), spacing
