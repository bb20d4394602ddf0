"""A Model as Pinocchio has it: joint by joint, with maps between the two orders of positions and
speeds.

Quaternions have the scalar last there, six-vectors the linear part first, and the speed of a free
joint is in the child's axes:
v_pin = T(q) v with dT/dt = W(v) T, W = −ω̃ on the linear rows of free joints.
"""

import numpy as np
import pinocchio as pin

from hamiltree.model import spanning_tree
from hamiltree.model.joints import coordinate_labels

TIP = (0.3, -0.2, 0.1)  # a point of every body that is a frame of its own, called name@tip


def placement(frame):
    return pin.SE3(np.array(frame.matrix), np.array(frame.position))


JOINT = {
    "revolute": lambda joint: pin.JointModelRevoluteUnaligned(np.array(joint.axis)),
    "prismatic": lambda joint: pin.JointModelPrismaticUnaligned(np.array(joint.axis)),
    "ball": lambda joint: pin.JointModelSpherical(),
    "free": lambda joint: pin.JointModelFreeFlyer(),
}


def angular_first(six):
    """Rows of a 6×n matrix in our order."""
    return np.concatenate([six[3:], six[:3]])


def columns(six):
    """A 6×n matrix, also of one column, which comes back flat."""
    return np.asarray(six).reshape(6, -1)


class Peer:
    """The same tree in Pinocchio; the joint frame on the child is Pinocchio's joint frame."""

    def __init__(self, model):
        self.source, self.model = model, pin.Model()
        self.model.gravity.linear = np.array(model.gravity)
        ids, self.joints = {"ground": (0, pin.SE3.Identity())}, []
        # depth first, as Pinocchio's matrices assume
        for joint in (model.joints[j] for j in spanning_tree(model).joint):
            parent, mount = ids[joint.parent]
            at = mount * placement(joint.on_parent)
            body_in_joint = placement(joint.on_child).inverse()
            if joint.kind == "weld":
                number, frame = parent, at * body_in_joint
            else:
                number, frame = (
                    self.model.addJoint(parent, JOINT[joint.kind](joint), at, joint.name),
                    body_in_joint,
                )
                self.joints.append((joint, number))
            ids[joint.child] = number, frame
            self.add_body(model.body(joint.child), number, frame)
        self.data = self.model.createData()

    def add_body(self, body, number, frame):
        self.model.appendBodyToJoint(
            number, pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia)), frame
        )
        self.model.addFrame(pin.Frame(body.name, number, 0, frame, pin.FrameType.BODY))
        tip = frame * pin.SE3(np.eye(3), np.array(TIP))
        self.model.addFrame(pin.Frame(f"{body.name}@tip", number, 0, tip, pin.FrameType.OP_FRAME))

    def q(self, q):
        """Scalar last; a hinge without limits is (cos, sin) in robots that Pinocchio has read
        itself.
        """
        out = np.zeros(self.model.nq)
        for joint, number, ours in self.rows("coordinates", q):
            at, room = self.model.joints[number].idx_q, self.model.joints[number].nq
            if joint.has_ball:
                ours = np.concatenate([ours[:-4], ours[-3:], ours[-4:-3]])
            elif room == 2:
                ours = np.array([np.cos(ours[0]), np.sin(ours[0])])
            out[at : at + room] = ours
        return out

    def rows(self, which, values):
        """Every joint with its number there and its values of model.coordinates or model.speeds."""
        where = {name: k for k, name in enumerate(getattr(self.source, which))}
        for joint, number in self.joints:
            own = coordinate_labels(
                joint, joint.suffixes() if which == "coordinates" else joint.speed_suffixes()
            )
            yield joint, number, np.asarray(values)[[where[label] for label in own]]

    def map(self, q):
        """T with v_pin = T v."""
        T = np.zeros((self.model.nv, self.model.nv))
        for joint, number, ours in self.rows("speeds", np.arange(self.model.nv)):
            at, block = self.model.joints[number].idx_v, np.eye(joint.speeds)
            if joint.kind == "free":
                block[:3, :3] = self.turn(joint, q).T
            T[at : at + joint.speeds, ours] = block
        return T

    def turn(self, joint, q):
        place = self.source.coordinates.index(f"{joint.name}.qw")
        w, x, y, z = np.asarray(q)[place : place + 4]
        return pin.Quaternion(w, x, y, z).matrix()

    def spin(self, qdot):
        """W with dT/dt = W T."""
        W = np.zeros((self.model.nv, self.model.nv))
        for joint, number, ours in self.rows("speeds", qdot):
            if joint.kind == "free":
                at = self.model.joints[number].idx_v
                W[at : at + 3, at : at + 3] = -pin.skew(ours[3:])
        return W

    def map_rate(self, q, qdot):
        """dT/dt"""
        return self.spin(qdot) @ self.map(q)

    def state(self, q, qdot, qddot):
        """(q, v, a) of Pinocchio."""
        T = self.map(q)
        return self.q(q), T @ qdot, T @ qddot + self.map_rate(q, qdot) @ qdot

    # ---- answers in our coordinates --------------------------------------------------------------
    def mass_matrix(self, q):
        M, T = pin.crba(self.model, self.data, self.q(q)), self.map(q)
        return T.T @ (np.triu(M) + np.triu(M, 1).T) @ T

    def inverse_dynamics(self, q, qdot, qddot):
        return self.map(q).T @ pin.rnea(self.model, self.data, *self.state(q, qdot, qddot))

    def forward_dynamics(self, q, qdot, tau):
        T = self.map(q)
        theirs = pin.aba(self.model, self.data, self.q(q), T @ qdot, np.linalg.solve(T.T, tau))
        return np.linalg.solve(T, theirs - self.map_rate(q, qdot) @ qdot)

    def gravity(self, q):
        return self.map(q).T @ pin.computeGeneralizedGravity(self.model, self.data, self.q(q))

    def centre_of_mass(self, q):
        return pin.centerOfMass(self.model, self.data, self.q(q))

    def momentum_matrix(self, q):
        return angular_first(
            columns(pin.computeCentroidalMap(self.model, self.data, self.q(q))) @ self.map(q)
        )

    def energies(self, q, qdot):
        kinetic = pin.computeKineticEnergy(self.model, self.data, self.q(q), self.map(q) @ qdot)
        return kinetic, pin.computePotentialEnergy(self.model, self.data, self.q(q))

    def frame(self, q, name):
        """Rotation matrix and position."""
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        found = self.data.oMf[self.model.getFrameId(name)]
        return found.rotation, found.translation

    def jacobian(self, q, name, axes):
        J = columns(
            pin.computeFrameJacobian(
                self.model, self.data, self.q(q), self.model.getFrameId(name), AXES[axes]
            )
        )
        return angular_first(J @ self.map(q))

    def jacobian_rate(self, q, qdot, name, axes):
        """d(J T)/dt = J̇ T + J dT/dt."""
        J = columns(
            pin.computeFrameJacobian(
                self.model, self.data, self.q(q), self.model.getFrameId(name), AXES[axes]
            )
        )
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self.q(q), self.map(q) @ qdot)
        pin.updateFramePlacements(self.model, self.data)
        Jdot = columns(
            pin.getFrameJacobianTimeVariation(
                self.model, self.data, self.model.getFrameId(name), AXES[axes]
            )
        )
        return angular_first(Jdot @ self.map(q) + J @ self.map_rate(q, qdot))

    def inverse_derivatives(self, q, qdot, qddot):
        """∂τ/∂q, ∂τ/∂q̇ of τ = Tᵀ rnea(q, T q̇, T q̈ + W(q̇) T q̇), where T changes by W(e) T along
        a direction e.
        """
        T, W, state = self.map(q), self.spin(qdot), self.state(q, qdot, qddot)
        by_q, by_v, M = pin.computeRNEADerivatives(self.model, self.data, *state)
        M, tau = np.triu(M) + np.triu(M, 1).T, pin.rnea(self.model, self.data, *state)
        along, across = [], []
        for e in np.eye(self.model.nv):
            turn = self.spin(e) @ T
            along.append(
                turn.T @ tau
                + T.T @ (by_q @ T @ e + by_v @ turn @ qdot + M @ (turn @ qddot + W @ turn @ qdot))
            )
            across.append(T.T @ (by_v @ T @ e + M @ (turn @ qdot + W @ T @ e)))
        return np.array(along).T, np.array(across).T

    def forward_derivatives(self, q, qdot, tau):
        """∂a/∂q, ∂a/∂q̇, ∂a/∂τ of T a = aba(q, T q̇, T⁻ᵀ τ) − W(q̇) T q̇."""
        T, W, theirs = self.map(q), self.spin(qdot), np.linalg.solve(self.map(q).T, tau)
        a = self.forward_dynamics(q, qdot, tau)
        by_q, by_v, inverse = pin.computeABADerivatives(
            self.model, self.data, self.q(q), T @ qdot, theirs
        )
        inverse, along, across = np.triu(inverse) + np.triu(inverse, 1).T, [], []
        for e in np.eye(self.model.nv):
            turn = self.spin(e) @ T
            pushed = inverse @ np.linalg.solve(T.T, turn.T @ theirs)
            along.append(by_q @ T @ e + by_v @ turn @ qdot - pushed - turn @ a - W @ turn @ qdot)
            across.append(by_v @ T @ e - turn @ qdot - W @ T @ e)
        back = np.linalg.inv(T)
        return back @ np.array(along).T, back @ np.array(across).T, back @ inverse @ back.T


AXES = {"world": pin.LOCAL_WORLD_ALIGNED, "body": pin.LOCAL}
