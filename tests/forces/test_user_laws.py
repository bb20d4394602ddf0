"""Laws that a user writes, in a whole model: against the built-in laws, against geometry, in every
way of running them.
"""

import numpy as np
import pytest
import sympy
from numba import njit

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load, store
from hamiltree.compiled.pointer import unpack
from hamiltree.errors import ModelError
from hamiltree.files import model_from_toml, model_to_toml
from hamiltree.forces import BODY_LAWS, JOINT_LAWS, tabulate
from hamiltree.forces.dispatch import tables_of
from hamiltree.forces.laws import Placement
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.model import (
    Body,
    BodyLaw,
    BodyLoad,
    BodyTable,
    Frame,
    JointDamper,
    JointEffort,
    JointLaw,
    JointPotential,
    JointSpring,
    JointTable,
    Model,
    Prismatic,
    Revolute,
    Screw,
    Weld,
)
from hamiltree.verbs import power, rates

TIME = 0.7


def arm(*forces):
    """Hinge, slider, a welded flange, a screw beyond it; nothing lies along an axis of another."""
    inertia = (0.05, 0.06, 0.07)
    bodies = [
        Body(name, 1.0 + k, (0.1, 0.05 * k, -0.2), inertia)
        for k, name in enumerate(("upper", "sled", "flange", "hand"))
    ]
    joints = [
        Revolute("shoulder", "ground", "upper", (0.1, 0, 0.4), axis=(1, 2, 0.5), q=0.4, qdot=-0.3),
        Weld("bolt", "sled", "flange", Frame.about((1, -2, 0.5), 0.9, (0.2, -0.1, 0.3))),
        Prismatic(
            "slide",
            "upper",
            "sled",
            Frame.about((1, 0, 1), 0.5, (0, 0.2, -0.4)),
            axis=(0.2, 0.1, 1),
            q=0.2,
            qdot=0.5,
        ),
        Screw(
            "elbow", "flange", "hand", (0.05, 0.3, 0.1), axis=(0, 1, 1), q=-0.8, qdot=1.1, pitch=0.2
        ),
    ]
    return Model(bodies, joints, forces, name="arm")


Q, P = np.random.default_rng(5).normal(size=(2, 3, WIDTH))


@kernel
def call_power(handle, time, y, ydot, out):
    system, work, _ = unpack(handle)
    t = load(time, 0)
    rates(system, work, t, y, ydot)
    store(out, 0, power(system, work, t, y, ydot))


def interpreted_power(parts, time, y, ydot, out):
    rates(*parts, load(time, 0), y, ydot)
    out[0] = power(*parts, load(time, 0), y, ydot)


@pytest.fixture(scope="session")
def answer(bind):
    """answer(forces, lane=None, interpreted=False): (q̇, ṗ, V, power) of the arm at TIME, of one
    lane by floats or of all lanes at once.
    """

    def ask(forces, lane=None, interpreted=False, time=TIME):
        bound = bind(arm(*forces), width=1 if lane is not None else WIDTH, interpreted=interpreted)
        bound.time[:] = time if lane is None or np.ndim(time) == 0 else time[lane]
        q, p = (Q, P) if lane is None else (Q[:, lane].copy(), P[:, lane].copy())
        qdot, pdot = bound.rates(q, p)
        y, out = np.concatenate([q, p]), np.zeros((1, *q.shape[1:]))
        (interpreted_power if interpreted else call_power)(
            bound.handle, bound.time, y, np.zeros_like(y), out
        )
        return np.concatenate([qdot, pdot, bound.energies(q, p)[1:2], out])

    return ask


def close(a, b, rel=1e-12):
    return a == pytest.approx(b, rel=rel, abs=1e-12)


# ---- the same as laws that exist -----------------------------------------------------------------
def spring_function(t, x, out):
    out[0] = -3.0 * (x[0] - 0.2)


def drag_function(t, x, out):
    for i in range(3):
        out[i] = -0.4 * x[10 + i]
        out[3 + i] = -0.1 * x[7 + i]


DRAG = BodyLaw(
    "flange",
    ("-c*vx", "-c*vy", "-c*vz"),
    ("-d*wx", "-d*wy", "-d*wz"),
    (0.1, 0.2, -0.3),
    parameters={"c": 0.4, "d": 0.1},
)
# The same powers too: a spring as a load is told apart by its energy.
SAME = {
    "damper": ([JointLaw("elbow", "-c*v", {"c": 1.3})], [JointDamper("elbow", 1.3)]),
    "effort": ([JointLaw("slide", 2.5)], [JointEffort("slide", 2.5)]),
    "sum": (
        [JointLaw("slide", "1 - v"), JointLaw("elbow", "-v/2")],
        [JointEffort("slide", 1), JointDamper("slide", 1), JointDamper("elbow", 0.5)],
    ),
    "time": ([JointLaw("slide", "a*t**2", {"a": 2})], [JointEffort("slide", 2 * TIME**2)]),
    "own name": ([JointLaw("elbow", "-elbow_dot")], [JointDamper("elbow", 1.0)]),
    "sympy": (
        [JointLaw("elbow", -sympy.Float(0.1) * sympy.Symbol("v") / 3)],
        [JointDamper("elbow", 0.1 / 3)],
    ),
    "potential": (
        [JointPotential("slide", "k*(q - 0.2)**2/2", {"k": 3.0})],
        [JointSpring("slide", 3.0, 0.2)],
    ),
    "table": ([JointTable("slide", (0, 1), (2.5, 2.5))], [JointEffort("slide", 2.5)]),
    "functions": ([BodyLaw("flange", function=drag_function, at=(0.1, 0.2, -0.3))], [DRAG]),
    "jitted": ([BodyLaw("flange", function=njit(drag_function), at=(0.1, 0.2, -0.3))], [DRAG]),
    "jitted effort": (
        [JointLaw("slide", njit(spring_function))],
        [JointLaw("slide", "-3*(q - 0.2)")],
    ),
    "plain effort": ([JointLaw("slide", spring_function)], [JointLaw("slide", "-3*(q - 0.2)")]),
}
SAME_RATES = {}  # the load stores the work of its force in V, the law does not
for _axes, _cases in (("world", SAME_RATES), ("body", SAME)):
    for _body in ("upper", "flange", "hand"):
        _force, _torque, _at = (1.0, -2.0, 0.5), (0.1, 0.2, -0.3), (0.3, 0.1, -0.4)
        _load = [BodyLoad(_body, _force, _torque, _at, _axes)]
        _cases[f"load on {_body}, {_axes}"] = (
            [BodyLaw(_body, ("k", -2, "1/2"), _torque, _at, _axes, {"k": 1})],
            _load,
        )
        _table = BodyTable(_body, (0, 1, 2), (_force,) * 3, (_torque,) * 3, _at, _axes)
        _cases[f"table on {_body}, {_axes}"] = ([_table], _load)


@pytest.mark.parametrize("case", SAME)
def test_a_law_in_words_is_the_law_it_says(answer, case):
    written, built_in = (answer(forces) for forces in SAME[case])
    assert close(written, built_in) and not close(written, answer([]))


@pytest.mark.parametrize("case", SAME_RATES)
def test_a_constant_force_in_words_acts_as_a_load_but_stores_nothing(answer, case):
    written, built_in = (answer(forces) for forces in SAME_RATES[case])
    nothing = answer([])
    assert close(written[:-2], built_in[:-2]) and not close(written[:-2], nothing[:-2])
    assert close(written[-2], nothing[-2]) and not close(built_in[-2], nothing[-2])


def test_a_spring_as_a_law_pushes_as_a_spring_but_stores_nothing(answer):
    law, spring = (
        answer([JointLaw("slide", "-3*(q - 0.2)")]),
        answer([JointSpring("slide", 3.0, 0.2)]),
    )
    assert (
        close(law[:6], spring[:6]) and close(law[6], answer([])[6]) and not close(law[6], spring[6])
    )
    assert close(law[7], -3 * (Q[1] - 0.2) * law[1]) and not spring[7].any()


# ---- what a law sees -----------------------------------------------------------------------------
def test_a_law_sees_other_joints_by_name(answer):
    free = answer([])
    found = answer(
        [JointLaw("elbow", "k*(shoulder - slide) + shoulder_dot*q - slide_dot", {"k": 1.7})]
    )
    expected = 1.7 * (Q[0] - Q[1]) + free[0] * Q[2] - free[1]
    assert (
        close(found[5] - free[5], expected)
        and close(found[7], expected * free[2])
        and close(found[:5], free[:5])
    )


def test_a_function_sees_the_inputs_it_names_in_its_order(answer):
    def effort(t, x, out):
        out[0] = t * x[0] + 10.0 * x[1] + 100.0 * x[2] + 1000.0 * x[3]

    free, found = (
        answer([]),
        answer([JointLaw("slide", effort, inputs=("elbow_dot", "q", "v", "shoulder"))]),
    )
    assert close(found[4] - free[4], TIME * free[2] + 10 * Q[1] + 100 * free[1] + 1000 * Q[0])


@pytest.mark.parametrize("axes", ["world", "body"])
@pytest.mark.parametrize("lane", range(WIDTH))
def test_drag_on_a_welded_body_is_that_of_the_geometry(answer, geometry, axes, lane):
    """−c |v| v at a point of the flange, and in its axes −c |v| R v, as generalised force by the
    Jacobian of the point.
    """
    at, speed = (0.1, 0.2, -0.3), "sqrt(vx**2 + vy**2 + vz**2)"
    law = BodyLaw(
        "flange",
        [f"-c*{speed}*{component}" for component in ("vx", "vy", "vz")],
        at=at,
        axes=axes,
        parameters={"c": 0.8},
    )
    found, free = answer([law], lane), answer([], lane)
    where = geometry(arm(), Q[:, lane])
    jacobian = where.point("flange", np.array(at))[1][3:]
    velocity = jacobian @ free[:3]
    force = -0.8 * np.linalg.norm(velocity) * velocity
    force = where.pose["flange"][:3, :3] @ force if axes == "body" else force
    assert close(found[3:6] - free[3:6], jacobian.T @ force) and close(found[7], force @ velocity)


@pytest.mark.parametrize("lane", range(WIDTH))
def test_a_body_law_sees_thirteen_numbers_of_its_point(geometry, bind, lane):
    at, names = (
        np.array((0.1, 0.2, -0.3)),
        ("x", "y", "z", "qw", "qx", "qy", "qz", "wx", "wy", "wz", "vx", "vy", "vz"),
    )
    where, seen = geometry(arm(), Q[:, lane]), []
    # as a force along the slider's axis: the only effort of a pure force on "slide" is its
    # component there
    for name in names:
        bound = bind(arm(BodyLaw("flange", (name, 0, 0), at=tuple(at))))
        free = bind(arm()).rates(Q[:, lane], P[:, lane])
        pushed = bound.rates(Q[:, lane], P[:, lane])[1] - free[1]
        seen.append(pushed[1] / where.point("flange", at)[1][3, 1])
    place, jacobian = where.point("flange", at)
    R, twist = where.pose["flange"][:3, :3], jacobian @ free[0]
    qw, qx, qy, qz = seen[3:7]
    turned = Frame((0, 0, 0), (qw, qx, qy, qz)).matrix
    assert (
        close(seen[:3], place)
        and close(turned, R, 1e-11)
        and qw >= 0
        and qw**2 + qx**2 + qy**2 + qz**2 == pytest.approx(1, abs=1e-13)
    )
    assert close(seen[7:10], twist[:3]) and close(seen[10:], twist[3:])


def test_the_force_of_a_potential_is_minus_the_slope_of_its_energy(bind):
    energy, h = "k*q**4/4 + sin(2*q) - log(1 + q**2)", 1e-5
    bound, free, p = (
        bind(arm(JointPotential("elbow", energy, {"k": 2.0}))),
        bind(arm()),
        P[:, 0].copy(),
    )
    for x in (-1.2, 0.3, 0.9):
        q = np.array([0.1, 0.2, x])
        step = np.array([0, 0, h])
        held = [
            bound.energies(q + s * step, p)[1] - free.energies(q + s * step, p)[1] for s in (-1, 1)
        ]
        pushed = bound.rates(q, p)[1] - free.rates(q, p)[1]
        assert pushed[2] == pytest.approx(-(held[1] - held[0]) / (2 * h), abs=1e-8) and close(
            pushed[:2], 0
        )
        assert bound.energies(q, p)[1] - free.energies(q, p)[1] == pytest.approx(
            2 * x**4 / 4 + np.sin(2 * x) - np.log1p(x**2), rel=1e-12
        )


# ---- every way of running ------------------------------------------------------------------------
COUNT = np.arange(12.0).reshape(4, 3)
EVERY = [
    JointLaw("elbow", "cos(3*t)*shoulder - exp(-slide_dot**2)*v + k", {"k": 0.3}),
    JointLaw("slide", spring_function),
    JointLaw("elbow", "-q"),
    JointPotential("shoulder", "a*q**4/4 - cos(q)", {"a": 1.5}),
    BodyLaw(
        "flange",
        ("-vx*abs(vx)", "z*qw", "sin(t)*wy"),
        ("qx", "x*y", "-c*wz"),
        (0.1, 0, 0.2),
        "body",
        {"c": 0.2},
    ),
    BodyLaw("hand", function=drag_function),
    JointTable("slide", (0, 0.5, 1.5, 2), (1, 3, -2, 1), "cubic", "periodic"),
    BodyTable(
        "hand",
        (0, 0.5, 1.5, 2),
        np.arange(12).reshape(4, 3),
        np.cos(np.arange(12)).reshape(4, 3),
        interpolation="cubic",
        axes="body",
    ),
]
TIMES = np.array([-0.3, 0.7, 1.9, 11.2])


def test_lanes_equal_floats_bit_for_bit(answer):
    together = answer(EVERY, time=TIMES)
    alone = np.stack([answer(EVERY, lane, time=TIMES) for lane in range(WIDTH)], axis=-1)
    assert np.array_equal(together, alone) and np.isfinite(together).all()


@kernel
def call_rates_at(handle, t, y, ydot):
    system, work, _ = unpack(handle)
    rates(system, work, t, y, ydot)


def test_lanes_may_share_one_time(bind, answer):
    bound, y = bind(arm(*EVERY), WIDTH), np.concatenate([Q, P])
    ydot = np.zeros_like(y)
    call_rates_at(bound.handle, TIME, y, ydot)
    assert np.array_equal(ydot, answer(EVERY)[:6])


def test_interpreted_laws_equal_compiled_ones(answer):
    assert close(answer(EVERY, interpreted=True, time=TIMES), answer(EVERY, time=TIMES))
    assert close(answer(EVERY, 2, interpreted=True, time=TIMES), answer(EVERY, 2, time=TIMES))


def test_every_model_has_the_same_types_of_tables():
    """So that one binary serves them all."""

    def kinds(x):
        return (
            [kinds(part) for part in x]
            if isinstance(x, tuple)
            else (x.dtype, x.ndim, x.flags.writeable)
        )

    placement = Placement(
        ["shoulder", "slide", "elbow"].index,
        lambda name: (0, Frame()),
        ("shoulder", "slide", "elbow"),
    )
    for laws in (JOINT_LAWS, BODY_LAWS):
        full, empty = tabulate(laws, EVERY, placement), tabulate(laws, [], placement)
        assert kinds(full) == kinds(empty) and list(map(type, full)) == list(map(type, empty))


def test_laws_of_one_formula_share_their_code():
    forces = [
        JointLaw(joint, "b - a*v", parameters)
        for joint, parameters in (("elbow", {"a": 1, "b": 2}), ("slide", {"b": 5, "a": 4}))
    ]
    laws = hamiltonian_tree.assemble(assemble_at_start(arm(*forces))).joint_laws
    (table,) = tables_of(laws)
    assert table.code[0].tolist() == table.code[1].tolist() and table.parameters.tolist() == [
        [1, 2],
        [4, 5],
    ]


# ---- energy --------------------------------------------------------------------------------------
def classical_step(bound, y, work, t, h):
    """Runge and Kutta's fourth-order step of the state and of the work that the loads do."""
    slopes = []
    for c, ahead in ((0, 0), (0.5, 0), (0.5, 1), (1, 2)):
        at = y + c * h * slopes[ahead] if c else y
        bound.time[:] = t + c * h
        ydot, out = np.zeros_like(y), np.zeros(1)
        call_power(bound.handle, bound.time, at, ydot, out)
        slopes.append(ydot)
        work = work + h * out[0] * (1 / 6 if c in (0, 1) else 1 / 3)
    a, b, c, d = slopes
    return y + h / 6 * (a + 2 * b + 2 * c + d), work


@pytest.mark.parametrize(
    "forces", [EVERY, [JointPotential("elbow", "q**4"), JointPotential("slide", "5*q**2 - cos(q)")]]
)
def test_energy_changes_by_the_work_of_the_loads(bind, forces):
    """H − H₀ − ∫ power dt vanishes with the fourth power of the step."""
    bound, errors = bind(arm(*forces)), []
    for steps in (100, 200):
        y, work, h = np.concatenate(arm().start()), 0.0, 0.4 / steps
        before = bound.hamiltonian(y[:3], y[3:])
        for k in range(steps):
            y, work = classical_step(bound, y, work, 0.05 + k * h, h)
        errors.append(abs(bound.hamiltonian(y[:3], y[3:]) - before - work))
    assert errors[1] < 1e-7 and errors[1] < errors[0] / 10


def test_a_run_keeps_the_balance_of_every_law():
    done = ht.simulate(arm(*EVERY), until=0.4, step=1e-3, integrator="gauss8", progress=False)
    assert done.energy_error < 1e-12 and abs(done.work.values[-1]) > 0.1


# ---- files ---------------------------------------------------------------------------------------
FORMULAS = [
    force
    for force in EVERY
    if not callable(getattr(force, "effort", None)) and getattr(force, "function", None) is None
]


def test_a_model_with_formulas_and_tables_can_be_written_and_read_back():
    model = arm(
        *FORMULAS, JointLaw("elbow", sympy.Abs(sympy.Symbol("q")) / 3, {"κ": 1.5}, name="odd")
    )
    read = model_from_toml(model_to_toml(model))
    assert (
        read == model
        and hash(read.forces) == hash(model.forces)
        and len(read.forces) == len(FORMULAS) + 1
    )
    assert model_to_toml(read) == model_to_toml(model)


def test_a_sympy_expression_keeps_every_digit_of_its_numbers():
    q = sympy.Symbol("q")
    law = JointLaw(
        "elbow",
        (q - sympy.Float(-1 / 3)) ** 2
        + sympy.Max(q, -sympy.pi) * sympy.E
        + (-sympy.Float(0.7)) ** q,
    )
    for digits in (repr(1 / 3), repr(np.pi), repr(np.e), "max("):
        assert digits in law.effort


@pytest.mark.parametrize(
    "force",
    [
        JointLaw("elbow", spring_function, name="motor"),
        BodyLaw("hand", function=drag_function, name="motor"),
    ],
)
def test_a_python_function_is_never_written_to_a_file(force):
    with pytest.raises(
        ModelError,
        match=r"force 'motor': (effort|function) is the Python function "
        r"'(spring|drag)_function'.*keep the model in Python",
    ):
        model_to_toml(arm(force))


# ---- errors --------------------------------------------------------------------------------------
def not_compiling(t, x, out):
    out[:] = {"a": 0.0, 2: x[0]}[2]


def returning(t, x, out):
    return -x[0]


def writing_nothing(t, x, out):
    pass


def of_two_arguments(t, x):
    return -x[0]


def reading_too_far(t, x, out):
    out[0] = x[2]


def writing_too_much(t, x, out):
    out[:] = 2.0 * x


def knowing_one_region(t, x, out):
    if x[0] > 100.0:
        out[0] = 1.0


REFUSED_WHEN_ASSEMBLED = [
    (JointLaw("elbow", "-3*(q -"), "effort", r"effort: not a formula at column"),
    (
        JointLaw("elbow", "-3*sholder"),
        "effort",
        r"unknown symbol 'sholder' at column 4; known: t, q, v.*did you mean 'shoulder'",
    ),
    (JointLaw("elbow", "-k*q"), "effort", r"unknown symbol 'k' at column 2"),
    (
        JointLaw("elbow", "-bolt"),
        "effort",
        r"unknown symbol 'bolt'.*known: t, q, v, shoulder, slide, elbow",
    ),
    (
        JointLaw("elbow", "q", {"slide": 2}),
        "parameters",
        "parameter 'slide' is also the name of a joint",
    ),
    (JointLaw("elbow", "q", {"q": 2}), "parameters", "'q' is also a variable"),
    (JointLaw("elbow", "q", {"sin": 2}), "parameters", "'sin': is a function"),
    (
        JointLaw("elbow", spring_function, inputs=("q", "knee")),
        "inputs",
        "'knee' is no position and no rate of a joint; known: q, v, shoulder",
    ),
    (JointLaw("elbow", not_compiling), "effort", r"Numba cannot compile .*not_compiling"),
    (
        JointLaw("elbow", returning),
        "effort",
        r"returning\(t, x, out\) returns a value and does not write out\[0\]; write out\[0\] = …",
    ),
    (JointLaw("elbow", writing_nothing), "effort", r"does not write out\[0\]; write every number"),
    (
        JointLaw("elbow", of_two_arguments),
        "effort",
        r"takes the arguments \(t, x\); it is called with \(t, x, out\), and writes into out",
    ),
    (
        JointLaw("elbow", reading_too_far),
        "effort",
        r"raises IndexError: .*; x has the shape \(2,\), out has the shape \(1,\)",
    ),
    (JointLaw("elbow", writing_too_much), "effort", "raises ValueError: could not broadcast"),
    (BodyLaw("hand", function=returning), "function", r"does not write out\[0\]"),
    (JointPotential("elbow", "q*t"), "energy", "depends on the time t.*joint_law"),
    (JointPotential("elbow", "q*v"), "energy", "unknown symbol 'v' at column 3"),
    (BodyLaw("hand", ("1", "2*vy +* 3", "0")), "force", "force, y: not a formula at column"),
    (
        BodyLaw("hand", torque=("1", "0", "vv")),
        "torque",
        "torque, z: unknown symbol 'vv' at column 1; known: t, x, y, z",
    ),
    (BodyLaw("hand", function=not_compiling), "function", "Numba cannot compile .*not_compiling"),
]


@pytest.mark.parametrize(
    "force, field, message", REFUSED_WHEN_ASSEMBLED, ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_law_that_cannot_be_read_is_refused_by_the_name_of_its_force(force, field, message):
    with pytest.raises(
        ModelError, match=f"(?s)^force 2 \\({force.kind} on '(elbow|hand)'\\): .*{message}"
    ) as caught:
        hamiltonian_tree.assemble(assemble_at_start(arm(JointSpring("slide", 1.0), force)))
    assert caught.value.part == ("force", 2) and caught.value.field == field


def test_a_function_that_has_its_form_somewhere_is_not_refused():
    law = JointLaw("elbow", knowing_one_region)
    assert hamiltonian_tree.assemble(assemble_at_start(arm(law))) is not None


def test_an_error_points_at_its_place_in_the_formula():
    with pytest.raises(ModelError, match="^force 'motor': effort: ") as caught:
        hamiltonian_tree.assemble(
            assemble_at_start(arm(JointLaw("elbow", "2*q + wrong", name="motor")))
        )
    *_, text, caret = str(caught.value).splitlines()
    assert caught.value.part == ("force", "motor") and text[caret.index("^") :] == "wrong"


REFUSED_AT_ONCE = {
    "effort": lambda **name: JointLaw("elbow", None, **name),
    "effort ": lambda **name: JointLaw("elbow", "", **name),
    "effort  ": lambda **name: JointLaw("elbow", np.nan, **name),
    "parameters": lambda **name: JointLaw("elbow", "q", {"k": np.inf}, **name),
    "parameters ": lambda **name: JointLaw("elbow", "q", {"2k": 1.0}, **name),
    "parameters  ": lambda **name: JointLaw("elbow", "q", [1.0], **name),
    "parameters   ": lambda **name: JointLaw("elbow", spring_function, {"k": 1.0}, **name),
    "inputs": lambda **name: JointLaw("elbow", "q", inputs=("q",), **name),
    "inputs ": lambda **name: JointLaw("elbow", spring_function, inputs="q", **name),
    "inputs  ": lambda **name: JointLaw("elbow", spring_function, inputs=("q",) * 33, **name),
    "energy": lambda **name: JointPotential("elbow", spring_function, **name),
    "force": lambda **name: BodyLaw("hand", ("1", "2"), **name),
    "force ": lambda **name: BodyLaw("hand", (1, 0, 0), function=drag_function, **name),
    "torque": lambda **name: BodyLaw("hand", torque=("1", None, "2"), **name),
    "axes": lambda **name: BodyLaw("hand", axes="local", **name),
    "at": lambda **name: BodyLaw("hand", at=("x", 0, 0), **name),
    "function": lambda **name: BodyLaw("hand", function="f", **name),
}


@pytest.mark.parametrize("field", REFUSED_AT_ONCE)
def test_an_impossible_law_is_refused_when_it_is_made(field):
    with pytest.raises(ModelError, match="^force 'pull': ") as caught:
        REFUSED_AT_ONCE[field](name="pull")
    assert caught.value.part == ("force", "pull") and caught.value.field == field.strip()


def test_a_name_with_two_meanings_has_none():
    """A joint `a_dot` beside a joint `a`: the symbol a_dot would be a position or a rate."""
    placement = Placement(["a", "a_dot"].index, lambda name: (0, Frame()), ("a", "a_dot"))
    with pytest.raises(ModelError, match="unknown symbol 'a_dot'"):
        tabulate(JOINT_LAWS, [JointLaw("a", "a_dot")], placement)
    tabulate(JOINT_LAWS, [JointLaw("a", "a + a_dot_dot")], placement)
