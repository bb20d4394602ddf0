"""Particles from XYZ and PDB text: what is read, and that errors name file and line."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FileError, OptionError

WATER = (
    "3\nwater, Angstrom\nO 0.0 0.0 0.1173\nH 0.0 0.7572 -0.4692 extra\n1 0.0 -7.572e-1 -0.4692\n"
)
PDB = """\
HEADER    TWO RESIDUES
MODEL        1
ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N
ATOM      2  CA AALA A   1      11.639   6.071  -5.147  1.00  0.00           C
ATOM      3  CA BALA A   1      11.700   6.171  -5.147  1.00  0.00           C
HETATM    4 FE   HEM A   2       1.000-102.000   3.000
HETATM    5 1HB  XXX A   2       2.000   2.000   3.000
ENDMDL
MODEL        2
ATOM      1  N   ALA A   1       0.000   0.000   0.000  1.00  0.00           N
ENDMDL
END
"""


def written(tmp_path, text, name="x.xyz"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_an_xyz_file_gives_elements_positions_and_masses_of_the_elements(tmp_path):
    water = ht.read_particles(written(tmp_path, WATER), unit=1e-10)
    assert water.types == ("O", "H", "H") and water.masses == (15.999, 1.008, 1.008)
    assert np.allclose(
        water.positions,
        1e-10 * np.array([[0, 0, 0.1173], [0, 0.7572, -0.4692], [0, -0.7572, -0.4692]]),
        rtol=1e-15,
    )


def test_a_pdb_file_is_read_by_columns_from_one_model_and_one_of_the_alternate_places(tmp_path):
    path = written(tmp_path, PDB, "x.pdb")
    with pytest.raises(
        FileError, match=r"x.pdb:10: a second frame begins, of 2; choose one with frame=0"
    ):
        ht.read_particles(path)
    first = ht.read_particles(path, frame=0)
    assert (
        first.types == ("N", "C", "Fe", "H")
        and first.positions[2] == (1.0, -102.0, 3.0)
        and first.masses[2] == 55.845
    )
    assert len(ht.read_particles(path, frame=1)) == 1


def test_masses_and_types_may_be_given_for_all_or_by_element(tmp_path):
    path = written(tmp_path, WATER)
    assert ht.read_particles(path, masses=2.0, types="W").masses == (2, 2, 2)
    named = ht.read_particles(path, masses={"O": 16, "H": 1}, types={"O": "OW"})
    assert named.masses == (16, 1, 1) and named.types == ("OW", "H", "H")


def test_particles_written_as_xyz_read_back_bit_for_bit(tmp_path):
    rng = np.random.default_rng(5)
    cloud = ht.Particles(rng.normal(size=(6, 3)), 1.008, "H")
    assert ht.read_particles(written(tmp_path, ht.particles_to_xyz(cloud, "a\ncloud"))) == cloud


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.xyz:1: the file is empty"),
        ("three\n\nO 0 0 0\n", "x.xyz:1: 'three' is no number of particles"),
        (
            "3\n\nO 0 0 0\nH 1 0 0\n",
            "x.xyz:4: the file ends after 2 of the 3 particles that line 1 announces",
        ),
        ("1\n\nO 0 0 0\nH 1 0 0\n", "x.xyz:4: 'H 1 0 0' is no number of particles"),
        (
            "2\n\nO 0 0 0\nH 1 0\n",
            "x.xyz:4: 'H 1 0' is too short; give an element and three coordinates",
        ),
        ("1\n\nO 0 0 0.1.2\n", "x.xyz:3: '0.1.2' is no number"),
        ("1\n\nO 0 0 nan\n", "x.xyz:3: 'nan' is no number"),
        ("1\n\nO 0 0 1_0\n", "x.xyz:3: '1_0' is no number"),
        ("1\n\nQq 0 0 0\n", "x.xyz:3: there is no mass for the element 'Qq'; give masses="),
        (
            "3\n\nO 0 0 0\nH 1 0 0\nH 1 0 0\n",
            r"x.xyz:4: particles: positions\[1\] = .* and positions\[2\] are 0 m apart",
        ),
    ],
)
def test_a_malformed_xyz_file_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        ht.read_particles(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PDB.replace("11.104", "11.1o4"), "x.pdb:3: '11.1o4' is no number"),
        (
            "ATOM      1  N   ALA A   1      11.104   6.134\n",
            "x.pdb:1: the line ends at column 46; the coordinates are in",
        ),
        ("REMARK\nEND\n", "x.pdb:2: there is no ATOM or HETATM line"),
    ],
)
def test_a_malformed_pdb_file_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        ht.read_particles(written(tmp_path, text, "x.pdb"), frame=0)


def test_a_file_of_another_kind_and_a_frame_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(FileError, match=r"ending '.cif'; known: .xyz, .pdb, .ent"):
        ht.read_particles(tmp_path / "x.cif")
    with pytest.raises(FileError, match="cannot be read"):
        ht.read_particles(tmp_path / "absent.xyz")
    with pytest.raises(OptionError, match="frame = 2: there are 1, from 0 to 0"):
        ht.read_particles(written(tmp_path, WATER), frame=2)
