"""Names that 0.1.0 changed: the old one gets an error that gives the new one.

`PUBLIC` has attributes by "Owner.name" (by name alone those of `hamiltree` itself), `FORMULATIONS`
what is given as a text.
"""

PUBLIC: dict[str, str] = {
    "units.scaled": "units.nondimensionalise",
    "Model.hangs_apart": "Model.is_unjoined",
    "Model.coupled_rows": "Model.couplings_as_constraints",
    "PairForce.shaped": "PairForce.apply_cutoff",
    "Shape.gyration": "Shape.squared_gyration_radii",
    "MassProperties.moved": "MassProperties.transform",
    "Trajectory.openings": "Trajectory.constraint_residuals",
    "Assembly.openings": "Assembly.constraint_residuals",
    "Assembly.all_openings": "Assembly.all_constraint_residuals",
    "Dynamics.moved": "Dynamics.integrate",
    "Dynamics.spent": "Dynamics.dissipated_power",
    "Dynamics.by_force": "Dynamics.dynamics_by_force",
    "Influence.coordinate": "Influence.row",
    "Influence.branch_inertias": "Influence.articulated_inertias",
    "Partials.sheet": "Partials.printed_matrices",
}

FORMULATIONS: dict[str, str] = {
    "chain_quaternion": "free_bodies_quaternion",
    "chain_quaternion_constrained": "free_bodies_quaternion_constrained",
    "chain_quaternion_seed": "free_bodies_quaternion_thesis",
    "chain_rotation": "free_bodies_rotation",
}


def find_renamed(owner: str, name: str) -> str | None:
    """The new name of an attribute of `owner`, None if it was not renamed."""
    new = PUBLIC.get(f"{owner}.{name}" if owner else name)
    return None if new is None else new.removeprefix(f"{owner}.")


def refuse_attribute(owner: object, name: str) -> AttributeError:
    """The error for an attribute that an object does not have, with the new name of an old one.

    For `__getattr__` of the classes in PUBLIC: `raise refuse_attribute(self, name)`. The traceback
    adds names that are spelled almost so.
    """
    kinds = [kind.__name__ for kind in type(owner).__mro__]
    found = (find_renamed(kind, name) for kind in kinds)
    new = next((word for word in found if word is not None), None)
    hint = "" if new is None else f"; it is now called {new!r}"
    return AttributeError(
        f"{kinds[0]!r} object has no attribute {name!r}{hint}", name=name, obj=owner
    )


def refuse_module_attribute(module: str, name: str) -> AttributeError:
    """The same for `__getattr__` of a module: `raise refuse_module_attribute(__name__, name)`."""
    new = find_renamed(module.rpartition(".")[2], name)
    hint = "" if new is None else f"; it is now called {new!r}"
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}", name=name)
