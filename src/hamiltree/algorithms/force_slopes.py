"""Which derivatives a model's forces have, and their laws bound to dual numbers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.internals import is_interpreted
from hamiltree.errors import FitError
from hamiltree.forces.derivatives import (
    InputScales,
    differenced_elements,
    has_own_slopes,
    make_law_slopes,
    select_constant_slopes,
)
from hamiltree.forces.dispatch import tables_of
from hamiltree.formulations.tree.algorithms import AlgorithmTables
from hamiltree.formulations.tree.derivatives import ForwardDerivatives, InverseDerivatives
from hamiltree.formulations.tree.force_derivatives import (
    ForwardDerivativesWithForces,
    InverseDerivativesWithForces,
    SlopesQuery,
    make_slopes_query,
)
from hamiltree.model import Model
from hamiltree.model.joints import axis_labels


def find_force_slopes(model: Model, tables: AlgorithmTables) -> SlopesQuery | None:
    """The laws of a model compiled for dual numbers, with scratch; None if the derivatives of all
    are constant.
    """
    if not has_force_slopes(tables):
        return None
    if is_interpreted():
        raise FitError(
            f"model '{model.name}': derivatives with these forces need compiled code; unset "
            "NUMBA_DISABLE_JIT"
        )
    tree = tables.tree
    scales, links = input_scales(model, tables), len(tree.parent)
    laws = make_law_slopes(tree.joint_laws, tree.body_laws, scales, links)
    return make_slopes_query(tables, laws, select_constant_slopes(tree.body_laws))


def has_force_slopes(tables: AlgorithmTables) -> bool:
    """Whether a law has derivatives that are not constant."""
    tree = tables.tree
    return any(map(has_own_slopes, (*tables_of(tree.joint_laws), *tables_of(tree.body_laws))))


def make_derivatives_query(slopes: SlopesQuery | None, inverse: bool) -> Any:
    """The question for derivatives of inverse or of forward dynamics."""
    if slopes is None:
        return InverseDerivatives(True) if inverse else ForwardDerivatives(True)
    return (InverseDerivativesWithForces if inverse else ForwardDerivativesWithForces)(slopes)


def find_differenced_forces(model: Model) -> tuple[str, ...]:
    return tuple(force.describe(k) for k, force in enumerate(model.forces) if calls_python(force))


def input_scales(model: Model, tables: AlgorithmTables) -> InputScales:
    """Those of the model, where a Python function is differenced; nobody else asks."""
    coordinate = np.ones(max(1, len(model.coordinates)))
    laws = *tables_of(tables.tree.joint_laws), *tables_of(tables.tree.body_laws)
    if not any(map(differenced_elements, laws)):
        return InputScales(1.0, 1.0, coordinate)
    scales = assemble_at_start(model).scales
    dimension = {}
    for joint in model.joints:
        names = [label for label, _ in axis_labels(joint)]
        dimension |= dict(zip(names, joint.speed_dimensions(), strict=False))
    for row, label in enumerate(model.coordinates):
        if dimension.get(label) == "length":
            coordinate[row] = scales.length
    return InputScales(scales.length, scales.time, coordinate)


def calls_python(force: Any) -> bool:
    """Whether a law of a user is a Python function that is called as it is; an energy alone is
    traced and becomes a formula.
    """
    given = {field.name: getattr(force, field.name) for field in fields(force)}
    if "gradient" in given and given["gradient"] is None:
        return False
    return any(callable(value) for value in given.values())
