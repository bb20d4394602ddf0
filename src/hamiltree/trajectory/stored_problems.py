"""The problem of a run that was read from a file, made again from what the file says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hamiltree.errors import FileError
from hamiltree.files.toml import model_from_toml
from hamiltree.model import Model
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian_from_json
from hamiltree.problems.ode import Ode, ode_from_json


def stored_model(attributes: Mapping[str, Any]) -> Model:
    """Refused where the run is not of a model, or of one that no file can hold."""
    if "hamiltonian" in attributes:
        raise FileError("this is a run of an H(q, p), not of a model; see its `hamiltonian`")
    if "ode" in attributes:
        raise FileError("this is a run of an ode, not of a model; see its `ode`")
    if not attributes["model"]:
        raise FileError(
            "the model of this run holds Python functions and is not stored in its file"
        )
    return model_from_toml(attributes["model"], "the model stored with the trajectory")


def stored_hamiltonian(attributes: Mapping[str, Any]) -> Hamiltonian:
    text = attributes.get("hamiltonian")
    if not text:
        raise FileError(
            "this run has no H(q, p) in its file: it is of a model, or H was made of "
            "Python functions"
        )
    return hamiltonian_from_json(text)


def stored_ode(attributes: Mapping[str, Any]) -> Ode:
    text = attributes.get("ode")
    if not text:
        raise FileError(
            "this run has no equations in its file: it is not of an ode, or its rates were "
            "compiled of a Python function"
        )
    return ode_from_json(text)
