"""A Motion as a labelled dataset: the symbols of the notes with their units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

    from hamiltree.analysis.influence.motion import Motion

# by link and axis, world axes
OF_CONFIGURATION = {"eta": "m", "r": "m", "d": "m", "s": "m", "c": "m"}
OF_MOTION = {
    **{"c_dot": "m/s", "H": "N m s", "H_c": "N m s", "P": "N s"},
    **{"H_dot": "N m", "H_c_dot": "N m", "P_dot": "N"},
    **{"f_bar": "N", "tau_bar": "N m", "f": "N", "tau": "N m"},
}
# along the axes of joints
OF_SPEEDS = {
    "qdot": "rad/s or m/s",
    "qddot": "rad/s² or m/s²",
    "p": "N m s or N s",
    "p_dot": "N m or N",
    "tau_hat": "N m or N",
}


def label_motion(now: Motion) -> xr.Dataset:
    """Quantities by (link, axis), by link and by speed; energies are attributes."""
    import xarray as xr

    at = now.at
    by_link = "link", "axis"
    velocities = {
        "omega": (now.v[:, :3], "rad/s"),
        "eta_dot": (now.v[:, 3:], "m/s"),
        "r_dot": (now.v_bar[:, 3:], "m/s"),
    }
    found: dict[str, Any] = {
        **{name: (by_link, getattr(at, name), unit) for name, unit in OF_CONFIGURATION.items()},
        **{name: (by_link, values, unit) for name, (values, unit) in velocities.items()},
        **{name: (by_link, getattr(now, name), unit) for name, unit in OF_MOTION.items()},
        **{name: (("speed",), getattr(now, name), unit) for name, unit in OF_SPEEDS.items()},
        "m_bar": (("link",), at.m_bar, "kg"),
    }
    labels = {"link": list(at.names), "axis": ["x", "y", "z"], "speed": list(at.model.speeds)}
    energies = {"T": now.T, "V": now.V, "hamiltonian": now.hamiltonian}
    return xr.Dataset(
        {name: (*value[:2], {"units": value[2]}) for name, value in found.items()},
        labels,
        {"model": at.model.name, "t": now.t, **energies},
    )
