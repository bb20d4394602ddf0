"""Tubes of carbon atoms, and the molecular bearing that the thesis shows in its fig. 1.2: a tube
that turns inside another.

Lengths in nm, masses in u, times in ps; energies are then in kJ/mol (ht.units.MOLECULAR).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.joints import Free, Joint, Weld
from hamiltree.model.model import Model
from hamiltree.model.molecules import check_count
from hamiltree.model.pair_force import PairForce
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import LennardJones, Potential
from hamiltree.model.values import ORIGIN, point, positive

BOND = 0.142  # nm, between neighbours in graphite
CARBON = 12.011  # u
# ε/k = 28.0 K, σ = 0.34 nm, between layers of graphite (W. A. Steele, Surf. Sci. 36, 317, 1973)
BETWEEN_CARBONS = LennardJones(0.2328, 0.34)
SLEEVES = ("clamped", "free")


def nanotube(n: int = 5, cells: int = 5, bond: float = BOND, mass: float = CARBON) -> Particles:
    """An (n, n) tube of carbon along z about its centre: 4n atoms in each of `cells` rings of
    √3 bond, the radius is 3n bond/2π.

    Rolled up, a ring is n times two pairs of atoms: at 0 and 1 bond, and half a ring further at
    3/2 and 5/2.
    """
    n = check_count("n", n)
    cells = check_count("cells", cells)
    bond = positive(bond, ("nanotube", ""), "bond")
    around = np.array([0.0, 1.0, 1.5, 2.5])
    along = np.array([0.0, 0.0, 0.5, 0.5])
    angle = (around[None, :] + 3.0 * np.arange(n)[:, None]) * (2.0 * math.pi / (3.0 * n))
    z = (along[None, None] + np.arange(cells)[:, None, None]) * (math.sqrt(3.0) * bond)
    angle, z = np.broadcast_arrays(angle[None], z)
    radius = 3.0 * n * bond / (2.0 * math.pi)
    atoms: Any = np.stack([radius * np.cos(angle), radius * np.sin(angle), z - z.mean()], axis=-1)
    return Particles(atoms.reshape(-1, 3).tolist(), mass, "C")


def molecular_bearing(
    shaft: int = 5,
    sleeve: int = 10,
    shaft_cells: int = 5,
    sleeve_cells: int = 3,
    omega: Any = (0.0, 0.0, 10.0),
    shift: Any = (0.02, 0.0, 0.4),
    held: str = "clamped",
    potential: Potential = BETWEEN_CARBONS,
) -> Model:
    """A (5, 5) tube of carbon, the shaft, that turns inside a (10, 10) tube, the sleeve: both
    rigid, with Lennard-Jones forces between their atoms.

    `omega` (rad/ps, body axes) and `shift` (nm, from where the centres meet) are the start of the
    shaft; the sleeve is "clamped" to the ground, or "free".
    """
    if held not in SLEEVES:
        raise OptionError(f'held = {held!r}: the sleeve is "clamped" or "free"')
    if check_count("sleeve", sleeve) <= check_count("shaft", shaft):
        raise OptionError(f"sleeve = {sleeve}: give more than that of the shaft, {shaft}")
    bodies = [
        Body.of_particles("shaft", nanotube(shaft, shaft_cells), principal=True),
        Body.of_particles("sleeve", nanotube(sleeve, sleeve_cells), principal=True),
    ]
    place = point(shift, ("molecular_bearing", ""), "shift")
    spin = point(omega, ("molecular_bearing", ""), "omega")
    joints: list[Joint] = [
        Free("shaft", GROUND, "shaft", q=(*place, 1.0, 0.0, 0.0, 0.0), qdot=(*ORIGIN, *spin)),
        Weld("hold", GROUND, "sleeve") if held == "clamped" else Free("hold", GROUND, "sleeve"),
    ]
    forces = [PairForce(potential, "all", name="carbon")]
    return Model(bodies, joints, forces, ORIGIN, "molecular_bearing")


BEARINGS = (molecular_bearing,)
