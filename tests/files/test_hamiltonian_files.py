"""Files of Hamiltonians: mistakes are told with file and line, and nothing is read halfway."""

import pytest

import hamiltree as ht
from hamiltree.run.problem_files import load_problem

GOOD = """hamiltree = 1

[hamiltonian]
H = "p**2/2 - k*cos(q)"
q = { q = 1.0 }
p = { p = 0.0 }
parameters = { k = 2.0 }
invariants = { E = "p**2/2 - k*cos(q)" }

[[section]]
expression = "q"
direction = 1
where = "p > 0"
"""
MISTAKES = {
    ('k*cos(q)"\nq', 'k*cos(x)"\nq'): (4, "unknown symbol 'x'"),
    ("parameters =", "parametres ="): (7, "unknown key 'parametres'"),
    ('E = "p**2/2', 'E = "r**2/2'): (8, "unknown symbol 'r'"),
    ('expression = "q"', 'expression = "z"'): (10, "unknown symbol 'z'"),
    ('where = "p > 0"', 'where = "p0 > 0"'): (10, "unknown symbol 'p0'"),
    ("direction = 1", "direction = 3"): (10, "direction = 3"),
    ("hamiltree = 1", "hamiltree = 7"): (1, "this version reads 1"),
}


def test_a_file_of_a_hamiltonian_is_read(tmp_path):
    (tmp_path / "h.toml").write_text(GOOD)
    made, sections = load_problem(tmp_path / "h.toml")
    assert (made.parameters, made.start) == ({"k": 2.0}, {"q": 1.0, "p": 0.0})
    assert [(section.expression, section.direction, section.where) for section in sections] == [
        ("q", 1, "p > 0")
    ]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda pair: pair[1])
def test_a_mistake_is_told_with_its_line(tmp_path, mistake):
    line, why = MISTAKES[mistake]
    assert mistake[0] in GOOD
    (tmp_path / "h.toml").write_text(GOOD.replace(*mistake))
    with pytest.raises(ht.FileError, match=why) as caught:
        load_problem(tmp_path / "h.toml")
    assert f"h.toml:{line}: " in str(caught.value)


def test_what_was_made_of_functions_has_no_file(tmp_path):
    def by_q(t, q, p, k, out):
        out[0] = 0.0

    def by_p(t, q, p, k, out):
        out[0] = 1.0

    H = ht.hamiltonian(lambda t, q, p, k: p[0], q="q", p="p", dHdq=by_q, dHdp=by_p)
    with pytest.raises(ht.FileError, match="made of Python functions"):
        ht.save(H, tmp_path / "h.toml")
    assert not (tmp_path / "h.toml").exists()
