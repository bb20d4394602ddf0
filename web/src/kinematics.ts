/** Forward kinematics of a tree: pose(child) = pose(parent) · onParent · exp(screw₁ q₁) … · onChild⁻¹. */

import { about, add, conjugate, cross, dot, length, product, rotate, scale } from "./algebra.ts";
import type { Quaternion } from "./algebra.ts";
import type { FrameData, KinematicsData, TreeJointData, Vector } from "./document.ts";

export interface Pose {
  at: Vector;
  turn: Quaternion;
}

export const IDENTITY: Pose = { at: [0, 0, 0], turn: [1, 0, 0, 0] };

export function poseOfFrame(frame: FrameData): Pose {
  return { at: [frame[0], frame[1], frame[2]], turn: [frame[3], frame[4], frame[5], frame[6]] };
}

export function compose(a: Pose, b: Pose): Pose {
  return { at: add(a.at, rotate(a.turn, b.at)), turn: product(a.turn, b.turn) };
}

export function inverse(a: Pose): Pose {
  const back = conjugate(a.turn);
  return { at: scale(-1, rotate(back, a.at)), turn: back };
}

/** exp(screw x): a turn about the axis of the screw with its advance, or a displacement. */
export function screwPose(angular: Vector, linear: Vector, x: number): Pose {
  const rate = length(angular);
  if (rate === 0) return { at: scale(x, linear), turn: [1, 0, 0, 0] };
  const turn = about(angular, rate * x);
  const point = scale(1 / rate ** 2, cross(angular, linear));
  const advance = scale((dot(angular, linear) / rate ** 2) * x, angular);
  return { at: add(add(point, scale(-1, rotate(turn, point))), advance), turn };
}

function jointPose(joint: TreeJointData, q: ArrayLike<number>): Pose {
  let pose = IDENTITY;
  for (const axis of joint.axes) {
    const x = axis.ratio * q[axis.row] + axis.offset;
    pose = compose(pose, screwPose(axis.angular, axis.linear, x));
  }
  if (joint.ball !== null) {
    const row = joint.ball;
    const norm = Math.hypot(q[row], q[row + 1], q[row + 2], q[row + 3]) || 1;
    const turn = [0, 1, 2, 3].map((k) => q[row + k] / norm) as Quaternion;
    pose = compose(pose, { at: [0, 0, 0], turn });
  }
  return pose;
}

/** Writes x, y, z and a unit quaternion of every body at positions of the tree. */
export function treePoses(data: KinematicsData, q: ArrayLike<number>, out: Float64Array): void {
  const found: Pose[] = [];
  for (const joint of data.joints) {
    const inner = joint.inner < 0 ? IDENTITY : found[joint.inner];
    const across = compose(
      compose(poseOfFrame(joint.onParent), jointPose(joint, q)),
      inverse(poseOfFrame(joint.onChild)),
    );
    const pose = compose(inner, joint.reversed ? inverse(across) : across);
    found[joint.body] = pose;
    out.set([...pose.at, ...pose.turn], 7 * joint.body);
  }
}
