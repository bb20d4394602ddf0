/** The camera as numbers: where it looks, from which side, how far; and the distance that shows all.
 *
 * Pictures have `up` upwards; azimuth and elevation are measured against it, in radians.
 */

import { across, add, cross, dot, scale, subtract, unit } from "./algebra.ts";
import type { Vector } from "./document.ts";

export interface CameraState {
  target: Vector;
  azimuth: number;
  elevation: number;
  distance: number;
  isOrthographic: boolean;
}

export interface Axes {
  right: Vector;
  up: Vector;
  back: Vector; // from the target to the camera
}

export interface Box {
  low: Vector;
  high: Vector;
}

export const FIELD_OF_VIEW = (35 * Math.PI) / 180; // of the smaller side of the picture
const MARGIN = 1.06;
const TOOLBAR = 88; // px at the top of the picture that buttons cover
const HIGHEST = Math.PI / 2;
const FLAT = 0.12; // of the widest extent: a motion that is thinner is seen across its plane

/** Right, up and back of a camera. */
export function cameraAxes(state: CameraState, up: Vector): Axes {
  const [x, y] = horizontal(up);
  const c = Math.cos(state.elevation);
  const level = add(scale(Math.cos(state.azimuth), x), scale(Math.sin(state.azimuth), y));
  const back = unit(add(scale(c, level), scale(Math.sin(state.elevation), up)));
  const side = add(scale(-Math.sin(state.azimuth), x), scale(Math.cos(state.azimuth), y));
  const right = unit(side);
  return { right, up: cross(back, right), back };
}

/** The two axes that azimuth is measured with: x and y of the world where z is up. */
export function horizontal(up: Vector): [Vector, Vector] {
  if (up[2] > 0.999) return [
    [1, 0, 0],
    [0, 1, 0],
  ];
  return across(up);
}

export function cameraPosition(state: CameraState, up: Vector): Vector {
  return add(state.target, scale(state.distance, cameraAxes(state, up).back));
}

/** Pixels of a point of the world, y downwards; and its depth in front of the camera. */
export function project(
  state: CameraState,
  up: Vector,
  point: Vector,
  width: number,
  height: number,
): { x: number; y: number; depth: number } {
  const axes = cameraAxes(state, up);
  const arm = subtract(point, state.target);
  const depth = state.distance - dot(arm, axes.back);
  const half = halfHeight(state, width, height);
  const shown = state.isOrthographic ? half : (half * depth) / state.distance;
  const factor = height / 2 / shown;
  return {
    x: width / 2 + factor * dot(arm, axes.right),
    y: height / 2 - factor * dot(arm, axes.up),
    depth,
  };
}

/** Half the height of the picture, in metres, at the target. */
export function halfHeight(state: CameraState, width: number, height: number): number {
  const smaller = state.distance * Math.tan(FIELD_OF_VIEW / 2);
  return height <= width ? smaller : (smaller * height) / width;
}

/** A ball that must be seen. */
export interface Ball {
  centre: Vector;
  radius: number;
}

/** The camera that shows all balls from a side, as near as it can be, with them in the middle. */
export function frameBalls(
  state: CameraState,
  balls: readonly Ball[],
  up: Vector,
  width: number,
  height: number,
): CameraState {
  const axes = cameraAxes(state, up);
  const slope = Math.tan(FIELD_OF_VIEW / 2);
  const bar = height > 3 * TOOLBAR ? TOOLBAR / height : 0; // the part of the picture below buttons
  const wide = slope * Math.max(1, width / height);
  const high = slope * Math.max(1, height / width) * (1 - bar);
  const { low, high: top } = boxOf(balls);
  let target = scale(0.5, add(low, top));
  let distance = 0;
  for (let pass = 0; pass < 4; pass++) {
    distance = 0;
    for (const { centre, radius } of balls) {
      const arm = subtract(centre, target);
      const near = state.isOrthographic ? 0 : dot(arm, axes.back);
      const across = (Math.abs(dot(arm, axes.right)) + radius) / wide;
      const above = (Math.abs(dot(arm, axes.up)) + radius) / high;
      distance = Math.max(distance, near + Math.max(across, above));
    }
    distance *= MARGIN;
    target = add(target, offCentre({ ...state, target, distance }, balls, axes));
  }
  distance = distance || 1;
  const half = halfHeight({ ...state, distance }, width, height);
  return { ...state, target: add(target, scale(bar * half, axes.up)), distance };
}

/** The box around balls. */
export function boxOf(balls: readonly Ball[]): Box {
  const low: Vector = [Infinity, Infinity, Infinity];
  const high: Vector = [-Infinity, -Infinity, -Infinity];
  for (const { centre, radius } of balls) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], centre[k] - radius);
      high[k] = Math.max(high[k], centre[k] + radius);
    }
  }
  return { low, high };
}

/** How far the middle of what is seen is beside the target, in metres. */
function offCentre(state: CameraState, balls: readonly Ball[], axes: Axes): Vector {
  let shift: Vector = [0, 0, 0];
  for (const axis of [axes.right, axes.up]) {
    let [low, high] = [Infinity, -Infinity];
    for (const { centre, radius } of balls) {
      const arm = subtract(centre, state.target);
      const depth = state.isOrthographic ? state.distance : state.distance - dot(arm, axes.back);
      const seen = (state.distance / Math.max(depth, 0.1 * state.distance)) * dot(arm, axis);
      low = Math.min(low, seen - radius);
      high = Math.max(high, seen + radius);
    }
    shift = add(shift, scale((low + high) / 2, axis));
  }
  return shift;
}

/** A good side to look from: across the plane of a flat motion, else from the front and above. */
export function defaultSide(box: Box, up: Vector): { azimuth: number; elevation: number } {
  const extent = subtract(box.high, box.low);
  const widest = Math.max(...extent);
  const [x, y] = horizontal(up);
  const spread = (axis: Vector): number =>
    Math.abs(extent[0] * axis[0]) + Math.abs(extent[1] * axis[1]) + Math.abs(extent[2] * axis[2]);
  if (spread(y) < FLAT * widest) return { azimuth: -Math.PI / 2 + 0.3, elevation: 0.16 };
  if (spread(x) < FLAT * widest) return { azimuth: 0.3, elevation: 0.16 };
  if (spread(up) < FLAT * widest) return { azimuth: -Math.PI / 2, elevation: 1.05 };
  return { azimuth: -1.0, elevation: 0.34 };
}

export function turn(state: CameraState, dx: number, dy: number): CameraState {
  const elevation = Math.max(-HIGHEST, Math.min(HIGHEST, state.elevation + dy));
  return { ...state, azimuth: state.azimuth - dx, elevation };
}

export function zoom(state: CameraState, factor: number): CameraState {
  return { ...state, distance: state.distance * factor };
}

/** Moves the target by pixels of the picture. */
export function pan(
  state: CameraState,
  up: Vector,
  dx: number,
  dy: number,
  width: number,
  height: number,
): CameraState {
  const axes = cameraAxes(state, up);
  const metres = (2 * halfHeight(state, width, height)) / height;
  const shift = add(scale(-dx * metres, axes.right), scale(dy * metres, axes.up));
  return { ...state, target: add(state.target, shift) };
}

/** Along an axis of the world: the camera sits on its positive side. */
export function lookAlong(state: CameraState, axis: "x" | "y" | "z"): CameraState {
  if (axis === "z") return { ...state, azimuth: -Math.PI / 2, elevation: HIGHEST };
  return { ...state, azimuth: axis === "x" ? 0 : -Math.PI / 2, elevation: 0 };
}
