"""A potential energy of the poses of two bodies, V(R1, r1, R2, r2), that a user writes: as data.

The names of a formula are those of POSE_VARIABLES: the pose of frame b in frame a, and both poses
in the world.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.elements import BetweenBodies
from hamiltree.model.forces import FORCES
from hamiltree.model.formulas import NO_PARAMETERS, Formula, check_named_numbers, formula
from hamiltree.model.named_parts import check_fields
from hamiltree.model.values import IDENTITY, Frame, as_frame, part_error

WORD = re.compile(r"[^\W\d]\w*")


def pose_names(number: str) -> tuple[str, ...]:
    """x, y, z of a frame's origin, then its rotation matrix by columns: R_11 is row 1, column 1."""
    entries = [f"R{number}_{i}{j}" for j in (1, 2, 3) for i in (1, 2, 3)]
    return (*(f"{axis}{number}" for axis in "xyz"), *entries)


# Of frame b in frame a: R1ᵀ(r2 − r1), R1ᵀR2 and |r2 − r1|; then (r1, R1) and (r2, R2) in the world.
RELATIVE_VARIABLES = (*pose_names(""), "r")
ABSOLUTE_VARIABLES = (*pose_names("1"), *pose_names("2"))
POSE_VARIABLES = (*RELATIVE_VARIABLES, *ABSOLUTE_VARIABLES)


@register(FORCES)
@dataclass(frozen=True, slots=True)
class PosePotential(BetweenBodies):
    """Force and torque on two bodies of an energy V (J) of their poses, which counts in V of the
    model.

    `energy` is a formula of the parameters and of the pose of frame_b in frame_a: origin x, y, z,
    distance r of the origins, and rotation matrix R_11 ... R_33 (row, column; R_ij is axis i of
    frame a times axis j of frame b). Or of the poses in the world: x1 y1 z1 R1_11 ... R1_33 of
    frame_a, x2 y2 z2 R2_11 ... R2_33 of frame_b; R1_13 is the x component of the third axis of
    frame_a. The frames are those of the bodies unless given.

    Or `energy` is a Python function V(R1, r1, R2, r2) -> float of these matrices and points: it is
    read as a formula, and so differentiated exactly. One that cannot be, because it branches, needs
    its `gradient`, f(R1, r1, R2, r2, dR1, dr1, dR2, dr2), which writes dV by each entry; then both
    are compiled, and compared with differences at the start.
    """

    kind: ClassVar[str] = "pose_potential"
    is_conservative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"energy": "energy"}

    energy: Formula | Callable[..., Any]
    parameters: Mapping[str, float] = NO_PARAMETERS
    frame_a: Frame = IDENTITY
    frame_b: Frame = IDENTITY
    gradient: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        """Check the formula or the functions, and what belongs to them."""
        BetweenBodies.__post_init__(self)
        if not callable(self.energy) or hasattr(self.energy, "xreplace"):
            check_fields(self, formula, "energy")
        check_fields(self, check_named_numbers, "parameters")
        check_fields(self, as_frame, "frame_a", "frame_b")
        self._check_functions()

    def _check_functions(self) -> None:
        """Parameters belong to a formula, a gradient to a function."""
        if callable(self.energy) and self.parameters:
            raise part_error(
                self.part,
                "parameters",
                self.parameters,
                "belong to formulas; write the numbers into the function",
            )
        if self.gradient is None:
            return
        if not callable(self.gradient):
            raise part_error(
                self.part,
                "gradient",
                self.gradient,
                "is no Python function; give f(R1, r1, R2, r2, dR1, dr1, dR2, dr2), or leave it "
                "out",
            )
        if not callable(self.energy):
            raise part_error(
                self.part,
                "gradient",
                self.gradient,
                "belongs to an energy that is a Python function; of a formula it is derived",
            )

    @property
    def is_relative(self) -> bool:  # type: ignore[override]
        """Whether the formula names nothing but the pose of frame b in frame a."""
        if callable(self.energy):
            return False
        return not {*WORD.findall(str(self.energy))} & {*ABSOLUTE_VARIABLES}
