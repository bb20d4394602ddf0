"""One URDF or MJCF file: whether it loads, in which way, and how far its numbers are from those of
Pinocchio or MuJoCo on the same file.

Deviations are relative to the largest entry: of the mass matrix, and of what a random acceleration
needs (URDF) or what the file's own forces make (MJCF).
"""

import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

import hamiltree as ht
from hamiltree.errors import HamiltreeError
from hamiltree.files.mjcf import features_of, read_mjcf
from hamiltree.files.mjcf_equality import JOINT
from hamiltree.files.mjcf_files import check_files
from hamiltree.files.urdf import read_urdf
from hamiltree.model import GROUND, Coincident, Drive, Model
from tests.agreement.pinocchio_trees import Peer
from tests.files import mjcf_constrained

URDF_WAYS = {
    "as given": {},
    "merged": {"merge_fixed": True},
    "repaired": {"inertia": "repair"},
    "mimic ignored": {"merge_fixed": True, "mimic": "ignore"},
}
SINGULAR = 1e-13  # smallest eigenvalue of a scaled mass matrix that is rounding
SOLVABLE = 1e10  # condition of a mass matrix that still determines accelerations


@dataclass
class Reading:
    """What became of a file."""

    path: Path
    way: str = ""  # in which it loads; empty if it does not
    reason: str = ""  # why it does not load as given
    reference: str = ""  # what Pinocchio or MuJoCo say against it
    bodies: int = 0
    speeds: int = 0
    dropped: str = ""
    needs_root: bool = False
    lacks_inertia: bool = False  # a joint moves no mass: there are no accelerations
    deviation: float | None = None  # from Pinocchio or MuJoCo
    remark: str = ""


# ---- URDF ----------------------------------------------------------------------------------------
def read_robot(path: Path) -> Reading:
    """A URDF file in the first way in which it loads, compared with Pinocchio."""
    found = Reading(path, reference=complaint_of_pinocchio(path))
    for way, options in URDF_WAYS.items():
        try:
            model = read_urdf(path, **options)
        except HamiltreeError as error:
            found.reason = found.reason or short(error, path)
            continue
        found.way, found.bodies, found.speeds = way, len(model.bodies), len(model.speeds)
        found.lacks_inertia = lacks_inertia(model)
        if not found.reference:
            compare_with_pinocchio(path, options, found)
        break
    return found


def lacks_inertia(model: Model) -> bool:
    """Whether the mass matrix is singular, its coordinates scaled by their own inertia."""
    if not model.speeds:
        return False
    d, step = ht.dynamics(model), np.random.default_rng(0).normal(size=len(model.speeds))
    try:
        M = d.mass_matrix(d.integrate(model.start()[0], step))
    except HamiltreeError:  # with couplings the matrix is made by solving
        return True
    inertias = np.diag(M)
    if inertias.min() <= 0.0:
        return True
    scale = 1 / np.sqrt(inertias)
    return bool(np.linalg.eigvalsh(M * np.outer(scale, scale))[0] < SINGULAR)


def complaint_of_pinocchio(path: Path) -> str:
    """Its error, or what its parser writes to stderr."""
    with captured_stderr() as written:
        try:
            pin.buildModelFromUrdf(str(path))
        except (ValueError, RuntimeError) as error:
            return f"{error}"
    complaints = re.findall(r"Error: +(.*)", "".join(written))
    return complaints[0] if complaints else ""


@contextmanager
def captured_stderr() -> Iterator[list[str]]:
    """What compiled code writes to stderr, as text."""
    written: list[str] = []
    before = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        try:
            yield written
        finally:
            os.dup2(before, 2)
            os.close(before)
            file.seek(0)
            written.append(file.read().decode(errors="replace"))


class Robot(Peer):
    """A file as Pinocchio reads it, on a floating base; joints are matched by name."""

    def __init__(self, path: Path, source: Model) -> None:
        self.source = source
        self.model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        self.data = self.model.createData()
        names = {name: number for number, name in enumerate(self.model.names)}
        names[source.joints[0].name] = names["root_joint"]
        self.joints = [(joint, names[joint.name]) for joint in source.joints if joint.coordinates]


def compare_with_pinocchio(path: Path, options: dict, found: Reading) -> None:
    """Mass matrix, inverse dynamics and, where it is defined, forward dynamics on a floating base;
    of a repaired file gravity alone, which inertias do not change.
    """
    alone = {"floating_base": True, "mimic": "ignore", "dynamics": "drop"}
    model = read_urdf(path, **{**options, **alone})
    if any(joint.kind == "planar" for joint in model.joints):
        found.remark = "planar joints count differently in Pinocchio"
        return
    ours, peer, rng = ht.dynamics(model), Robot(path, model), np.random.default_rng(0)
    n = len(model.speeds)
    q = ours.integrate(model.start()[0], rng.normal(size=n))
    v, x = rng.normal(size=(2, n))
    weight = 9.81 * pin.computeTotalMass(peer.model)
    if not weight:
        found.remark = "without any mass: nothing to compare"
        return
    found.deviation = deviation(ours.gravity(q), peer.gravity(q), weight)
    if "repaired" in found.way:
        found.remark = "gravity alone compared"
        return
    M = peer.mass_matrix(q)
    tau = peer.inverse_dynamics(q, v, x)
    found.deviation = max(
        found.deviation,
        deviation(ours.mass_matrix(q), M),
        deviation(ours.inverse_dynamics(q, v, x), tau),
    )
    condition = np.linalg.cond(M)
    if condition < SOLVABLE:
        loss = max(1.0, 1e-5 * condition)  # digits that either program loses by solving with M
        found.deviation = max(
            found.deviation,
            deviation(ours.forward_dynamics(q, v, tau), peer.forward_dynamics(q, v, tau)) / loss,
        )


# ---- MJCF ----------------------------------------------------------------------------------------
def read_scene(path: Path, package: Path) -> Reading:
    """An MJCF file with all dropped that a model cannot keep, compared with MuJoCo; files may be
    named anywhere in the package.
    """
    found = Reading(path, reference=complaint_of_mujoco(path))
    try:
        model = read_mjcf(path, drop=["all", "actuators"], root=package)
        has = features_of(path, root=package)
    except HamiltreeError as error:
        found.reason = short(error, path)
        return found
    try:
        check_files(str(path))
    except HamiltreeError:
        found.needs_root = True
    found.way, found.dropped = "with drop" if has else "as given", ", ".join(has)
    found.bodies, found.speeds = len(model.bodies), len(model.speeds)
    compare_with_mujoco(path, package, model, found)
    return found


def complaint_of_mujoco(path: Path) -> str:
    try:
        with captured_stderr():
            mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        return " ".join(str(error).split())
    return ""


def compare_with_mujoco(path: Path, package: Path, model: Model, found: Reading) -> None:
    """Mass matrix, bias and smooth accelerations of the tree at a random state; with equality
    constraints that hold at the start, also accelerations there.
    """
    mj = mujoco.MjModel.from_xml_path(str(path))
    if mj.nflex or mj.nplugin or not mj.nv:
        found.remark = "flex or plugins: not compared" if mj.nv else "nothing moves"
        return
    switch_off(mj)
    tree = read_mjcf(path, drop=["all", "actuators", "equality"], root=package)
    rng, data = np.random.default_rng(0), mujoco.MjData(mj)
    data.qpos[:] = mj.qpos0 + rng.uniform(-1, 1, mj.nq)
    mujoco.mj_normalizeQuat(mj, data.qpos)
    data.qvel[:] = rng.normal(size=mj.nv)
    mujoco.mj_forward(mj, data)
    q = position_of(mj, data.qpos)
    M = np.zeros((mj.nv, mj.nv))
    for row, unit in zip(M, np.eye(mj.nv), strict=True):
        mujoco.mj_mulM(mj, data, row, unit)
    ours = ht.dynamics(tree)
    found.deviation = max(
        deviation(ours.mass_matrix(q), M),
        deviation(ours.bias(q, data.qvel), data.qfrc_bias, np.abs(M).max()),
    )
    condition = np.linalg.cond(M)
    if condition < SOLVABLE:
        loss = max(1.0, 1e-5 * condition)  # digits that either program loses by solving with M
        forward = ours.forward_dynamics(q, data.qvel, np.zeros(mj.nv))
        off = deviation(forward, data.qacc_smooth, 1.0) / loss
        found.deviation = max(found.deviation, off)
    if model.closing or model.constraints or model.couplings:
        compare_constrained(path, package, model, found)


def switch_off(mj) -> None:
    """All that a model does not keep; of equality constraints those of tendons and of a higher
    order.
    """
    bits = mujoco.mjtDisableBit
    for name in ("CONTACT", "LIMIT", "FRICTIONLOSS", "ACTUATION"):
        mj.opt.disableflags |= int(getattr(bits, f"mjDSBL_{name}"))
    mj.opt.density = mj.opt.viscosity = 0.0
    mj.body_gravcomp[:] = 0.0
    is_turning = np.isin(mj.jnt_type[mj.dof_jntid], (0, 1))
    mj.dof_armature[is_turning] = 0.0
    for field in ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "armature"):
        getattr(mj, f"tendon_{field}")[:] = 0.0
    for field in ("jnt_stiffnesspoly", "jnt_springyield", "dof_dampingpoly"):
        getattr(mj, field)[:] = 0.0
    is_bent = (mj.eq_type == JOINT) & np.any(mj.eq_data[:, 2:5] != 0.0, axis=1)
    mj.eq_active0[(mj.eq_type > JOINT) | is_bent] = 0
    mujoco.mj_setConst(mj, mujoco.MjData(mj))


def position_of(mj, qpos) -> np.ndarray:
    """q = qpos − ref, but for quaternions and free joints."""
    q = np.array(qpos)
    axes = mj.jnt_qposadr[mj.jnt_type >= 2]
    q[axes] -= mj.qpos0[axes]
    return q


def compare_constrained(path: Path, package: Path, model: Model, found: Reading) -> None:
    """Accelerations with rigid constraints, at a position near the start where they hold."""
    mj = mujoco.MjModel.from_xml_path(str(path))
    switch_off(mj)
    qpos = regular_position(mj)
    if qpos is None:
        found.remark = "no regular position found at which its constraints hold: tree compared"
        return
    qvel = mjcf_constrained.consistent_velocity(mj, qpos, np.ones(mj.nv))
    theirs, *_ = mjcf_constrained.accelerations(mj, qpos, qvel)
    tree = read_mjcf(path, drop=["all", "actuators", "equality"], root=package)
    pick = [tree.speeds.index(label) for label in model.speeds]
    places = [tree.coordinates.index(label) for label in model.coordinates]
    mine = constrained_accelerations(model, position_of(mj, qpos)[places], qvel[pick])
    found.remark = "compared with equality constraints"
    off = deviation(mine, theirs[pick], 1.0)
    found.deviation = max(found.deviation or 0.0, off)


def regular_position(mj) -> np.ndarray | None:
    """A position at which the constraints hold and are far from losing rank; arms often start
    stretched out.
    """
    for seed in range(10):
        step = 0.3 * np.random.default_rng(seed).normal(size=mj.nv) * (seed > 0)
        try:
            qpos = mjcf_constrained.consistent_position(
                mj, mjcf_constrained.moved(mj, mj.qpos0, step, 1.0)
            )
        except (AssertionError, np.linalg.LinAlgError):
            continue
        values = np.linalg.svd(mjcf_constrained.jacobian(mj, qpos)[0], compute_uv=False)
        size = values.max(initial=0.0)
        if not np.any((values > 1e-12 * size) & (values < 1e-3 * size)):
            return qpos
    return None


def constrained_accelerations(model: Model, q, v) -> np.ndarray:
    """M a + Jᵀλ = Q − bias, J a = −J̇ v, with the rows of the model's own loops and constraints."""
    joints = [joint for joint in model.joints if joint.name not in model.closing]
    d = ht.dynamics(replace(model, joints=joints, constraints=()))
    rows, rates = [], []
    for first, second, parts in constrained_points(model):
        J, Jdot = np.zeros((2, 6, len(v)))
        for sign, (body, at) in ((1.0, first), (-1.0, second)):
            if body != GROUND:
                J += sign * d.jacobian(q, body, at=at)
                Jdot += sign * d.jacobian_rate(q, v, body, at=at)
        rows.append(J[parts])
        rates.append(Jdot[parts] @ v)
    for drive in model.constraints:
        if isinstance(drive, Drive):
            rows.append((np.array(model.speeds) == drive.joint)[None, :].astype(float))
            rates.append(np.zeros(1))
    J, rate = np.concatenate(rows or [np.zeros((0, len(v)))]), np.concatenate(rates or [[]])
    return mjcf_constrained.solve(d.mass_matrix(q), J, d.forces(q, v) - d.bias(q, v), -rate)


def constrained_points(model: Model) -> Iterator[tuple]:
    """((body, point), (body, point), rows of a twist that they share)."""
    for point in model.constraints:
        if isinstance(point, Coincident):
            ends = (point.body_a, point.at_a), (point.body_b, point.at_b)
            yield *ends, slice(3, 6)
    for weld in model.joints:
        if weld.name in model.closing:
            ends = (weld.parent, weld.on_parent.position), (weld.child, weld.on_child.position)
            yield *ends, slice(0, 6)


# ---- both ----------------------------------------------------------------------------------------
def deviation(mine, theirs, scale: float = 0.0) -> float:
    """Largest difference, relative to the largest entry or to `scale` where that is larger."""
    size = max(np.abs(theirs).max(initial=0.0), scale)
    return float(np.abs(np.asarray(mine) - theirs).max(initial=0.0) / size) if size else 0.0


def short(error: HamiltreeError, path: Path) -> str:
    """The message without the path, the matrix and the remedies."""
    message = re.sub(rf"^{re.escape(str(path))}:(\d+)", r"line \1", str(error))
    message = message.replace(f"{path}", "")
    message = re.sub(r"inertia = \[\[.*?\]\]", "inertia", message)
    return re.split(r"; |, but ", message)[0].replace("|", "\\|").strip(": ")


def is_mjcf(path: Path) -> bool:
    """Whether an XML file looks like a whole model in MJCF; included parts may have any root."""
    return b"<mujoco" in path.read_bytes() and path.suffix in (".xml", ".mjcf")


def read_all(package: Path) -> Iterator[tuple[str, Reading]]:
    """("URDF" or "MJCF", what became of it) of every file in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mujoco.set_mju_user_warning(lambda text: None)
        for path in sorted(package.rglob("*")):
            if path.suffix == ".urdf":
                yield "URDF", read_robot(path)
            elif path.is_file() and path.suffix in (".xml", ".mjcf") and is_mjcf(path):
                yield "MJCF", read_scene(path, package)
