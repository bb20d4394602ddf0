/** Joints by their kind: pins, sleeves, balls, crosses; bases where they hold to the ground. */

import { add, fromZ, product, rotate, scale } from "./algebra.ts";
import type { FrameData, JointData, SceneData, Vector } from "./document.ts";
import { addCopy } from "./solids.ts";
import type { Copies } from "./solids.ts";

const METAL = 0x59636f;
const LIGHT = 0xcfd6dd;
const BASE = 0x7d8793;

interface Place {
  body: number;
  frame: FrameData;
  index: number;
}

/** The marks of all joints. */
export function jointCopies(scene: SceneData, copies: Copies): void {
  scene.joints.forEach((joint, index) => {
    if (joint.kind === "free" || joint.kind === "translation") return;
    const place: Place = { body: joint.parent, frame: joint.onParent, index };
    const r = scene.thickness;
    if (joint.parent < 0 || joint.child < 0) addBase(copies, joint, place, r);
    if (joint.kind === "ball" || joint.kind === "gimbal") {
      addPart(copies, place, "sphere", [0, 0, 1], 0, [2.7 * r, 2.7 * r, 2.7 * r], METAL);
    } else if (joint.kind === "weld") {
      addPart(copies, place, "box", [0, 0, 1], 0, [1.6 * r, 1.6 * r, 1.6 * r], METAL);
    } else if (joint.kind === "planar") {
      const axis = joint.axes[2].axis;
      addPart(copies, place, "cylinder", axis, 0, [7 * r, 7 * r, 0.3 * r], LIGHT);
    } else {
      for (const axis of joint.axes) addAxis(copies, place, axis, r);
    }
  });
}

function addAxis(copies: Copies, place: Place, axis: JointData["axes"][number], r: number): void {
  const there: Place = { ...place, frame: moved(place.frame, axis.at) };
  if (axis.kind === "slide") {
    addPart(copies, there, "box", axis.axis, 0, [2.5 * r, 2.5 * r, 3.6 * r], METAL);
    return;
  }
  addPart(copies, there, "cylinder", axis.axis, 0, [1.5 * r, 1.5 * r, 3.0 * r], METAL);
  for (const end of [-1.5, 1.5]) {
    addPart(copies, there, "cylinder", axis.axis, end * r, [1.9 * r, 1.9 * r, 0.3 * r], LIGHT);
  }
  if (axis.kind === "screw") {
    for (const turn of [-0.8, 0, 0.8]) {
      addPart(copies, there, "ring", axis.axis, turn * r, [2.6 * r, 2.6 * r, 2.6 * r], LIGHT);
    }
  }
}

/** A disc behind a joint to the ground. */
function addBase(copies: Copies, joint: JointData, place: Place, r: number): void {
  const axis = joint.axes.find((entry) => entry.kind !== "slide")?.axis ?? [0, 0, 1];
  if (joint.kind === "planar") return;
  addPart(copies, place, "cylinder", axis, 0, [3.4 * r, 3.4 * r, 1.5 * r], BASE);
}

function addPart(
  copies: Copies,
  place: Place,
  shape: string,
  axis: Vector,
  along: number,
  size: Vector,
  color: number,
): void {
  const turn = place.frame.slice(3);
  const shift = rotate(turn, scale(along, axis));
  const frame = [...add(place.frame, shift), ...product(turn, fromZ(axis))] as FrameData;
  addCopy(copies, shape, {
    body: place.body,
    frame,
    size,
    color,
    owner: { kind: "joint", index: place.index },
  });
}

function moved(frame: FrameData, by: Vector): FrameData {
  const shift = rotate(frame.slice(3), by);
  return [...add(frame, shift), ...frame.slice(3)] as FrameData;
}
