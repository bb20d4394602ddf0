"""Names that 0.1.0 changed: the old one gets an error that gives the new one.

`PUBLIC` has attributes by "Owner.name" ("" for those of `hamiltree` itself), `FORMULATIONS` and
`OPTIONS` have what is given as a text or as an argument.
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
    "Influence.branch_inertias": "Influence.articulated_inertias",
    "Partials.sheet": "Partials.printed_matrices",
}

FORMULATIONS: dict[str, str] = {
    "chain_quaternion": "free_bodies_quaternion",
    "chain_quaternion_constrained": "free_bodies_quaternion_constrained",
    "chain_quaternion_seed": "free_bodies_quaternion_thesis",
    "chain_rotation": "free_bodies_rotation",
}

OPTIONS: dict[str, str] = {"spare_inertia": "fictitious_inertia"}


def find_renamed(owner: str, name: str) -> str | None:
    """The new name of an attribute of `owner`, None if it was not renamed."""
    new = PUBLIC.get(f"{owner}.{name}" if owner else name)
    return None if new is None else new.removeprefix(f"{owner}.")


def refuse_attribute(owner: object, name: str) -> AttributeError:
    """The error for an attribute that an object does not have, with the new name of an old one.

    For `__getattr__` of the classes and modules in PUBLIC: `raise refuse_attribute(self, name)`.
    """
    kinds = [kind.__name__ for kind in type(owner).__mro__]
    found = (find_renamed(kind, name) for kind in kinds)
    new = next((word for word in found if word is not None), None)
    hint = "" if new is None else f"; it is now called {new!r}"
    return AttributeError(f"{kinds[0]!r} object has no attribute {name!r}{hint}", name=name)
