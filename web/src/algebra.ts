/** Vectors and unit quaternions (scalar first) in plain arrays. */

import type { Vector } from "./document.ts";

export type Quaternion = [number, number, number, number];
export type Point = ArrayLike<number>;

export const add = (a: Point, b: Point): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Point, b: Point): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (s: number, a: Point): Vector => [s * a[0], s * a[1], s * a[2]];
export const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Point): number => Math.hypot(a[0], a[1], a[2]);

export function cross(a: Point, b: Point): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

export function unit(a: Point): Vector {
  const size = length(a);
  return size > 0 ? scale(1 / size, a) : [0, 0, 1];
}

/** a ⊗ b: the turn b, then the turn a. */
export function product(a: Point, b: Point): Quaternion {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

export const conjugate = (q: Point): Quaternion => [q[0], -q[1], -q[2], -q[3]];

/** v turned by a unit quaternion: v + 2 (w a × v + a × (a × v)). */
export function rotate(q: Point, v: Point): Vector {
  const a: Vector = [q[1], q[2], q[3]];
  const once = cross(a, v);
  const twice = cross(a, once);
  return [0, 1, 2].map((k) => v[k] + 2 * (q[0] * once[k] + twice[k])) as Vector;
}

/** The turn by an angle about an axis. */
export function about(axis: Point, angle: number): Quaternion {
  const [x, y, z] = unit(axis);
  const s = Math.sin(angle / 2);
  return [Math.cos(angle / 2), s * x, s * y, s * z];
}

/** The shortest turn of z into a direction. */
export function fromZ(direction: Point): Quaternion {
  const [x, y, z] = unit(direction);
  if (z < -0.999999999) return [0, 1, 0, 0];
  const w = Math.sqrt((1 + z) / 2);
  return [w, -y / (2 * w), x / (2 * w), 0];
}

/** Two unit vectors across a direction, right-handed with it. */
export function across(direction: Point): [Vector, Vector] {
  const z = unit(direction);
  const near: Vector = Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const x = unit(subtract(near, scale(dot(near, z), z)));
  return [x, cross(z, x)];
}

/** Writes the 3 × 4 matrix of a pose (x, y, z, quaternion) row by row. */
export function writeMatrix(pose: Point, at: number, out: Float64Array, to: number): void {
  const w = pose[at + 3];
  const x = pose[at + 4];
  const y = pose[at + 5];
  const z = pose[at + 6];
  out[to] = 1 - 2 * (y * y + z * z);
  out[to + 1] = 2 * (x * y - w * z);
  out[to + 2] = 2 * (x * z + w * y);
  out[to + 3] = pose[at];
  out[to + 4] = 2 * (x * y + w * z);
  out[to + 5] = 1 - 2 * (x * x + z * z);
  out[to + 6] = 2 * (y * z - w * x);
  out[to + 7] = pose[at + 1];
  out[to + 8] = 2 * (x * z - w * y);
  out[to + 9] = 2 * (y * z + w * x);
  out[to + 10] = 1 - 2 * (x * x + y * y);
  out[to + 11] = pose[at + 2];
}
