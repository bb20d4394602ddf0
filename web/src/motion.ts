/** Poses of all bodies at any time, between the frames of a run.
 *
 * x(s) = (1 + 2s)(1 − s)² x₀ + s (1 − s)² h ẋ₀ + s² (3 − 2s) x₁ − s² (1 − s) h ẋ₁, of positions and of
 * quaternions, which are then normalised; linear where frames are too far apart for that.
 */

import { product } from "./algebra.ts";
import type { Numbers } from "./decode.ts";

export interface Frames {
  t: Float64Array;
  position: Numbers;
  quaternion: Numbers;
  velocity: Numbers;
  omega: Numbers;
  isSmooth: boolean;
}

interface Weights {
  first: number;
  second: number;
  value: [number, number];
  rate: [number, number];
  part: number;
}

export class Motion {
  readonly frames: Frames;
  readonly bodies: number;

  constructor(frames: Frames, bodies: number) {
    this.frames = frames;
    this.bodies = bodies;
  }

  get start(): number {
    return this.frames.t[0] ?? 0;
  }

  get end(): number {
    return this.frames.t[this.frames.t.length - 1] ?? 0;
  }

  /** The last frame at or before a time. */
  frameAt(t: number): number {
    return lastAtOrBefore(this.frames.t, t);
  }

  /** Writes x, y, z and a unit quaternion of every body. */
  poses(t: number, out: Float64Array): void {
    const weights = this.weights(t);
    for (let body = 0; body < this.bodies; body++) this.pose(body, weights, out, 7 * body);
  }

  /** Writes the pose of one body. */
  poseOf(body: number, t: number, out: Float64Array): void {
    this.pose(body, this.weights(t), out, 0);
  }

  /** Writes velocity of the origin and angular velocity of every body, linear between frames. */
  rates(t: number, out: Float64Array): void {
    const { first, second, part } = this.weights(t);
    const { velocity, omega } = this.frames;
    for (let body = 0; body < this.bodies; body++) {
      for (let k = 0; k < 3; k++) {
        const a = 3 * (first * this.bodies + body) + k;
        const b = 3 * (second * this.bodies + body) + k;
        out[6 * body + k] = velocity[a] + part * (velocity[b] - velocity[a]);
        out[6 * body + 3 + k] = omega[a] + part * (omega[b] - omega[a]);
      }
    }
  }

  private weights(t: number): Weights {
    const times = this.frames.t;
    const first = Math.max(0, Math.min(this.frameAt(t), times.length - 2));
    const second = Math.min(first + 1, times.length - 1);
    const h = times[second] - times[first];
    const s = h > 0 ? Math.max(0, Math.min(1, (t - times[first]) / h)) : 0;
    const left = (1 - s) ** 2;
    const right = s ** 2;
    return this.frames.isSmooth
      ? {
          first,
          second,
          value: [(1 + 2 * s) * left, (3 - 2 * s) * right],
          rate: [h * s * left, -h * (1 - s) * right],
          part: s,
        }
      : { first, second, value: [1 - s, s], rate: [0, 0], part: s };
  }

  private pose(body: number, at: Weights, out: Float64Array, to: number): void {
    const { position, quaternion, velocity } = this.frames;
    const a = at.first * this.bodies + body;
    const b = at.second * this.bodies + body;
    const [u, v] = at.value;
    const [du, dv] = at.rate;
    for (let k = 0; k < 3; k++) {
      out[to + k] =
        u * position[3 * a + k] +
        v * position[3 * b + k] +
        du * velocity[3 * a + k] +
        dv * velocity[3 * b + k];
    }
    let norm = 0;
    const [ra, rb] = du || dv ? [this.turnRate(a), this.turnRate(b)] : [REST, REST];
    for (let k = 0; k < 4; k++) {
      const value =
        u * quaternion[4 * a + k] + v * quaternion[4 * b + k] + du * ra[k] + dv * rb[k];
      out[to + 3 + k] = value;
      norm += value * value;
    }
    const factor = norm > 0 ? 1 / Math.sqrt(norm) : 0;
    for (let k = 0; k < 4; k++) out[to + 3 + k] *= factor;
    if (factor === 0) out[to + 3] = 1;
  }

  /** q̇ = ½ (0, ω) q of a frame of a body. */
  private turnRate(row: number): number[] {
    const { quaternion: q, omega: w } = this.frames;
    const turned = product(
      [0, w[3 * row], w[3 * row + 1], w[3 * row + 2]],
      [q[4 * row], q[4 * row + 1], q[4 * row + 2], q[4 * row + 3]],
    );
    return turned.map((value) => value / 2);
  }
}

const REST = [0, 0, 0, 0];

/** The last index whose value is at most t; 0 if there is none. */
export function lastAtOrBefore(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}
