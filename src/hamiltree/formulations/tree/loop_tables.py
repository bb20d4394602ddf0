"""Assembly of hamiltonian_loops: the spanning tree as a model of its own, and the rows of what
closes its loops, on links.
"""

from functools import cached_property

from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.links import build_links
from hamiltree.assembly.placement import placement_of
from hamiltree.assembly.row_tables import make_row_table
from hamiltree.assembly.windings import AngleList, CoordinateRows, counted_labels
from hamiltree.errors import FitError
from hamiltree.forces.dispatch import make_joint_laws
from hamiltree.model.joints import coordinate_labels
from hamiltree.model.model import Model


class LoopTables:
    """A mechanism at a start: its tree, the independent rows, and the forces along closing
    joints.
    """

    def __init__(self, assembly: Assembly):
        """Check the mechanism; refuse forces and armature that closing joints cannot have."""
        self.model = model = assembly.model
        self.mechanism = assembly.mechanism
        self.mechanism.check()
        self.specs = self.mechanism.independent_specs
        closing = [model.joint(name) for name in model.closing]
        for joint in closing:
            if any(joint.armatures()):
                raise FitError(
                    f"joint '{joint.name}' closes a loop and has armature, an inertia of a "
                    "coordinate that it does not have; "
                    "declare it before the other joints of its loop, or put the inertia on another "
                    "joint",
                    part=("joint", joint.name),
                )
        self.check_ball_forces(closing)
        self.followed = AngleList(model, self.mechanism.start_configuration)
        self.followed.add_labels(counted_labels(self.mechanism.specs))
        self.names = {name for joint in closing for name in (joint.name, *coordinate_labels(joint))}
        self.forces = [
            force for force in model.forces if getattr(force, "joint", None) in self.names
        ]

    def check_ball_forces(self, closing) -> None:
        """A damper of a ball acts on its bodies; the laws of a tree know its own joints only."""
        loose = {joint.name for joint in closing if joint.has_ball}
        for position, force in enumerate(self.model.forces):
            if getattr(force, "joint", None) in loose:
                raise FitError(
                    f"{force.describe(position)}: joint '{getattr(force, 'joint', '')}' is a ball "
                    "that closes a loop; "
                    "declare it before the other joints of its loop, or use a cartesian "
                    "formulation",
                    part=("force", force.name or position + 1),
                )

    @cached_property
    def tree_model(self) -> Model:
        """The same bodies held by the tree alone, with the forces that need no closing joint."""
        rest = [
            force for force in self.model.forces if getattr(force, "joint", None) not in self.names
        ]
        rows = set(map(id, self.model.couplings_as_constraints))
        couplings = [coupling for coupling in self.model.couplings if id(coupling) not in rows]
        return self.model.with_(
            joints=list(self.model.tree_joints), forces=rest, constraints=(), couplings=couplings
        )

    def winding_angles(self) -> list[tuple[str, float]]:
        """Coordinate and scale of the angles that are followed, in the order of the windings."""
        self.tabulate_on_links(build_links(self.tree_model, "hamiltonian_loops"))
        return self.followed.scales

    def tabulate_on_links(self, links):
        """(rows, coordinates of closing joints, laws along these, angles to follow)."""
        placement = placement_of(self.tree_model, links)
        closing = CoordinateRows(self.followed)
        coordinate = closing.row

        def axes(name):
            """Rows of all one-axis coordinates that a name covers."""
            joint = next((joint for joint in self.model.joints if name == joint.name), None)
            if joint is None:
                return [coordinate(name)]
            return [coordinate(label) for label in coordinate_labels(joint)[: len(joint.screws())]]

        def ball(name):
            joint = next((joint for joint in self.model.joints if joint.name == name), None)
            return (joint.parent, joint.child) if joint is not None and joint.has_ball else None

        laws = make_joint_laws(
            self.forces,
            placement._replace(coordinate=coordinate, axes=axes, ball=ball, followers={}),
        )
        numbers = self.followed.numbers
        return (
            make_row_table(self.specs, placement.link_of_body, numbers),
            make_row_table(closing.specs, placement.link_of_body, numbers),
            laws,
            self.followed.table(placement.link_of_body),
        )
