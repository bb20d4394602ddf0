"""Every vector of the examples of the two notes on Kane's equations, as they print it: the lines
are read back and evaluated with the data of another program (data/seed003_004_*.json), without a
number of hamiltree.

LaTeX is translated back into the text by a table of its own.
"""

import contextlib
import io
import json
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from matplotlib.mathtext import MathTextParser

import hamiltree as ht
from hamiltree.gallery.experiments import kane
from tests.agreement.kane_reader import VectorReader, read_lines

DATA = Path(__file__).parents[1] / "data"
PAGES = Path(__file__).parents[2] / "docs" / "documents"
CLOSE = 1e-12
EIGHT = json.loads((DATA / "seed003_004_eight_31.json").read_text(encoding="utf-8"))
SIX = json.loads((DATA / "seed003_004_six_21.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def eight():
    return ht.kane.partials(ht.library.eight_bodies(loads=True))


@pytest.fixture(scope="module")
def six():
    return ht.kane.partials(ht.library.six_bodies(loads=True), formulation="kane_absolute")


# ---- the lines of the notes ----------------------------------------------------------------------
ANGULAR_VELOCITIES = """
{ω'_1} = {ω̂'1}
{ω'_2} = [1R2]{ω'_1} + {ω̂'2}
{ω'_3} = [2R3]{ω'_2} + {ω̂'3}
{ω'_4} = [1R4]{ω'_1} + {ω̂'4}
{ω'_5} = [2R5]{ω'_2} + {ω̂'5}
{ω'_6} = [1R6]{ω'_1} + {ω̂'6}
{ω'_7} = [1R7]{ω'_1} + {ω̂'7}
{ω'_8} = [7R8]{ω'_7} + {ω̂'8}
"""
CENTRES = """
{p'_G1} = {p'_O1} + {r'1} = [R1]{s'1} + {r'1}
{p'_G2} = [1R2]({p'_O1} + {q'2} + {s'2}) + {r'2} = [1R2]([R1]{s'1} + {q'2} + {s'2}) + {r'2}
{p'_G3} = [2R3]({p'_O2} + {q'3} + {s'3}) + {r'3} = [2R3]([1R2]([R1]{s'1} + {q'2} + {s'2}) + {q'3} + {s'3}) + {r'3}
{p'_G4} = [1R4]({p'_O1} + {q'4} + {s'4}) + {r'4} = [1R4]([R1]{s'1} + {q'4} + {s'4}) + {r'4}
{p'_G5} = [2R5]({p'_O2} + {q'5} + {s'5}) + {r'5} = [2R5]([1R2]([R1]{s'1} + {q'2} + {s'2}) + {q'5} + {s'5}) + {r'5}
{p'_G6} = [1R6]({p'_O1} + {q'6} + {s'6}) + {r'6} = [1R6]([R1]{s'1} + {q'6} + {s'6}) + {r'6}
{p'_G7} = [1R7]({p'_O1} + {q'7} + {s'7}) + {r'7} = [1R7]([R1]{s'1} + {q'7} + {s'7}) + {r'7}
{p'_G8} = [7R8]({p'_O7} + {q'8} + {s'8}) + {r'8} = [7R8]([1R7]([R1]{s'1} + {q'7} + {s'7}) + {q'8} + {s'8}) + {r'8}
"""  # noqa: E501
ORIGIN_VELOCITIES = """
{v'_O1} = {ṡ'1}
{v'_O2} = [R1]{v'_O1} + {ṡ'2} + [ω̃'_1]({q'2} + {s'2}) = [R1]{ṡ'1} + {ṡ'2} + [ω̃'_1]({q'2} + {s'2})
{v'_O3} = [1R2]{v'_O2} + {ṡ'3} + [ω̃'_2]({q'3} + {s'3}) = [1R2]([R1]{ṡ'1} + {ṡ'2} + [ω̃'_1]({q'2} + {s'2})) + {ṡ'3} + [ω̃'_2]({q'3} + {s'3})
{v'_O4} = [R1]{v'_O1} + {ṡ'4} + [ω̃'_1]({q'4} + {s'4}) = [R1]{ṡ'1} + {ṡ'4} + [ω̃'_1]({q'4} + {s'4})
{v'_O5} = [1R2]{v'_O2} + {ṡ'5} + [ω̃'_2]({q'5} + {s'5}) = [1R2]([R1]{ṡ'1} + {ṡ'2} + [ω̃'_1]({q'2} + {s'2})) + {ṡ'5} + [ω̃'_2]({q'5} + {s'5})
{v'_O6} = [R1]{v'_O1} + {ṡ'6} + [ω̃'_1]({q'6} + {s'6}) = [R1]{ṡ'1} + {ṡ'6} + [ω̃'_1]({q'6} + {s'6})
{v'_O7} = [R1]{v'_O1} + {ṡ'7} + [ω̃'_1]({q'7} + {s'7}) = [R1]{ṡ'1} + {ṡ'7} + [ω̃'_1]({q'7} + {s'7})
{v'_O8} = [1R7]{v'_O7} + {ṡ'8} + [ω̃'_7]({q'8} + {s'8}) = [1R7]([R1]{ṡ'1} + {ṡ'7} + [ω̃'_1]({q'7} + {s'7})) + {ṡ'8} + [ω̃'_7]({q'8} + {s'8})
"""  # noqa: E501
CENTRE_VELOCITIES = """
{v'_G1} = [R1]{v'_O1} + [ω̃'_1]{r'1} = [R1]{ṡ'1} + [ω̃'_1]{r'1}
{v'_G2} = [1R2]{v'_O2} + [ω̃'_2]{r'2} = [1R2]([R1]{ṡ'1} + {ṡ'2} + [ω̃'_1]({q'2} + {s'2})) + [ω̃'_2]{r'2}
{v'_G3} = [2R3]{v'_O3} + [ω̃'_3]{r'3} = [2R3]([1R2]([R1]{ṡ'1} + {ṡ'2} + [ω̃'_1]({q'2} + {s'2})) + {ṡ'3} + [ω̃'_2]({q'3} + {s'3})) + [ω̃'_3]{r'3}
{v'_G4} = [1R4]{v'_O4} + [ω̃'_4]{r'4} = [1R4]([R1]{ṡ'1} + {ṡ'4} + [ω̃'_1]({q'4} + {s'4})) + [ω̃'_4]{r'4}
{v'_G5} = [2R5]{v'_O5} + [ω̃'_5]{r'5} = [2R5]([1R2]([R1]{ṡ'1} + {ṡ'2} + [ω̃'_1]({q'2} + {s'2})) + {ṡ'5} + [ω̃'_2]({q'5} + {s'5})) + [ω̃'_5]{r'5}
{v'_G6} = [1R6]{v'_O6} + [ω̃'_6]{r'6} = [1R6]([R1]{ṡ'1} + {ṡ'6} + [ω̃'_1]({q'6} + {s'6})) + [ω̃'_6]{r'6}
{v'_G7} = [1R7]{v'_O7} + [ω̃'_7]{r'7} = [1R7]([R1]{ṡ'1} + {ṡ'7} + [ω̃'_1]({q'7} + {s'7})) + [ω̃'_7]{r'7}
{v'_G8} = [7R8]{v'_O8} + [ω̃'_8]{r'8} = [7R8]([1R7]([R1]{ṡ'1} + {ṡ'7} + [ω̃'_1]({q'7} + {s'7})) + {ṡ'8} + [ω̃'_7]({q'8} + {s'8})) + [ω̃'_8]{r'8}
"""  # noqa: E501
POSITIONS = """
{p_1} = {s'1} + [R1]ᵀ{r'1}
{p_2} = {s'1} + [R1]ᵀ{q'2 + s'2} + [R2]ᵀ{r'2}
{p_3} = {s'1} + [R1]ᵀ{q'2 + s'2} + [R2]ᵀ{q'3 + s'3} + [R3]ᵀ{r'3}
{p_4} = {s'1} + [R1]ᵀ{q'2 + s'2} + [R2]ᵀ{q'4 + s'4} + [R4]ᵀ{r'4}
{p_5} = {s'1} + [R1]ᵀ{q'5 + s'5} + [R5]ᵀ{r'5}
{p_6} = {s'1} + [R1]ᵀ{q'5 + s'5} + [R5]ᵀ{q'6 + s'6} + [R6]ᵀ{r'6}
"""
VELOCITIES = """
{v_1} = {ṡ'1} − [R1]ᵀ[r̃'1][ω'_1,y]{y}
{v_2} = {ṡ'1} + [R1]ᵀ{ṡ'2} − [R1]ᵀ[q̃'2 + s̃'2][ω'_1,y]{y} − [R2]ᵀ[r̃'2][ω'_2,y]{y}
{v_3} = {ṡ'1} + [R1]ᵀ{ṡ'2} + [R2]ᵀ{ṡ'3} − [R1]ᵀ[q̃'2 + s̃'2][ω'_1,y]{y} − [R2]ᵀ[q̃'3 + s̃'3][ω'_2,y]{y} − [R3]ᵀ[r̃'3][ω'_3,y]{y}
{v_4} = {ṡ'1} + [R1]ᵀ{ṡ'2} + [R2]ᵀ{ṡ'4} − [R1]ᵀ[q̃'2 + s̃'2][ω'_1,y]{y} − [R2]ᵀ[q̃'4 + s̃'4][ω'_2,y]{y} − [R4]ᵀ[r̃'4][ω'_4,y]{y}
{v_5} = {ṡ'1} + [R1]ᵀ{ṡ'5} − [R1]ᵀ[q̃'5 + s̃'5][ω'_1,y]{y} − [R5]ᵀ[r̃'5][ω'_5,y]{y}
{v_6} = {ṡ'1} + [R1]ᵀ{ṡ'5} + [R5]ᵀ{ṡ'6} − [R1]ᵀ[q̃'5 + s̃'5][ω'_1,y]{y} − [R5]ᵀ[q̃'6 + s̃'6][ω'_5,y]{y} − [R6]ᵀ[r̃'6][ω'_6,y]{y}
"""  # noqa: E501


def flat(text):
    """Equal right sides of one left side on one line."""
    return [" ".join(part.split()) for part in re.split(r"\n(?=\{)", text.strip())]


# ---- numbers of the other program ----------------------------------------------------------------
def skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rotation(eps):
    """(4)"""
    v, e4 = np.array(eps[:3]), eps[3]
    return (e4**2 - v @ v) * np.eye(3) + 2 * np.outer(v, v) - 2 * e4 * skew(v)


def data_of_connections(data):
    """[ᴶR_K], [R_K]ᵀ, {q'_K}, {s'_K}, … of the file, by the names in the print."""
    found = {}
    for k, lower in enumerate(data["L"]):
        K, J = k + 1, lower or ""
        found[f"[{J}R{K}]"] = rotation(data["eps_rel"][k])
        found[f"[R{K}]ᵀ"] = rotation(data["eps_abs"][k]).T
        found[f"{{ω̂'{K}}}"] = np.array(data["omega_rel"][k])
        found[f"{{ṡ'{K}}}"] = np.array(data["sdot"][k])
        found[f"[ω̃'_{K}]"] = skew(data["omega_abs"][k])
        for letter in "qsr":
            found[f"{{{letter}'{K}}}"] = np.array(data[letter][k])
            found[f"[{letter}̃'{K}]"] = skew(data[letter][k])
        pick = np.zeros((3, 6 * len(data["L"])))
        pick[:, 3 * k : 3 * K] = np.eye(3)
        found[f"[ω'_{K},y]"] = pick
    found["{y}"] = np.concatenate([np.ravel(data["omega_abs"]), np.ravel(data["sdot"])])
    return found


def vectors_of_bodies(data):
    """ω', p and v of the file, in the axes of either of the notes, by name."""
    found = {}
    for k, lower in enumerate(data["L"]):
        K, R = k + 1, rotation(data["eps_abs"][k])
        below = rotation(data["eps_abs"][lower - 1]) if lower else np.eye(3)
        omega, r = np.array(data["omega_abs"][k]), np.array(data["r"][k])
        p, v = np.array(data["pG"][k]), np.array(data["vG"][k])
        origin, moving = p - R.T @ r, v - R.T @ np.cross(omega, r)
        found |= {f"{{ω'_{K}}}": omega, f"{{p_{K}}}": p, f"{{v_{K}}}": v}
        found |= {f"{{p'_O{K}}}": R @ origin, f"{{p'_G{K}}}": R @ p}
        found |= {f"{{v'_O{K}}}": below @ moving, f"{{v'_G{K}}}": R @ v}
    return found


def check_lines(found, what, lines, data):
    """The print has the lines of the notes; each, read with the data, gives the vector."""
    printed = found.text(what=what)
    assert flat(printed) == flat(lines)
    vectors = vectors_of_bodies(data)
    reader = VectorReader(data_of_connections(data) | vectors)
    count = 0
    for left, right in read_lines(printed):
        assert abs(reader.read(right) - vectors[left]).max() < CLOSE, (left, right)
        count += 1
    assert count >= len(data["L"])
    numbers = getattr(found, what).values
    names = [left for left, _ in dict.fromkeys((left, None) for left, _ in read_lines(printed))]
    assert abs(numbers - [vectors[name] for name in names]).max() < CLOSE


@pytest.mark.parametrize(
    ("what", "lines"),
    [
        ("angular_velocity", ANGULAR_VELOCITIES),
        ("position_G", CENTRES),
        ("velocity_O", ORIGIN_VELOCITIES),
        ("velocity_G", CENTRE_VELOCITIES),
    ],
)
def test_the_vectors_of_the_eight_bodies_are_printed_as_in_the_notes(eight, what, lines):
    check_lines(eight, what, lines, EIGHT)


@pytest.mark.parametrize(("what", "lines"), [("position_G", POSITIONS), ("velocity_G", VELOCITIES)])
def test_the_vectors_of_the_six_bodies_are_printed_as_in_the_notes(six, what, lines):
    check_lines(six, what, lines, SIX)


def test_coordinates_are_those_of_the_other_program(eight, six):
    """Scalar last, as in the notes."""
    for found, data, key in ((eight, EIGHT, "eps_rel"), (six, SIX, "eps_abs")):
        eps, expected = found.euler_parameters.values, np.array(data[key])
        sign = np.sign((eps * expected).sum(axis=1, keepdims=True))
        assert abs(eps - sign * expected).max() < CLOSE
        assert (sign == 1).all() or key == "eps_abs"
        count = len(data["L"])
        assert np.array_equal(found.x[: 4 * count], eps.ravel())
        assert abs(found.x.values[4 * count :] - np.ravel(data["s"])).max() < CLOSE
        assert abs(found.x_rates.values[4 * count :] - np.ravel(data["sdot"])).max() < CLOSE
        assert found.x.size == 7 * count and found.y.size == 6 * count


def test_accelerations_and_applied_forces_are_those_of_the_other_program(eight, six):
    """A connection leaves all six freedoms, so a_G = F/m; α' and a_G are in the file, too."""
    for found, data in ((eight, EIGHT), (six, SIX)):
        turns, mass = found.rotations.values, np.array(data["m"])[:, None]
        expected = np.array(data["newton_euler"]["aG"])
        assert abs(expected - np.array(data["F_inertial"]) / mass).max() < CLOSE
        is_relative = found.formulation == "kane_relative"
        a = np.einsum("kij,kj->ki", turns, expected) if is_relative else expected
        assert abs(found.acceleration_G - a).max() < 1e-10
        alpha = np.array(data["newton_euler"]["alpha_body"])
        assert abs(found.angular_acceleration - alpha).max() < 1e-10
        force = np.array(data["F_inertial"])
        force = np.einsum("kij,kj->ki", turns, force) if is_relative else force
        expected = np.einsum("kia,ki->a", found.velocity.values, force)
        expected += np.einsum("kia,ki->a", found.omega.values, np.array(data["M_body"]))
        assert abs(found.applied_forces - expected).max() < CLOSE


def test_the_printed_sums_are_the_equations_of_the_other_program(eight, six):
    """[A], {F_y} and {f} as printed, read back."""
    for found, expected in ((eight, EIGHT["kane003"]), (six, SIX["kane004"])):
        reader = VectorReader(found.symbols)
        values = {
            what: reader.read(next(iter(read_lines(found.text(what=what))))[1])
            for what in ("mass_matrix", "applied_forces", "forces")
        }
        assert abs(values["mass_matrix"] - expected["A"]).max() < 1e-10
        assert abs(values["forces"] - expected["f"]).max() < 1e-10
        assert abs(values["applied_forces"] - found.applied_forces.values).max() < CLOSE


def test_accelerations_are_those_of_other_formulations(eight, six):
    """Hamilton's equations of the tree (through articulated inertias) and absolute coordinates."""
    for found in (eight, six):
        model = found.equations.model
        relative = ht.kane.partials(model, order="model")
        assert (
            abs(relative.rates - ht.dynamics(model).forward_dynamics(*model.start())).max() < 1e-9
        )
        other = ht.accelerations(model, formulation="cartesian_3")
        assert abs(found.angular_acceleration - other.angular_acceleration.values).max() < 1e-9
        a = found.acceleration_G.values
        if found.formulation == "kane_relative":
            a = np.einsum("kji,kj->ki", found.rotations.values, a)
        assert abs(a - other.acceleration.values).max() < 1e-9


def test_euler_matrices_are_printed_as_in_equation_8(eight):
    line = eight.text("b3", "euler_matrices")
    assert line == (
        "[Ê'3] = [ ε̂3₄, ε̂3₃, −ε̂3₂, −ε̂3₁; −ε̂3₃, ε̂3₄, ε̂3₁, −ε̂3₂; "
        "ε̂3₂, −ε̂3₁, ε̂3₄, −ε̂3₃; ε̂3₁, ε̂3₂, ε̂3₃, ε̂3₄ ]"
    )
    symbols = eight.symbols
    rows = line.partition(" = ")[2].strip("[ ]").split("; ")
    values = [
        [(-1 if e[0] == "−" else 1) * symbols[e.lstrip("−")] for e in row.split(", ")]
        for row in rows
    ]
    assert abs(np.array(values) - eight.euler_matrices.values[2]).max() == 0.0
    assert eight.text("b3", "euler_rates") == "{ε̂̇3} = ½[Ê'3]ᵀ{ω̂'3, 0}"
    assert eight.text(what="x").startswith("{x} = { {ε̂1}, {ε̂2},")


# ---- claims --------------------------------------------------------------------------------------
def test_relative_coordinates_need_no_constraints():
    """Five hinges: as many speeds, or 15 of which 10 are locked."""
    model = ht.library.n_pendulum(5, angles=0.3)
    relative = ht.kane.partials(model)
    absolute = ht.kane.partials(model, formulation="kane_absolute")
    assert relative.y.size == 5 and abs(relative.constraint_forces).max() < 1e-12
    T, _ = absolute.equations.speed_relation
    assert absolute.y.size == 15 and np.linalg.matrix_rank(T) == 5
    model = ht.library.eight_bodies()
    assert len(model.coordinates) == 7 * 8 and len(model.speeds) == 6 * 8


def test_angular_velocities_do_not_depend_on_higher_numbers(eight):
    """(13), and the identity of (15)."""
    for K in range(1, 9):
        omega = eight.omega.values[K - 1]
        assert not omega[:, 3 * K :].any()
        assert np.array_equal(omega[:, 3 * K - 3 : 3 * K], np.eye(3))


def test_blocks_of_bodies_on_different_paths_are_zero(eight):
    A, lower = eight.mass_matrix.values, eight.lower
    paths = [{*eight.powers[:, k]} - {0} for k in range(8)]
    for a in range(8):
        for b in range(8):
            is_common = a + 1 in paths[b] or b + 1 in paths[a]
            block = A[3 * a : 3 * a + 3, 3 * b : 3 * b + 3]
            assert block.any() == is_common, (a + 1, b + 1, lower)
    assert abs(A - A.T).max() < 1e-12 and np.linalg.eigvalsh(A)[0] > 0


@pytest.mark.parametrize("page", ["kane-relative", "kane-absolute"])
def test_a_page_shows_what_its_code_prints(page):
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    namespace = {"__name__": "page"}
    shown = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```\n", text, re.S)
    assert len(shown) == text.count("```python")
    for code, expected in shown:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code, page, "exec"), namespace)
        assert output.getvalue() == expected, code


# ---- LaTeX ---------------------------------------------------------------------------------------
MARKS = {"hat": "\u0302", "tilde": "\u0303", "dot": "\u0307"}
LETTERS = {r"\omega": "ω", r"\varepsilon": "ε", r"\alpha": "α"}


def detex(line):
    """The text of a LaTeX line, by its own table."""
    line = line.replace(r"\left", "").replace(r"\right", "").replace(r"\{", "⟨").replace(r"\}", "⟩")
    line = line.replace(r"\frac{1}{2}", "½").replace("^{T}", "ᵀ").replace(r"\ldots", "…")
    line = re.sub(r"\{\}\^\{R\}", "@", line)
    line = re.sub(r"\{\}\^\{(\d+)\}", r"\1", line)
    line = re.sub(r"_\{3\\times (\d+)\}", r"3×\1", line)
    for name, letter in LETTERS.items():
        line = line.replace(name, letter)
    line = re.sub(r"\\tilde\{\\dot\{s\}\}'_\{(\d+)\}", "sk(s\u0307'\\1)", line)
    while (new := re.sub(r"\\(hat|tilde|dot)\{([^{}\\]+)\}", mark, line)) != line:
        line = new
    line = re.sub(r"_\{([OG])_\{(\d+)\}", r"_{\1\2", line)
    line = re.sub(r"_\{(\d+),([1234])\}", lambda m: m[1] + "₁₂₃₄"[int(m[2]) - 1], line)
    return line


def mark(match):
    return match[2] + MARKS[match[1]]


def indices_back(line):
    """_{…} as in the text: an underscore for bodies themselves, none for connections."""
    line = re.sub(r"y_([12])", r"y\1", line)
    line = re.sub(r"@([^_]*?)_\{([^{}]*)\}", r"\1_\2", line)  # relative to R
    line = re.sub(r"(p'?|[vaαω]\u0307?'?)_\{((?:[OG])?\d+(?:,y[12]?)?)\}", underscored, line)
    line = line.replace("F_{y}", "F_y")
    line = re.sub(r"_\{([^{}]*)\}", r"\1", line)
    return line.replace("⟨", "{").replace("⟩", "}").replace("-", "−")


def underscored(match):
    return f"{match[1]}_{match[2]}"


@pytest.mark.parametrize("which", ["eight", "six"])
def test_latex_says_what_the_text_says(which, request):
    found = request.getfixturevalue(which)
    whats = ["angular_velocity", "position_G", "velocity_O", "velocity_G", "acceleration_G"]
    whats += ["omega", "omega_dot", "velocity", "velocity_dot", "origin_velocity_dot"]
    whats += ["euler_rates", "applied_forces", "mass_matrix", "forces"]
    for what in whats:
        body = found.latex(what=what).removeprefix("\\begin{aligned}\n")
        body = body.removesuffix("\n\\end{aligned}").replace("&", "").replace(r"\quad ", "")
        lines = " ".join(body.replace("\\\\", "").split())
        text = unicodedata.normalize("NFD", " ".join(found.text(what=what).split()))
        assert indices_back(detex(lines)) == text, what


def test_latex_is_valid_mathematics(eight, six):
    """Matplotlib's own parser of TeX takes every line, and draws something."""
    parser = MathTextParser("path")
    for found in (eight, six):
        for what in ("velocity_G", "omega_dot", "velocity_dot", "euler_rates", "applied_forces"):
            body = found.latex(what=what).splitlines()[1:-1]
            for line in body[:12]:
                line = line.removesuffix("\\\\").replace("&", "").replace(r"\quad", "")
                assert parser.parse(f"${line.strip()}$").width > 50
    matrix = eight.latex(3, "euler_matrices")
    assert matrix.count("&") == 1 + 4 * 3 and r"\begin{bmatrix}" in matrix


def test_the_whole_print_has_every_quantity(eight, six):
    for found in (eight, six):
        for what in ("x", "x_rates", "position_O", "velocity_G", "forces", "mass_matrix"):
            assert found.text(what=what) in str(found)
        assert str(found).endswith("[A]{ẏ} = {f}")
        assert found.latex().count("&=") > 100


# ---- gallery -------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["eight_bodies", "six_bodies"])
def test_the_experiment_agrees_with_the_other_program_and_with_free_bodies(name):
    rows = kane.numbers(kane.run(name, progress=False))
    assert {row.whose for row in rows} == {"other code", "free bodies", "hamiltonian_tree"}
    assert max(abs(row.difference) for row in rows) < 1e-11
    assert sum("at t = 1 s" in row.what for row in rows) == 2


@pytest.mark.parametrize(
    ("name", "data", "key"), [("eight_bodies", EIGHT, "kane003"), ("six_bodies", SIX, "kane004")]
)
def test_the_numbers_in_the_gallery_are_those_of_the_other_program(name, data, key):
    stored = kane.reference_numbers(name)
    assert stored["f"] == data[key]["f"] and stored["ydot"] == data[key]["ydot"]
    lower = [x for row, entries in enumerate(data[key]["A"]) for x in entries[: row + 1]]
    assert stored["lower triangle of A by rows"] == lower
    assert stored["aG"] == data["newton_euler"]["aG"] and stored["kinetic energy"] == data["T"]
    assert stored["end"]["pG"] == data["end"]["pG"]
