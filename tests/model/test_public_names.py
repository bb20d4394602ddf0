"""Public names follow from the catalogues; unknown and old ones are answered with the right one."""

import ast
import copy
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import hamiltree as ht
from hamiltree.catalogue import find
from hamiltree.errors import OptionError
from hamiltree.files import model_from_toml
from hamiltree.files.toml import model_to_toml
from hamiltree.formulations import FORMULATIONS
from hamiltree.model import CATALOGUES, JOINTS
from hamiltree.model.catalogues import register
from hamiltree.model.joints import ORIGIN, X_AXIS, Z_AXIS, SeveralAxes
from hamiltree.model.units import Units, nondimensionalise
from hamiltree.public_names import MODULE_OF, MODULES, public_names
from hamiltree.renamed import FORMULATIONS as RENAMED_FORMULATIONS
from hamiltree.renamed import PUBLIC
from hamiltree.view.model_plots import ModelPlots
from hamiltree.view.plots import Plots


def test_every_kind_of_every_catalogue_is_public():
    for catalogue in CATALOGUES.values():
        for kind, part in catalogue.items():
            assert part.kind == kind and getattr(ht, part.__name__) is part
            assert part.__name__ in ht.__all__ and part.__name__ in dir(ht)
            assert getattr(ht.model, part.__name__) is part and part.__name__ in ht.model.__all__


def test_every_public_name_can_be_imported():
    for name in ht.__all__:
        assert getattr(ht, name) is not None
    assert set(ht.__all__) == set(public_names())


def test_type_checkers_are_shown_what_is_found_at_runtime():
    """The imports for type checkers in hamiltree/__init__.py, and the modules of the names."""
    tree = ast.parse(Path(ht.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    shown = {
        alias.name: node.module.removeprefix("hamiltree").removeprefix(".")
        for node in imports
        if node.module.split(".")[0] == "hamiltree" and "public_names" not in node.module
        for alias in node.names
        if alias.name != "*"
    }
    parents = {name: place.rpartition(".")[0] for name, place in MODULES.items()}
    assert shown == MODULE_OF | parents


def test_importing_hamiltree_imports_nothing_large():
    code = "import sys, hamiltree; print(sorted({'numpy', 'numba', 'xarray'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_joint_that_is_registered_is_known_everywhere():
    """One class: ht.…, TOML, units, labels of plots."""
    try:

        @register(JOINTS)
        @dataclass(frozen=True, slots=True)
        class PinSlot(SeveralAxes):
            """Slide along x, then turn about z."""

            kind: ClassVar[str] = "pin_slot"
            coordinates: ClassVar[int] = 2

            def screws(self):
                return (ORIGIN, X_AXIS), (Z_AXIS, ORIGIN)

        joint = ht.PinSlot("pin", "ground", "b", q=(0.4, 0.3), qdot=(2.0, 1.0), armature=(3.0, 4.0))
        model = ht.Model([ht.Body("b", 1.0, inertia=0.1)], [joint])
        assert model_from_toml(model_to_toml(model)).joints == model.joints
        assert joint.coordinate_dimensions() == ("length", "angle")
        plain = nondimensionalise(model, Units(2.0, 3.0, 5.0)).joints[0]
        assert plain.q == (0.2, 0.3) and plain.qdot == (5.0, 5.0)
        assert plain.armature == (1.0, pytest.approx(4.0 / 12.0))
    finally:
        JOINTS.pop("pin_slot", None)
        vars(ht).pop("PinSlot", None)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Spring", "'Spring'; did you mean ConstantForceSpring, JointSpring, PointSpring?"),
        ("revolute", "did you mean Revolute"),
        ("simulat", "did you mean simulate"),
        ("Zzzz", "'Zzzz'$"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(name, message):
    with pytest.raises(AttributeError, match=message.replace("?", r"\?")):
        getattr(ht, name)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ht.Box(1, 1, 1), r"Box: too many positional .*; write Box\(size: \(x, y, z\), "),
        (
            lambda: ht.JointSpring("elbow", stifness=1.0),
            r"did you mean 'stiffness'\? write JointSpring\(joint: str, stiffness: float, rest=…",
        ),
        (lambda: ht.Body(), r"missing a required argument: 'name'; write Body\(name: str, mass=…"),
        (lambda: ht.Model(), r"write Model\(bodies: Sequence\[Body\], joints: Sequence\[Joint\], "),
        (lambda: ht.Frame((0, 0, 0), turn=3), r"unexpected keyword .*; write Frame\(position=…"),
    ],
)
def test_wrong_arguments_are_answered_with_the_right_form(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_an_old_name_is_answered_with_the_new_one():
    with pytest.raises(AttributeError, match="'scaled'; it is now called 'nondimensionalise'"):
        ht.units.scaled  # noqa: B018
    with pytest.raises(AttributeError, match="'hangs_apart'; it is now called 'is_unjoined'"):
        ht.library.pendulum().hangs_apart  # noqa: B018
    with pytest.raises(AttributeError, match="it is now called 'squared_gyration_radii'"):
        ht.Sphere(1.0).gyration  # noqa: B018
    with pytest.raises(AttributeError, match="'moved'; it is now called 'integrate'"):
        ht.dynamics(ht.library.pendulum()).moved  # noqa: B018
    with pytest.raises(AttributeError, match="it is now called 'articulated_inertias'"):
        ht.influence(ht.library.pendulum(), [0.1]).branch_inertias  # noqa: B018
    with pytest.raises(AttributeError, match="'sheet'; it is now called 'printed_matrices'"):
        ht.kane.partials(ht.library.pendulum()).sheet  # noqa: B018
    for old, new in RENAMED_FORMULATIONS.items():
        assert new in FORMULATIONS
        with pytest.raises(OptionError, match=f"'{old}'; it is now called '{new}'"):
            find(FORMULATIONS, old, "formulation")


@pytest.mark.parametrize(
    ("owner", "name", "meant"),
    [
        (ht.library, "n_pendlum", "hamiltree.library has no attribute 'n_pendlum'; did you mean"),
        (ht.library, "n_pendlum", "'n_pendulum'"),
        (ht.library, "zebra", "hamiltree.library has no attribute 'zebra'$"),
        (Plots(None), "energyy", "run.plot has no attribute 'energyy'; did you mean 'energy'"),
        (ModelPlots(None), "tre", "model.plot has no attribute 'tre'; did you mean 'tree'"),
    ],
)
def test_an_unknown_model_or_plot_is_answered_with_the_nearest(owner, name, meant):
    with pytest.raises(AttributeError, match=meant):
        getattr(owner, name)
    assert not hasattr(owner, "__deepcopy__") and copy.copy(ModelPlots(1)).model == 1


def test_renamed_attributes_of_a_model_are_there_under_the_new_name():
    for old, new in PUBLIC.items():
        owner, _, attribute = new.rpartition(".")
        part = getattr(ht, owner, getattr(ht.model, owner, None)) if owner else ht
        assert part is None or (hasattr(part, attribute) and not hasattr(part, old.split(".")[1]))
