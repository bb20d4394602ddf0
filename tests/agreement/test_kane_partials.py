"""`ht.kane.partials` for every joint: against differences along the motion, against `ht.dynamics`,
and what it prints against its numbers.

Derivatives are taken by central differences of sixth order. The printed text is read back by a
reader of its own.
"""

import re

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import GROUND, JOINTS
from tests.agreement.kane_reader import SumReader

CLOSE, DIFFERENCES = 1e-10, 1e-8
OFFSETS, WEIGHTS, STEP = (
    np.array([-3, -2, -1, 1, 2, 3]),
    np.array([-1, 9, -45, 45, -9, 1]) / 60,
    2e-3,
)
MATRICES = ("omega", "velocity", "origin_velocity")
EXTRA = {
    "screw": {"pitch": 0.4},
    "gimbal": {"sequence": "xzy"},
    "planar": {"axis": (1, 1, 0)},
    "axes": {
        "axes": [
            ("turn", (1, 2, 3), (0.1, 0.2, 0.3)),
            ("slide", (0, 1, 1)),
            ("screw", (1, 0, 0), (0, 0.2, 0), 0.4),
        ]
    },
}
POINTED = {
    "axes": [
        ("slide", (0, 1, 1)),
        ("turn", (1, 0, 0), (0, 0.2, 0.1)),
        ("turn", (0, 1, 2), (0, 0.2, 0.1)),
    ]
}
ASIDE = {"axes": [("turn", (1, 2, 3), (0.1, 0.2, 0.3))]}  # a hinge that misses the joint's origin
OUTSIDE = {
    "axes": [("turn", (1, 2, 3), (0.1, 0.2, 0.3)), ("slide", (0, 1, 1)), ("slide", (1, 0, 1))]
}
COUPLINGS = [
    ht.Mimic("gimbal.2", "planar.angle", 0.7, 0.3),
    ht.Gear("cylindrical.angle", "screw", (20, 30)),
]
COUPLINGS += [
    ht.Rack("prismatic", "cylindrical.angle", 0.3),
    ht.Mimic("revolute", "translation.y", 0.5),
]


def frame(rng):
    return ht.Frame.about(rng.normal(size=3), rng.uniform(-3, 3), 0.3 * rng.normal(size=3))


def body(rng, name):
    return ht.Body(
        name, rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), tuple(rng.uniform(0.1, 0.15, 3))
    )


def forces_on(bodies, joints, rng):
    """One of each way to act: along axes, along a whole joint with a ball, on a body, between
    bodies, against its speed.
    """
    axes = [
        label
        for joint in joints
        for label in (joint.suffixes()[: len(joint.screws())] and [joint.name])
    ]
    loads = [
        ht.BodyLoad(b.name, *rng.normal(size=(3, 3)), axes=way)
        for b, way in zip(bodies, ["world", "body"] * 9, strict=False)
    ]
    efforts = [ht.JointDamper(name, rng.uniform(0.1, 0.5)) for name in axes] + [
        ht.JointDamper("ball", 0.3),
        ht.JointEffort("screw", 0.7),
    ]
    efforts += [
        ht.JointSpring("free.y", 3.0, 0.2),
        ht.JointEffort("gimbal.3", 0.4),
        ht.JointEffort("universal.1", -0.8),
    ]
    between = [
        ht.PointSpring(bodies[0].name, bodies[-1].name, (0.1, 0, 0), (0, 0.2, 0), 5.0, 0.3),
        ht.Drag(bodies[2].name, linear=0.4),
    ]
    return loads + efforts + between


def every_joint(seed, backwards=False, coupled=False, mixed=False, known=False):
    """A joint of each kind on a binary tree; `mixed`: bodies declared outside in; `known`: only
    what kane_absolute can have.
    """
    rng = np.random.default_rng(seed)
    kinds = [(kind, kind, EXTRA.get(kind, {})) for kind in JOINTS if not (known and kind == "axes")]
    kinds += (
        [("axes", "pointed", POINTED), ("axes", "outside", OUTSIDE), ("axes", "aside", ASIDE)]
        if known
        else []
    )
    kinds = [kinds[k] for k in rng.permutation(len(kinds))]
    bodies, joints = [body(rng, f"b{k + 1}") for k in range(len(kinds))], []
    for k, (kind, name, extra) in enumerate(kinds):
        ends = (bodies[(k - 1) // 2].name if k > 1 else GROUND, bodies[k].name)
        armature = {"armature": 0.2} if kind in ("revolute", "universal") and not known else {}
        turned = backwards and k % 2 == seed % 2
        joints.append(
            JOINTS[kind](
                name, *(ends[::-1] if turned else ends), frame(rng), frame(rng), **extra, **armature
            )
        )
    acting = forces_on(bodies, joints, rng) if not coupled else ()
    bodies = bodies[::-1] if mixed else bodies
    return ht.Model(
        bodies, joints, acting, (1.0, -2.0, 9.0), f"seed {seed}", COUPLINGS if coupled else ()
    )


MODELS = {
    "of every joint": every_joint(1),
    "backwards": every_joint(2, backwards=True),
    "backwards the other way": every_joint(3, backwards=True, mixed=True),
    "coupled": every_joint(4, coupled=True),
    "coupled and backwards": every_joint(5, backwards=True, coupled=True),
    "known": every_joint(6, known=True),
    "known, backwards": every_joint(8, backwards=True, known=True),
    "known, backwards the other way": every_joint(9, backwards=True, known=True, mixed=True),
    "known, coupled": every_joint(10, backwards=True, coupled=True, known=True),
}
CASES = [
    (name, "kane_absolute" if name.startswith("known") else "kane_relative") for name in MODELS
]


class Case:
    """Partials of a model at a random state, and its services."""

    def __init__(self, name, formulation):
        self.model, rng = MODELS[name], np.random.default_rng(len(name))
        self.services, n = ht.dynamics(self.model), len(self.model.speeds)
        self.q, self.u = (
            self.services.integrate(self.model.start()[0], 0.6 * rng.normal(size=n)),
            rng.normal(size=n),
        )
        self.formulation = formulation
        self.found = self.at(0.0)

    def at(self, time):
        # which are no part of the matrices
        model = self.model if time == 0.0 else self.model.with_(forces=())
        return ht.kane.partials(
            model, (self.services.integrate(self.q, time * self.u), self.u), self.formulation
        )


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[1]} {case[0]}")
def case(request):
    return Case(*request.param)


def error(got, expected):
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    return abs(got - expected).max(initial=0.0) / max(1.0, abs(expected).max(initial=0.0))


# ---- numbers -------------------------------------------------------------------------------------
def test_the_derivatives_are_those_along_the_motion(case):
    states = [case.at(offset * STEP) for offset in OFFSETS]
    for what in MATRICES:
        rate = (
            sum(
                weight * getattr(state, what).values
                for state, weight in zip(states, WEIGHTS, strict=True)
            )
            / STEP
        )
        assert error(getattr(case.found, f"{what}_dot"), rate) < DIFFERENCES
    integrate = (
        sum(weight * state.positions.values for state, weight in zip(states, WEIGHTS, strict=True))
        / STEP
    )
    turn = (
        case.found.rotations.values
        if case.formulation == "kane_relative"
        else np.tile(np.eye(3), (len(integrate), 1, 1))
    )
    assert (
        error(
            case.found.velocity.values @ case.found.y.values,
            np.einsum("kij,kj->ki", turn, integrate),
        )
        < DIFFERENCES
    )


def test_velocities_of_bodies_are_the_twists_of_the_model(case):
    found, twists = case.found, case.services.twists(case.q, case.u)
    names = [b.name for b in case.model.bodies]
    for k, name in enumerate(found.bodies):
        R, twist, at = (
            found.rotations.values[k],
            twists[names.index(name)],
            case.model.body(name).com,
        )
        velocity = twist[3:] + np.cross(twist[:3], R.T @ at)
        assert error(found.omega.values[k] @ found.y.values, R @ twist[:3]) < CLOSE
        assert (
            error(
                found.velocity.values[k] @ found.y.values,
                R @ velocity if case.formulation == "kane_relative" else velocity,
            )
            < CLOSE
        )


def test_the_mass_matrix_is_that_of_the_services(case):
    """In absolute speeds the matrix is another one, the energy is not."""
    M, A, y = case.services.mass_matrix(case.q), case.found.mass_matrix.values, case.found.y.values
    assert error(y @ A @ y, case.u @ M @ case.u) < CLOSE
    if case.formulation == "kane_relative":
        order = [case.model.speeds.index(label) for label in case.found.speeds]
        assert error(A, M[np.ix_(order, order)]) < CLOSE


def test_the_rates_are_those_of_forward_dynamics(case):
    relative = ht.kane.partials(case.model, {"q": case.q, "qdot": case.u})
    expected = dict(
        zip(case.model.speeds, case.services.forward_dynamics(case.q, case.u), strict=True)
    )
    assert error(relative.rates, [expected[label] for label in relative.speeds]) < CLOSE
    if case.formulation == "kane_absolute":
        angular = (
            relative.omega.values @ relative.rates.values
            + relative.omega_dot.values @ relative.y.values
        )
        slides = [label for label in case.found.speeds if label in expected]
        assert error(case.found.rates.values[: angular.size], angular.ravel()) < CLOSE
        assert (
            error(case.found.rates.sel(speed=slides), [expected[label] for label in slides]) < CLOSE
        )


def test_constraint_forces_do_no_work_and_vanish_where_nothing_is_locked(case):
    forces = case.found.constraint_forces.values
    assert abs(forces @ case.found.y.values) < 1e-8 * max(1.0, abs(forces).max())
    assert (abs(forces).max() < 1e-8) == (case.formulation == "kane_relative")


def test_lower_bodies_have_lower_numbers_and_end_on_the_ground(case):
    found = case.found
    joined = {frozenset((joint.parent, joint.child)) for joint in case.model.joints}
    for k, (name, lower) in enumerate(zip(found.bodies, found.lower, strict=True)):
        assert (
            lower <= k and frozenset((name, found.bodies[lower - 1] if lower else GROUND)) in joined
        )
        steps, below = 0, lower
        while below:
            steps += 1
            assert found.powers[steps, k] == below
            below = found.lower[below - 1]
        assert (
            found.steps[k] == steps
            and not found.powers[steps + 1 :, k].any()
            and found.powers[0, k] == k + 1
        )


def test_the_models_own_order_is_kept_if_lower_bodies_come_first():
    assert ht.kane.partials(MODELS["of every joint"]).bodies == tuple(
        b.name for b in MODELS["of every joint"].bodies
    )


# ---- symbols -------------------------------------------------------------------------------------
class Reader(SumReader):
    """Computes what is printed: sums of products of symbols and of rows of blocks."""

    def __init__(self, partials):
        self.symbols = partials.symbols
        self.names = sorted(self.symbols, key=len, reverse=True)
        lines = dict(
            line.split(" = ", 1) for line in str(partials).splitlines()[:40] if line.startswith("{")
        )
        self.widths = {
            half: [
                len(x.split(": ")[1].split())
                for x in lines[f"{{{half}}}"].strip("{}").split(" | ")
                if x
            ]
            for half in ("y1", "y2")
        }
        self.widths["y"] = self.widths["y1"] + self.widths["y2"]

    def statements(self, text):
        """(columns, matrix) of every right side."""
        for statement in re.split(r"\n(?=\[)", text):
            left, *rights = re.split(r"\s=\s", statement)
            half = left.strip("[]").rpartition(",")[2]
            for right in rights:
                yield half, self.whole(" ".join(right.split()), self.widths[half])

    def whole(self, text, widths):
        self.text, self.at, self.columns = text, 0, widths
        found = self.sum(None)
        assert self.at == len(text), text[self.at :]
        return found

    def product(self, width):
        found = np.eye(3)
        while self.at < len(self.text) and self.text[self.at] in "[(":
            found = found @ self.factor(width)
        return found

    def factor(self, width):
        if self.take("[ "):
            return self.row()
        if zero := re.compile(r"\[0\]3×(\d+)").match(self.text, self.at):
            self.at = zero.end()
            return np.zeros((3, int(zero[1])))
        if self.take("[0]"):
            return np.zeros((3, width))
        for name in self.names:
            if self.take(name):
                return self.symbols[name]
        assert self.take("("), f"unknown: {self.text[self.at :]}"
        found = self.sum(width)
        assert self.take(")")
        return found

    def row(self):
        parts, left = [], list(self.columns)
        while not self.take(" ]"):
            assert not parts or self.take(", ")
            part = self.sum(left[0])
            parts.append(part)
            count = 0
            while count < part.shape[1]:
                count += left.pop(0)
            assert count == part.shape[1]
        assert not left
        return np.hstack(parts)


def columns(matrix, half, reader):
    first = sum(reader.widths["y1"])
    return {"y": matrix, "y1": matrix[:, :first], "y2": matrix[:, first:]}[half]


def test_what_is_printed_is_what_is_computed(case):
    reader, found = Reader(case.found), case.found
    for what in (
        "omega",
        "velocity",
        "origin_velocity",
        "omega_dot",
        "velocity_dot",
        "origin_velocity_dot",
    ):
        for k, name in enumerate(found.bodies):
            matrix = getattr(found, what).values[k]
            halves = [half for half, _ in reader.statements(found.text(name, what))]
            assert (
                "y" in halves
                or {"y1", "y2"} <= set(halves)
                or not columns(matrix, "y2", reader).any()
            )
            for half, printed in reader.statements(found.text(name, what)):
                assert error(printed, columns(matrix, half, reader)) < 1e-12, found.text(name, what)


def test_what_is_printed_does_not_depend_on_the_state(case):
    """Also at rest and at the start, where much vanishes."""
    still = ht.kane.partials(case.model, {"qdot": np.zeros(len(case.u))}, case.formulation)
    assert str(still) == str(case.found)


def test_every_line_of_the_whole_print_is_one_that_can_be_asked_for(case):
    found = case.found
    for what in ("omega", "velocity_dot"):
        assert found.text(2, what) in str(found) and found.text(
            found.bodies[1], what
        ) == found.text(2, what)
    number = next(k + 1 for k in range(len(found.bodies)) if found.omega.values[k].any())
    entries = found.numbers(number, "omega").split()
    assert {*found.speeds} & {*entries} and any(
        f"{x:.6g}" in entries for x in found.omega.values[number - 1].ravel() if x
    )


# ---- what is refused -----------------------------------------------------------------------------
def test_what_does_not_fit_is_refused_by_name():
    model = MODELS["of every joint"]
    loop = model.with_(joints=[*model.joints, ht.Ball("extra", GROUND, "b9")], forces=())
    with pytest.raises(ht.FitError, match="'extra'.*closes a loop"):
        ht.kane.partials(loop)
    with pytest.raises(ht.FitError, match="armature"):
        ht.kane.partials(model, formulation="kane_absolute")
    with pytest.raises(ht.FitError, match="split the joint"):
        still = {name: {"armature": 0.0} for name in ("revolute", "universal")}
        ht.kane.partials(model.with_(joints=still), formulation="kane_absolute")
    for wrong in (
        {"formulation": "kane"},
        {"state": 3.0},
        {"state": {"p": 1}},
        {"state": {"q": [1.0]}},
    ):
        with pytest.raises(ht.OptionError):
            ht.kane.partials(model, **wrong)
    found = ht.kane.partials(model.with_(forces=()))
    for asked in (("b99",), (0,), (99,), ("b1", "speed")):
        with pytest.raises(ht.OptionError):
            found.text(*asked)


def test_a_motion_without_inertia_has_matrices_and_no_rates():
    model = ht.Model([ht.Body("rod", 1.0, (0.0, 0.0, 0.5))], [ht.Ball("ball", GROUND, "rod")])
    found = ht.kane.partials(model)
    assert (
        found.rates is None
        and found.constraint_forces is None
        and np.linalg.matrix_rank(found.mass_matrix) == 2
    )
    assert found.acceleration_G is None and "singular" in found.numbers("rod", "acceleration_G")
    assert found.text("rod", "acceleration_G").startswith("{a'_G1} = [v'_G1,y]{ẏ}")


@pytest.mark.parametrize("formulation", ["kane_relative", "kane_absolute"])
def test_a_model_that_cannot_move_has_empty_matrices(formulation):
    model = ht.Model([ht.Body("post", 1.0, inertia=1.0)], [ht.Weld("foot", GROUND, "post")])
    found = ht.kane.partials(model, formulation=formulation)
    assert found.angular_velocity.values.tolist() == [[0.0, 0.0, 0.0]]
    assert found.rates.size == found.forces.size == len(found.speeds)
    assert not found.acceleration_G.values.any()
    assert "{p'_G1}" in str(found) or "{p_1}" in str(found)
