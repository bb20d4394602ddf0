"""The two notes on Kane's equations (docs/references.md): the six-body and the eight-body
system against another program and against free bodies.

Numbers are in data/seed003_004_*.json; eps there has its scalar last, F_K is inertial, M_K in body
axes. What the notes misprint (ERRATA 3-1, 3-2, 4-1) is evaluated as printed, too, and must give
another answer.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht

DATA = Path(__file__).parents[1] / "data"
KEYS = {"kane_relative": "kane003", "kane_absolute": "kane004"}
CLOSE = 1e-10


ORACLES = {
    name: json.loads((DATA / f"seed003_004_{name}.json").read_text(encoding="utf-8"))
    for name in ("six_21", "eight_31")
}
MODELS = {
    "six_21": ht.library.six_bodies(loads=True),
    "eight_31": ht.library.eight_bodies(loads=True),
}


class Case:
    def __init__(self, name, formulation):
        self.data, self.formulation = ORACLES[name], formulation
        self.found = ht.kane.partials(MODELS[name], formulation=formulation)
        self.expected = self.data[KEYS[formulation]]


@pytest.fixture(
    scope="module",
    params=[(name, way) for name in ORACLES for way in KEYS],
    ids=lambda case: f"{case[0]} {case[1]}",
)
def case(request):
    return Case(*request.param)


def error(got, expected):
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    return abs(got - expected).max()


@pytest.mark.parametrize("name", ORACLES)
def test_the_library_has_the_data_of_the_other_program(name):
    """O_K is the origin of body K, q'_K that of the joint frame on the lower body."""
    data, model = ORACLES[name], MODELS[name]
    assert [body.mass for body in model.bodies] == data["m"]
    assert error([body.com for body in model.bodies], data["r"]) == 0.0
    assert error([body.inertia for body in model.bodies], data["I_cm_body"]) < 1e-15
    assert error([joint.on_parent.position for joint in model.joints], data["q"]) == 0.0
    starts = np.array([joint.q for joint in model.joints])
    speeds = np.array([joint.qdot for joint in model.joints])
    assert error(starts[:, :3], data["s"]) == 0.0 and error(speeds[:, :3], data["sdot"]) == 0.0
    assert error(np.roll(starts[:, 3:], -1, axis=1), data["eps_rel"]) < 1e-15
    assert error(speeds[:, 3:], data["omega_rel"]) == 0.0
    names = ["ground", *(body.name for body in model.bodies)]
    assert [names.index(joint.parent) for joint in model.joints] == data["L"]
    assert error([load.force for load in model.forces[::2]], data["F_inertial"]) == 0.0
    assert error([load.torque for load in model.forces[1::2]], data["M_body"]) == 0.0
    assert getattr(ht.library, model.name)().forces == ()


# ---- numbers -------------------------------------------------------------------------------------
def test_the_equations_of_motion_are_those_of_the_other_program(case):
    assert error(case.found.mass_matrix, case.expected["A"]) < CLOSE
    assert error(case.found.forces, case.expected["f"]) < CLOSE
    assert error(case.found.rates, case.expected["ydot"]) < CLOSE


def test_positions_velocities_and_kinetic_energy_are_those_of_the_other_program(case):
    found, y = case.found, case.found.y.values
    velocity = found.velocity.values @ y
    if case.formulation == "kane_relative":
        velocity = np.einsum("kji,kj->ki", found.rotations.values, velocity)
    assert (
        error(found.positions, case.data["pG"]) < CLOSE and error(velocity, case.data["vG"]) < CLOSE
    )
    assert abs(0.5 * y @ found.mass_matrix.values @ y - case.data["T"]) < CLOSE
    assert error(found.omega.values @ y, case.data["omega_abs"]) < CLOSE


def test_the_bodies_accelerate_as_free_bodies(case):
    """Every connection has six degrees of freedom, so a = F/m and I'ω̇' = M' − ω' × I'ω' (ERRATA,
    end of the second notes).
    """
    found, y, rates = case.found, case.found.y.values, case.found.rates.values
    omega, velocity = found.omega.values @ y, found.velocity.values @ y
    angular = found.omega.values @ rates + found.omega_dot.values @ y
    linear = found.velocity.values @ rates + found.velocity_dot.values @ y
    if case.formulation == "kane_relative":
        linear = np.einsum("kji,kj->ki", found.rotations.values, linear + np.cross(omega, velocity))
    mass, inertia, moment = (np.array(case.data[name]) for name in ("m", "I_cm_body", "M_body"))
    spin = np.einsum("kij,kj->ki", inertia, omega)
    assert error(linear, np.array(case.data["F_inertial"]) / mass[:, None]) < CLOSE
    assert (
        error(
            angular, np.linalg.solve(inertia, (moment - np.cross(omega, spin))[..., None])[..., 0]
        )
        < CLOSE
    )
    assert (
        error(linear, case.data["newton_euler"]["aG"]) < CLOSE
        and error(angular, case.data["newton_euler"]["alpha_body"]) < CLOSE
    )


def test_the_connection_arrays_are_those_of_the_notes():
    six, eight = (ht.kane.partials(model) for model in MODELS.values())
    assert six.lower == (0, 1, 2, 2, 1, 5) and six.steps == (0, 1, 2, 2, 1, 2)
    assert eight.lower == (0, 1, 2, 1, 2, 1, 1, 7) and eight.steps == (0, 1, 2, 1, 2, 1, 1, 2)
    assert eight.powers.tolist() == [
        [1, 2, 3, 4, 5, 6, 7, 8],
        [0, 1, 2, 1, 2, 1, 1, 7],
        [0, 0, 1, 0, 1, 0, 0, 1],
    ]
    # the reference body
    assert all(found.powers[u, k] == 1 for found in (six, eight) for k, u in enumerate(found.steps))


def test_speeds_are_labelled_rotations_first():
    six = ht.kane.partials(MODELS["six_21"])
    assert six.speeds[:4] == ("j1.wx", "j1.wy", "j1.wz", "j2.wx") and six.speeds[18:20] == (
        "j1.vx",
        "j1.vy",
    )
    assert six.omega.sel(body="b3", speed="j3.wy").values.tolist() == [0.0, 1.0, 0.0]
    absolute = ht.kane.partials(MODELS["six_21"], formulation="kane_absolute")
    assert absolute.speeds[3] == "b2.wx" and absolute.speeds[18] == "j1.vx"


# ---- as the notes print it -----------------------------------------------------------------------
RELATIVE_NOTES = """
[ω'_1,y1] = [ [I], [0], [0], [0], [0], [0], [0], [0] ]
[ω'_3,y1] = [ [2R3][1R2], [2R3], [I], [0], [0], [0], [0], [0] ]
[ω'_5,y1] = [ [2R5][1R2], [2R5], [0], [0], [I], [0], [0], [0] ]
[ω'_8,y1] = [ [7R8][1R7], [0], [0], [0], [0], [0], [7R8], [I] ]
[ω̇'_1,y1] = [0]3×24
[ω̇'_4,y1] = [ [1ω̃'4]ᵀ[1R4], [0], [0], [0], [0], [0], [0], [0] ]
[ω̇'_8,y1] = [7R8][ [1ω̃'7]ᵀ[1R7], [0], [0], [0], [0], [0], [0], [0] ] + [7ω̃'8]ᵀ[7R8][ [1R7], [0], [0], [0], [0], [0], [I], [0] ]
[v'_O2,y] = [R1][v'_O1,y] − ([q̃'2] + [s̃'2])[ω'_1,y] + [ [0]3×24, [0], [I], [0], [0], [0], [0], [0], [0] ]
[v'_G4,y] = [1R4][v'_O4,y] − [r̃'4][ω'_4,y] = [1R4][R1][ [0]3×24, [I], [0], [0], [0], [0], [0], [0], [0] ] − [1R4]([q̃'4] + [s̃'4])[ [I], [0], [0], [0], [0], [0], [0], [0], [0]3×24 ] + [1R4][ [0]3×24, [0], [0], [0], [I], [0], [0], [0], [0] ] − [r̃'4][ [1R4], [0], [0], [I], [0], [0], [0], [0], [0]3×24 ]
[v̇'_G8,y] = [7R8][v̇'_O8,y] + [7ω̃'8]ᵀ[7R8][v'_O8,y] − [r̃'8][ω̇'_8,y]
[v̇'_O8,y] = [1R7][v̇'_O7,y] + [1ω̃'7]ᵀ[1R7][v'_O7,y] − [sk(ṡ'8)][ω'_7,y] − ([q̃'8] + [s̃'8])[ω̇'_7,y]
"""  # noqa: E501
EXAMPLE_NOTES = """
L(K) = (0, 1, 2, 2, 1, 5)
(u_K) = (0, 1, 2, 2, 1, 2)
[ω'_2,y1] = [ [0], [I], [0], [0], [0], [0] ]
[ω'_2,y2] = [0]3×18
[v_1,y1] = [ −[R1]ᵀ[r̃'1], [0], [0], [0], [0], [0] ]
[v_2,y1] = [ −[R1]ᵀ[q̃'2 + s̃'2], −[R2]ᵀ[r̃'2], [0], [0], [0], [0] ]
[v_6,y1] = [ −[R1]ᵀ[q̃'5 + s̃'5], [0], [0], [0], −[R5]ᵀ[q̃'6 + s̃'6], −[R6]ᵀ[r̃'6] ]
[v_3,y2] = [ [I], [R1]ᵀ, [R2]ᵀ, [0], [0], [0] ]
[v_6,y2] = [ [I], [0], [0], [0], [R1]ᵀ, [R5]ᵀ ]
[ω̇'_4,y1] = [0]3×18
[v̇_2,y1] = [ (−[R1]ᵀ[sk(ṡ'2)] − [R1]ᵀ[ω̃'1][q̃'2 + s̃'2]), −[R2]ᵀ[ω̃'2][r̃'2], [0], [0], [0], [0] ]
[v̇_1,y2] = [0]3×18
[v̇_4,y2] = [ [0], [R1]ᵀ[ω̃'1], [0], [R2]ᵀ[ω̃'2], [0], [0] ]
"""


@pytest.mark.parametrize(
    ("name", "formulation", "lines"),
    [("eight_31", "kane_relative", RELATIVE_NOTES), ("six_21", "kane_absolute", EXAMPLE_NOTES)],
)
def test_the_print_has_the_lines_of_the_notes(name, formulation, lines):
    printed = " ".join(str(ht.kane.partials(MODELS[name], formulation=formulation)).split()) + " "
    for line in lines.strip().splitlines():
        assert f"{line} " in printed, line


# ---- misprints -----------------------------------------------------------------------------------
def skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def accelerations(found, velocity_dot, data, is_relative):
    """ẏ with other derivatives of the partial velocities: (40), (41)."""
    y, omega, velocity = found.y.values, found.omega.values, found.velocity.values
    mass, inertia = np.array(data["m"]), np.array(data["I_cm_body"])
    w, force = omega @ y, np.array(data["F_inertial"])
    turning = np.einsum("kij,kj->ki", inertia, found.omega_dot.values @ y) + np.cross(
        w, np.einsum("kij,kj->ki", inertia, w)
    )
    moving = velocity_dot @ y + (np.cross(w, velocity @ y) if is_relative else 0.0)
    force = np.einsum("kij,kj->ki", found.rotations.values, force) if is_relative else force
    f = np.einsum("kia,ki->a", velocity, force - mass[:, None] * moving)
    f += np.einsum("kia,ki->a", omega, np.array(data["M_body"]) - turning)
    return np.linalg.solve(found.mass_matrix.values, f)


def relative_rates(found, data, misprint):
    """(31), (32), or what the notes print there."""
    symbols, moved, origin = found.symbols, [], []
    for k, lower in enumerate(found.lower):
        own, below = k + 1, found.lower[lower - 1] if lower else 0
        turn, spin, arm = (
            f"[{lower or ''}R{own}]",
            f"[{lower or ''}ω̃'{own}]ᵀ",
            f"([q̃'{own}] + [s̃'{own}])",
        )
        rate = np.zeros_like(found.velocity.values[k])
        if lower:
            R, w = symbols[f"[{below or ''}R{lower}]"], symbols[f"[{below or ''}ω̃'{lower}]ᵀ"]
            sliding = skew(data["s"][k] if misprint == "3-2" else data["sdot"][k])
            rate += R @ origin[lower - 1] + w @ R @ found.origin_velocity.values[lower - 1]
            rate -= (
                sliding @ found.omega.values[lower - 1]
                + symbols[arm] @ found.omega_dot.values[lower - 1]
            )
        origin.append(rate)
        turned = symbols[spin] @ symbols[turn] @ found.origin_velocity.values[k]
        first = turned if misprint == "3-1" else symbols[turn] @ rate
        moved.append(first + turned - skew(data["r"][k]) @ found.omega_dot.values[k])
    return np.array(moved)


@pytest.mark.parametrize("misprint", ["", "3-1", "3-2"])
def test_the_relative_notes_as_printed_give_another_answer(misprint):
    data, found = ORACLES["eight_31"], ht.kane.partials(MODELS["eight_31"])
    rates = accelerations(found, relative_rates(found, data, misprint), data, True)
    assert (
        error(rates, data["kane003"]["ydot"]) > 1.0
        if misprint
        else error(rates, data["kane003"]["ydot"]) < CLOSE
    )


@pytest.mark.parametrize("misprint", ["", "4-1"])
def test_the_example_notes_as_printed_give_another_answer(misprint):
    """With s̃' in the place of sk(ṡ'), as if the dot were lost."""
    data = ORACLES["six_21"]
    found = ht.kane.partials(MODELS["six_21"], formulation="kane_absolute")
    rate = found.velocity_dot.values.copy()
    for k in range(len(found.bodies)) if misprint else ():
        outer = k + 1
        while lower := found.lower[outer - 1]:
            wrong = skew(np.array(data["s"][outer - 1]) - data["sdot"][outer - 1])
            rate[k, :, 3 * lower - 3 : 3 * lower] -= found.rotations.values[lower - 1].T @ wrong
            outer = lower
    rates = accelerations(found, rate, data, False)
    assert (
        error(rates, data["kane004"]["ydot"]) > 1.0
        if misprint
        else error(rates, data["kane004"]["ydot"]) < CLOSE
    )
