"""The matrices of "Spatial Dynamics" as SymPy expressions of positions, Euler parameters, rates,
masses and loads; for small models.

Names of symbols, of body k: x_k y_k z_k; e0_k … e3_k; their rates xdot_k, edot0_k …; omega_xk …;
m_k, J_xxk …. A(p) = G Lᵀ stands as it is, of degree two in p (ERRATA 1-6): nothing is
simplified by ‖p‖ = 1. Points and axes on bodies are numbers, short decimals as fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.analysis.cartesian.matrices import FORMULATIONS
from hamiltree.analysis.cartesian.states import Situation, situation_at
from hamiltree.assembly.joint_rows import RowSpec, TermSpec
from hamiltree.assembly.rows import ANGLE, N1, N2, SS
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.model import Model
from hamiltree.model.bodies import GROUND
from hamiltree.model.forces import BodyLoad

MAX_BODIES = 6
SHORT = 8  # letters of a decimal that becomes a fraction
NAMES = ("M", "P", "b", "c", "g", "B", "Phi", "Phi_q", "modified_jacobian", "gamma", "gamma_sharp")
XYZ = "xyz"


# ---- numbers and small matrices ------------------------------------------------------------------
def exact(value: float) -> Any:
    """A short decimal as a fraction, else the float itself."""
    import sympy

    text = repr(float(value))
    return sympy.Rational(text) if len(text) <= SHORT and "e" not in text else sympy.Float(value)


def vector(values: Any) -> Any:
    import sympy

    return sympy.Matrix([exact(x) for x in values])


def skew(v: Any) -> Any:
    import sympy

    x, y, z = v
    return sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def G(p: Any) -> Any:
    """[−e, ẽ + e₀ 1]"""
    import sympy

    return sympy.Matrix.hstack(-p[1:, :], skew(p[1:, :]) + p[0] * sympy.eye(3))


def L(p: Any) -> Any:
    """[−e, −ẽ + e₀ 1]"""
    import sympy

    return sympy.Matrix.hstack(-p[1:, :], p[0] * sympy.eye(3) - skew(p[1:, :]))


# ---- bodies --------------------------------------------------------------------------------------
class SymbolicBody:
    """The symbols of one body, and the values they have."""

    def __init__(self, at: Situation, k: int, values: dict[Any, float]):
        """Body number k (from 0) of a model at a state; fills `values`."""
        import sympy

        def column(names: list[str], numbers: Any) -> Any:
            symbols = [sympy.Symbol(name, real=True) for name in names]
            values.update(zip(symbols, map(float, numbers), strict=True))
            return sympy.Matrix(symbols)

        state, n = at.state, k + 1
        body = at.model.bodies[k]
        self.r = column([f"{x}_{n}" for x in XYZ], state.r[k])
        self.p = column([f"e{a}_{n}" for a in range(4)], state.p[k])
        self.v = column([f"{x}dot_{n}" for x in XYZ], state.v[k])
        self.pdot = column([f"edot{a}_{n}" for a in range(4)], state.pdot[k])
        self.w = column([f"omega_{x}{n}" for x in XYZ], state.w[k])
        self.mass = column([f"m_{n}"], [body.mass])[0]
        self.J = self.inertia(column, np.array(body.inertia), n)
        self.A = G(self.p) * L(self.p).T
        self.centre = body.com

    @staticmethod
    def inertia(column: Any, J: np.ndarray, n: int) -> Any:
        """J' with symbols where it is not zero."""
        import sympy

        found = sympy.zeros(3, 3)
        for i in range(3):
            for j in range(i, 3):
                if J[i, j] != 0.0:
                    found[i, j] = found[j, i] = column([f"J_{XYZ[i]}{XYZ[j]}{n}"], [J[i, j]])[0]
        return found

    def point(self, place: Any) -> Any:
        """A s' of a point given from the body's origin."""
        return self.A * vector(np.array(place) - self.centre)

    def axis(self, direction: Any) -> Any:
        return self.A * vector(direction)


class SymbolicGround:
    """Body 0, at rest."""

    def __init__(self) -> None:
        import sympy

        self.r, self.A = sympy.zeros(3, 1), sympy.eye(3)

    def point(self, place: Any) -> Any:
        return vector(place)

    axis = point


# ---- rows ----------------------------------------------------------------------------------------
def term_value(term: TermSpec, i: Any, j: Any) -> Any:
    """Φ of a term by its definition in Table 11.1."""
    import sympy

    si, sj = i.axis(term.a), j.axis(term.b)
    if term.kind == N1:
        return si.dot(sj)
    if term.kind == ANGLE:
        return sympy.atan2(i.axis(term.e).dot(sj), si.dot(sj))
    d = j.r + j.point(term.to) - i.r - i.point(term.at)
    return {N2: si.dot(d), SS: d.dot(d)}[term.kind]


def row_value(spec: RowSpec, bodies: dict[str, Any]) -> Any:
    """Σ weight · term − constant; a row that follows a function of time is refused."""
    if spec.drive is not None:
        raise FitError(
            f"{spec.part[0]} '{spec.part[1]}' follows a function of time, which symbolic matrices "
            "do not know; take ht.cartesian.matrices",
            part=spec.part,
        )
    terms = (exact(x.weight) * term_value(x, bodies[x.i], bodies[x.j]) for x in spec.terms)
    return sum(terms, -exact(spec.constant))


# ---- loads ---------------------------------------------------------------------------------------
class SymbolicLoads:
    """f and n' of every body: gravity and body loads by symbols of their own, all else as one
    force and one moment per body.
    """

    def __init__(self, at: Situation, bodies: list[SymbolicBody], values: dict[Any, float]):
        """Gravity, then loads in the order of the model, then what is left of f and n'."""
        import sympy

        self.values = values
        gravity = self.symbols("g_{}", at.model.gravity)
        self.force = [body.mass * gravity for body in bodies]
        self.moment = [sympy.zeros(3, 1) for _ in bodies]
        place = {body.name: k for k, body in enumerate(at.model.bodies)}
        loads = [force for force in at.model.forces if isinstance(force, BodyLoad)]
        for number, load in enumerate(loads, 1):
            self.add_load(load, number, bodies[place[load.body]], place[load.body])
        for k in range(len(bodies)):
            self.add_rest(k, at.force[k], at.moment[k])

    def symbols(self, pattern: str, numbers: Any, always: bool = False) -> Any:
        """Three symbols; zero where a component is."""
        import sympy

        found = []
        for axis, x in zip(XYZ, numbers, strict=True):
            symbol = sympy.Symbol(pattern.format(axis), real=True)
            found.append(symbol if x != 0.0 or always else sympy.Integer(0))
            if x != 0.0 or always:
                self.values[symbol] = float(x)
        return sympy.Matrix(found)

    def add_load(self, load: BodyLoad, number: int, body: SymbolicBody, k: int) -> None:
        """F at a point and a torque T, in world or in body axes: n' = s' × f' + Aᵀ T."""
        force = self.symbols(f"F_{{}}{number}", load.force)
        torque = self.symbols(f"T_{{}}{number}", load.torque)
        arm = vector(np.array(load.at) - body.centre)
        if load.axes == "world":
            self.force[k] += force
            self.moment[k] += arm.cross(body.A.T * force) + body.A.T * torque
        else:
            self.force[k] += body.A * force
            self.moment[k] += arm.cross(force) + torque

    def add_rest(self, k: int, force: np.ndarray, moment: np.ndarray) -> None:
        """What other forces of the model do to body k at this state."""
        known = [evaluate_matrix(x[k], self.values) for x in (self.force, self.moment)]
        for into, whole, part, name in (
            (self.force, force, known[0], "f"),
            (self.moment, moment, known[1], "n"),
        ):
            rest = whole - part[:, 0]
            if np.abs(rest).max() > REST * max(np.abs(whole).max(), np.abs(part).max()):
                into[k] += self.symbols(f"{name}_{{}}{k + 1}", rest, always=True)


REST = 1e-12  # of the whole: what is rounding


def evaluate_matrix(matrix: Any, values: dict[Any, float]) -> np.ndarray:
    """The numbers of a SymPy matrix."""
    import sympy

    function = sympy.lambdify(list(values), matrix, modules="numpy", cse=True)
    return np.array(function(*values.values()), dtype=float)


# ---- the system ----------------------------------------------------------------------------------
@dataclass(eq=False)
class SymbolicMatrices:
    """M, P, b, c, g, B, Φ, Φ_q, γ … of one formulation as SymPy matrices; each is made when it is
    first asked for. `values` has the number of every symbol at the state.
    """

    formulation: int
    names: tuple[str, ...]  # of the bodies
    bodies: list[SymbolicBody]
    specs: tuple[RowSpec, ...]
    loads: SymbolicLoads
    values: dict[Any, float]

    def stack(self, *columns: Any) -> Any:
        import sympy

        return sympy.Matrix.vstack(*columns)

    @cached_property
    def q(self) -> Any:
        return self.stack(*(part for body in self.bodies for part in (body.r, body.p)))

    @cached_property
    def qdot(self) -> Any:
        return self.stack(*(part for body in self.bodies for part in (body.v, body.pdot)))

    # ---- rows ------------------------------------------------------------------------------------
    @cached_property
    def Phi(self) -> Any:
        """Φ(q) (11.50)."""
        import sympy

        bodies = dict(zip(self.names, self.bodies, strict=True)) | {GROUND: SymbolicGround()}
        return sympy.Matrix(len(self.specs), 1, [row_value(spec, bodies) for spec in self.specs])

    @cached_property
    def Phi_q(self) -> Any:
        """∂Φ/∂q (11.43)."""
        return self.Phi.jacobian(self.q)

    @cached_property
    def modified_jacobian(self) -> Any:
        """[Φ_r, ½Φ_pLᵀ] (11.46)."""
        import sympy

        blocks = []
        for k, body in enumerate(self.bodies):
            by_r, by_p = self.Phi_q[:, 7 * k : 7 * k + 3], self.Phi_q[:, 7 * k + 3 : 7 * k + 7]
            blocks += [by_r, by_p * L(body.p).T / 2]
        return sympy.Matrix.hstack(*blocks)

    @cached_property
    def gamma(self) -> Any:
        """γ = −(Φ_q q̇)_q q̇ (11.41)."""
        return -(self.Phi_q * self.qdot).jacobian(self.q) * self.qdot

    @cached_property
    def gamma_sharp(self) -> Any:
        """γ# = γ + Σ ¼ω² Φ_p p, ṗ = ½Lᵀω' (11.48)."""
        found = self.gamma
        for k, body in enumerate(self.bodies):
            stretch = self.Phi_q[:, 7 * k + 3 : 7 * k + 7] * body.p
            found = found + stretch * body.w.dot(body.w) / 4
        rates = {
            old: new
            for body in self.bodies
            for old, new in zip(body.pdot, L(body.p).T * body.w / 2, strict=True)
        }
        return found.subs(rates)

    @property
    def B(self) -> Any:
        return self.Phi_q if self.formulation == 1 else self.modified_jacobian

    # ---- bodies ----------------------------------------------------------------------------------
    @cached_property
    def J_star(self) -> list[Any]:
        """4 Lᵀ J' L (11.11)."""
        return [4 * L(body.p).T * body.J * L(body.p) for body in self.bodies]

    @cached_property
    def H(self) -> list[Any]:
        """4 L̇ᵀ J' L (11.12)."""
        return [4 * L(body.pdot).T * body.J * L(body.p) for body in self.bodies]

    @cached_property
    def M(self) -> Any:
        """(11.26), (11.34) or (11.38)."""
        import sympy

        blocks = []
        for k, body in enumerate(self.bodies):
            turning = {1: self.J_star[k], 2: 2 * body.J * L(body.p), 3: body.J}
            blocks += [body.mass * sympy.eye(3), turning[self.formulation]]
        return sympy.diag(*blocks)

    @cached_property
    def b(self) -> Any:
        """(11.30), (11.35) or (11.40)."""
        import sympy

        blocks = []
        for k, body in enumerate(self.bodies):
            turning = {
                1: 2 * self.H[k] * body.pdot,
                2: L(body.p) * self.H[k] * body.pdot,
                3: body.w.cross(body.J * body.w),
            }
            blocks += [sympy.zeros(3, 1), turning[self.formulation]]
        return self.stack(*blocks)

    @cached_property
    def g(self) -> Any:
        """(11.32) or (11.36)."""
        blocks = []
        for k, body in enumerate(self.bodies):
            moment = self.loads.moment[k]
            blocks += [
                self.loads.force[k],
                2 * L(body.p).T * moment if self.formulation == 1 else moment,
            ]
        return self.stack(*blocks)

    @cached_property
    def P(self) -> Any:
        """(11.27); None in III."""
        import sympy

        if self.formulation == 3:
            return None
        rows = [sympy.Matrix.hstack(sympy.zeros(1, 3), body.p.T) for body in self.bodies]
        return sympy.diag(*rows)

    @cached_property
    def c(self) -> Any:
        """(11.31); None in III."""
        import sympy

        if self.formulation == 3:
            return None
        return sympy.Matrix([body.pdot.dot(body.pdot) for body in self.bodies])

    # ---- answers ---------------------------------------------------------------------------------
    def find(self, name: str) -> Any:
        """One of the matrices by its name."""
        if name not in NAMES:
            raise OptionError(f"name = {name!r}; {suggest(str(name), list(NAMES))}")
        found = getattr(self, name)
        if found is None:
            raise OptionError(f"formulation III has no {name}; take formulation 1 or 2")
        return found

    def evaluate(self, name: str) -> np.ndarray:
        """The numbers of a matrix at the state; a vector for one column."""
        found = self.find(name)
        values = evaluate_matrix(found, self.values)
        return values[:, 0] if found.shape[1] == 1 and name not in MATRICES else values

    def latex(self, name: str) -> str:
        """A matrix in LaTeX."""
        import sympy

        return sympy.latex(self.find(name))


MATRICES = ("M", "P", "B", "Phi_q", "modified_jacobian")


def symbolic(
    model: Model, state: Any = None, formulation: int = 3, t: float = 0.0
) -> SymbolicMatrices:
    """The matrices of formulation I, II or III as SymPy expressions, for models of a few bodies;
    arguments as of `matrices`.
    """
    if type(formulation) is not int or formulation not in FORMULATIONS:
        raise OptionError(f"formulation = {formulation!r} is unknown; give 1, 2 or 3")
    if isinstance(model, Model) and len(model.bodies) > MAX_BODIES:
        raise FitError(
            f"model '{model.name}' has {len(model.bodies)} bodies; symbols are for at most "
            f"{MAX_BODIES}, take ht.cartesian.matrices"
        )
    at = situation_at(model, state, float(t))
    values: dict[Any, float] = {}
    bodies = [SymbolicBody(at, k, values) for k in range(len(model.bodies))]
    names = tuple(body.name for body in model.bodies)
    loads = SymbolicLoads(at, bodies, values)
    return SymbolicMatrices(formulation, names, bodies, at.specs, loads, values)
