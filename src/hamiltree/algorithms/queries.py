"""A question about one model bound to compiled code: checks of what is given, buffers, messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from hamiltree.assembly.links import build_links
from hamiltree.compiled.direct_calls import (
    Answer,
    Part,
    is_available,
    kernel_for,
    timed_query,
    with_spares,
)
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.pointer import StructPointer, compile_for
from hamiltree.errors import ModelError, OptionError
from hamiltree.formulations.tree import derivatives as tree_derivatives
from hamiltree.formulations.tree import dynamics as tree_dynamics
from hamiltree.formulations.tree import force_derivatives
from hamiltree.formulations.tree import mass_matrix as tree_mass_matrix
from hamiltree.formulations.tree.algorithms import query_state, query_states
from hamiltree.formulations.tree.hamiltonian_tree import (
    check_articulated_inertias,
    make_tree_tables,
)
from hamiltree.model import Model

Array = np.ndarray
EMPTY = np.zeros(0)
NEEDS_MASS_INVERSE = (
    tree_dynamics.ForwardDynamics,
    tree_dynamics.SolveMassMatrix,
    tree_mass_matrix.Factor,
    tree_derivatives.ForwardDerivatives,
    force_derivatives.ForwardDerivativesWithForces,
)
NEEDS_MATRICES = (
    tree_derivatives.InverseDerivatives,
    tree_derivatives.ForwardDerivatives,
    force_derivatives.InverseDerivativesWithForces,
    force_derivatives.ForwardDerivativesWithForces,
)


class QueriedModel(Protocol):
    """What a Query needs of its Dynamics."""

    model: Model
    tree_model: Model  # without its loops
    tables: Any
    positions: int
    freedoms: int

    def workspace(self, width: int, has_matrices: bool) -> Any: ...

    def describe_zero_quaternion(self, q: Array) -> str: ...


class Query:
    """One question to one model, bound to compiled code: its workspace for one state and for four,
    and the checks of what is given to it.
    """

    def __init__(
        self,
        owner: QueriedModel,
        query: Any,
        inputs: tuple[str, ...],
        *parts: Part,
        kind: type | None = None,
        output_size: int | None = None,
        is_last_optional: bool = False,
    ):
        """`inputs` are names of q, speeds and a third argument, which is zero if it is optional and
        not given; the answer is one part of what the compiled code writes, or a tuple of parts of
        that kind. It writes output_size numbers, or nothing but the parts.
        """
        self.owner = owner
        self.query = query
        self.inputs = inputs
        self.output_size = output_size or sum(part.size for part in parts)
        self.parts = parts
        self.kind = kind
        self.has_matrices = isinstance(query, NEEDS_MATRICES)
        self.state_size = max(1, owner.positions + 2 * owner.freedoms)
        self.float_pointer = StructPointer(
            query, owner.tables, self.workspace(1), rows(float, self.state_size, 1)
        )
        self.widths = [
            owner.positions,
            owner.freedoms if len(inputs) > 1 else 0,
            owner.freedoms if len(inputs) > 2 else 0,
        ]
        self.default = np.zeros(owner.freedoms) if is_last_optional else None
        self.call = compile_for(query_state, *self.samples())
        self.lane_pointer: StructPointer | None = None

    def samples(self) -> tuple[Any, ...]:
        """Arguments of the compiled function, for their types."""
        state = [np.zeros(width) for width in self.widths]
        return (self.float_pointer, 0.0, *state, np.zeros(self.output_size))

    def workspace(self, width: int) -> Any:
        return self.owner.workspace(width, self.has_matrices)

    def lanes(self) -> StructPointer:
        """Tables, workspace and buffers of four states at a time, made when first needed."""
        if self.lane_pointer is None:
            y = rows(float, self.state_size, WIDTH)
            answer = rows(float, max(1, self.output_size), WIDTH)
            self.lane_pointer = StructPointer(
                self.query, self.owner.tables, self.workspace(WIDTH), y, answer
            )
        return self.lane_pointer

    def fast_call(self) -> Callable[..., Any]:
        """f(t, q, …), the shortest way for one state in ready arrays (a microsecond counts here);
        everything else goes through the checks.
        """
        if not is_available():
            return (call_with_one, call_with_two, call_with_three)[len(self.inputs) - 1](self)
        kernel = kernel_for(query_state, *self.samples())
        widths = self.widths[: len(self.inputs)]
        answer = with_spares(
            Answer(kernel, widths, self.default, self.output_size, self.parts, self.kind)
        )
        signature = f"query(t, {', '.join(self.inputs)})"
        return timed_query("query", f"{signature}\n--\n\n", self.checked_call, answer)

    def shape_output(self, out: Array) -> Any:
        """The answer among the numbers written: views of them, or a number."""
        states = out.shape[:-1]
        found = [
            out[..., part.start : part.start + part.size].reshape((*states, *part.shape))[()]
            for part in self.parts
        ]
        if self.kind is None:
            return found[0]
        return tuple(found) if self.kind is tuple else self.kind(*found)

    def checked_call(self, t: float, *values: Any) -> Any:
        """The answer at one state (n,), or at many (k, n), four at a time."""
        t = check_time(t)
        given = [
            check_states(value, name, labels)
            for name, value, labels in zip(self.inputs, values, self.input_labels(), strict=False)
        ]
        many = [x for x in given if x.ndim == 2]
        if not many:
            return self.evaluate_state(t, given)
        count = len(many[0])
        if any(len(x) != count for x in many):
            shapes = ", ".join(
                f"{name} has {x.shape}" for name, x in zip(self.inputs, given, strict=True)
            )
            raise OptionError(f"give as many states of each: {shapes}")
        # of one type of array: `np.broadcast_to` makes arrays that are read-only
        full = [x if x.ndim == 2 else np.tile(x, (count, 1)) for x in given]
        return self.evaluate_states(t, full)

    def input_labels(self) -> tuple[tuple[str, ...], ...]:
        model = self.owner.model
        return model.coordinates, model.speeds, model.speeds

    def evaluate_state(self, t: float, given: list[Array]) -> Any:
        """The answer at one state; refused if it is not finite."""
        out = np.empty(self.output_size, float)
        q, u, x = (*given, *[EMPTY] * (3 - len(given)))
        if not self.call(self.float_pointer, t, q, u, x, out):
            self.refuse([x[None] for x in given])
        return self.shape_output(out)

    def evaluate_states(self, t: float, given: list[Array]) -> Any:
        """The answers at many states, along the first axis; refused if one is not finite."""
        out = self.numbers_of_states(t, given)
        if not np.isfinite(out).all():
            self.refuse(given, int((~np.isfinite(out).all(axis=1)).argmax()))
        return self.shape_output(out)

    def numbers_of_states(self, t: float, given: list[Array]) -> Array:
        """(states, numbers) as the compiled code writes them, finite or not."""
        count = len(given[0])
        q, u, x = (*given, *[np.zeros((count, 0))] * (3 - len(given)))
        out = np.empty((count, self.output_size))
        query_states(self.lanes(), t, q, u, x, out)
        return out

    def refuse_inputs(self, given: list[Array]) -> None:
        """Raise the error of a number that is not finite, or of a quaternion of zeros."""
        for name, values, labels in zip(self.inputs, given, self.input_labels(), strict=False):
            bad = np.argwhere(~np.isfinite(values))
            if len(bad):
                raise OptionError(
                    f"{name} of '{labels[bad[0][1]]}' is not finite (state {bad[0][0]})"
                )
        message = self.owner.describe_zero_quaternion(given[0])
        if message:
            raise OptionError(message)

    def refuse(self, given: list[Array], state: int | None = None) -> None:
        """Raise the error that says why an answer is not finite; `state` of many is the first."""
        self.refuse_inputs(given)
        if isinstance(self.query, NEEDS_MASS_INVERSE):
            refuse_singular_mass_matrix(self.owner.tree_model, given[0], state)
            raise OptionError("the answer is not finite: numbers overflow")
        raise OptionError(
            "the answer is not finite: a force of the model is not defined there, or numbers "
            "overflow"
        )


def refuse_singular_mass_matrix(model: Model, states: Array, state: int | None) -> None:
    """Raise the error that names the joint behind a singular mass matrix at the positions of one
    state, or of that number among many; nothing if the matrix is regular.
    """
    links = build_links(model, "ht.dynamics")
    try:
        check_articulated_inertias(model, links, make_tree_tables(model, links), states[state or 0])
    except ModelError as error:
        where = "" if state is None else f" in state {state}"
        raise OptionError(f"the mass matrix is singular{where}: {error}") from None


# ---- the shortest way for one state where calls cannot be direct ---------------------------------
# Local names are faster than attributes; an argument that is no ready array of floats takes the
# checked way.
NUMBER = np.dtype(float)
PACKED = (8,)


def call_with_one(query: Query) -> Callable[..., Any]:
    """f(t, q)."""
    call, pointer, slow = query.call, query.float_pointer, query.checked_call
    output_size, shape_output = query.output_size, query.shape_output
    empty, number, packed, nothing = np.empty, NUMBER, PACKED, EMPTY
    first = (query.widths[0],)

    def of_one(t: float, q: Any) -> Any:
        """The answer at q; through the checks where q is no ready array or the answer no number."""
        try:
            if (
                (q.shape == first and q.dtype is number and q.strides == packed)
                and t - t == 0.0
                and call(pointer, t, q, nothing, nothing, out := empty(output_size))
            ):
                return shape_output(out)
        except (AttributeError, TypeError, OverflowError):
            pass
        return slow(t, q)

    return of_one


def call_with_two(query: Query) -> Callable[..., Any]:
    """f(t, q, u)."""
    call, pointer, slow = query.call, query.float_pointer, query.checked_call
    output_size, shape_output = query.output_size, query.shape_output
    empty, number, packed, nothing = np.empty, NUMBER, PACKED, EMPTY
    first, second = (query.widths[0],), (query.widths[1],)

    def of_two(t: float, q: Any, u: Any) -> Any:
        """The answer at (q, u), as of_one."""
        try:
            if (
                (q.shape == first and u.shape == second)
                and (q.dtype is number and u.dtype is number)
                and (q.strides == packed and u.strides == packed)
                and t - t == 0.0
                and call(pointer, t, q, u, nothing, out := empty(output_size))
            ):
                return shape_output(out)
        except (AttributeError, TypeError, OverflowError):
            pass
        return slow(t, q, u)

    return of_two


def call_with_three(query: Query) -> Callable[..., Any]:
    """f(t, q, u, x)."""
    call, pointer, slow = query.call, query.float_pointer, query.checked_call
    output_size, shape_output = query.output_size, query.shape_output
    empty, number, packed = np.empty, NUMBER, PACKED
    first, second, third = ((width,) for width in query.widths)

    def of_three(t: float, q: Any, u: Any, x: Any) -> Any:
        """The answer at (q, u, x), as of_one."""
        try:
            if (
                (q.shape == first and u.shape == second and x.shape == third)
                and (q.dtype is number and u.dtype is number and x.dtype is number)
                and (q.strides == packed and u.strides == packed and x.strides == packed)
                and t - t == 0.0
                and call(pointer, t, q, u, x, out := empty(output_size))
            ):
                return shape_output(out)
        except (AttributeError, TypeError, OverflowError):
            pass
        return slow(t, q, u, x)

    return of_three


# ---- what is given -------------------------------------------------------------------------------
def check_time(t: Any) -> float:
    """One finite number."""
    is_number = isinstance(t, (int, float, np.integer, np.floating)) and not isinstance(t, bool)
    try:
        found = float(t) if is_number else math.nan
    except OverflowError:
        raise OptionError("t is larger than every float; it must be a time in seconds") from None
    if not math.isfinite(found):
        raise OptionError(f"t = {t!r}; it must be one finite number (s), the same for all states")
    return found


def key_with_forces(name: str, forces: Any) -> str:
    """The key of a question, with the forces of the model or without them."""
    if not isinstance(forces, (bool, np.bool_)):
        raise OptionError(
            f"forces = {forces!r}; give True, or False to leave out the forces of the model"
        )
    return name if forces else f"{name} without forces"


# ---- states --------------------------------------------------------------------------------------
def check_states(values: Any, name: str, labels: Sequence[str], length: int | None = None) -> Array:
    """One state (n,) or many (k, n) as floats of one type of array, so that nothing is compiled
    again; a number will do where n = 1; refused by name and shape. n is the number of labels unless
    given.
    """
    n = len(labels) if length is None else length
    if np.ma.is_masked(values):
        raise OptionError(f"{name} has numbers that are masked; give all of them, in a plain array")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError
        array = np.require(array, float, ["C", "A", "W"])
        if array.ndim == 0 and n == 1:
            array = array.reshape(1)
    except (TypeError, ValueError):
        raise OptionError(f"{name} must be numbers, got {values!r}") from None
    if array.ndim not in (1, 2) or array.shape[-1] != n:
        listed = ", ".join(labels[:8]) + (", …" if len(labels) > 8 else "")
        order = f", in the order {listed}" if n else ""
        raise OptionError(
            f"{name} has shape {array.shape}; expected ({n},) or (states, {n}){order}"
        )
    return array
