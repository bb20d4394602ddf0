/** Bodies at the present time: poses, matrices, points and what else follows from them. */

import { add, dot, rotate, writeMatrix } from "./algebra.ts";
import type { Ball } from "./cameras.ts";
import type { Arrays } from "./decode.ts";
import type { PageDocument, Vector } from "./document.ts";
import { treePoses } from "./kinematics.ts";
import { Motion } from "./motion.ts";

const BALL_FRAMES = 160; // frames that the extent of a motion is measured at
const MAX_BALLS = 20000;
export const LONGEST_ARROW = 0.22; // of the size of the model

export class World {
  readonly data: PageDocument;
  readonly bodies: number;
  readonly motion: Motion;
  readonly poses: Float64Array; // 7 of each body
  readonly rates: Float64Array; // velocity of the origin, angular velocity
  readonly matrices: Float64Array; // 3 × 4 of each body
  readonly ground = new Float64Array(12);
  readonly centres: ArrayLike<number>;
  readonly reach: ArrayLike<number>;
  readonly q: Float64Array | null; // of sliders

  constructor(data: PageDocument, arrays: Arrays) {
    this.data = data;
    this.bodies = data.scene.bodies.length;
    this.centres = arrays.read(data.scene.centres);
    this.reach = arrays.read(data.scene.reach);
    const { t, position, quaternion, velocity, omega, smooth } = data.motion;
    const none = new Float64Array(0);
    const read = (about: typeof position) => (about ? arrays.read(about) : none);
    this.motion = new Motion(
      {
        t: arrays.read(t) as Float64Array,
        position: read(position),
        quaternion: read(quaternion),
        velocity: read(velocity),
        omega: read(omega),
        isSmooth: smooth ?? false,
      },
      this.bodies,
    );
    this.poses = new Float64Array(7 * this.bodies);
    this.rates = new Float64Array(6 * this.bodies);
    this.matrices = new Float64Array(12 * this.bodies);
    this.q = data.kinematics ? Float64Array.from(data.kinematics.start) : null;
    this.moveTo(this.motion.start);
  }

  moveTo(t: number): void {
    if (this.q && this.data.kinematics) treePoses(this.data.kinematics, this.q, this.poses);
    else if (this.bodies) {
      this.motion.poses(t, this.poses);
      this.motion.rates(t, this.rates);
    }
  }

  /** Matrices of all bodies, seen from a point. */
  writeMatrices(from: Vector): void {
    for (let body = 0; body < this.bodies; body++) {
      writeMatrix(this.poses, 7 * body, this.matrices, 12 * body);
      for (let k = 0; k < 3; k++) this.matrices[12 * body + 4 * k + 3] -= from[k];
    }
    this.ground.set([1, 0, 0, -from[0], 0, 1, 0, -from[1], 0, 0, 1, -from[2]]);
  }

  /** A point of a body in the world; of the ground as it is. */
  point(body: number, at: ArrayLike<number>): Vector {
    if (body < 0) return [at[0], at[1], at[2]];
    const pose = this.poses.subarray(7 * body, 7 * body + 7);
    return add(pose, rotate(pose.subarray(3), at));
  }

  centre(body: number): Vector {
    return this.point(body, this.localCentre(body));
  }

  localCentre(body: number): Vector {
    return [this.centres[3 * body], this.centres[3 * body + 1], this.centres[3 * body + 2]];
  }

  /** The centre of all bodies, by number and not by mass. */
  middle(): Vector {
    let sum: Vector = [0, 0, 0];
    for (let body = 0; body < this.bodies; body++) sum = add(sum, this.centre(body));
    return [0, 1, 2].map((k) => sum[k] / Math.max(1, this.bodies)) as Vector;
  }

  /** Linear momentum m v of the centre of mass. */
  momentum(body: number): Vector {
    const mass = this.data.cards[body]?.mass ?? 0;
    const v = this.velocity(body);
    return [mass * v[0], mass * v[1], mass * v[2]];
  }

  /** v + ω × R c. */
  velocity(body: number): Vector {
    const [vx, vy, vz, wx, wy, wz] = this.rates.subarray(6 * body, 6 * body + 6);
    const pose = this.poses.subarray(7 * body, 7 * body + 7);
    const [x, y, z] = rotate(pose.subarray(3), this.localCentre(body));
    return [vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x];
  }

  /** ½ m v² + ½ ω'·J ω', ω' in body axes. */
  kineticEnergy(body: number): number {
    const card = this.data.cards[body];
    if (!card) return 0;
    const v = this.velocity(body);
    const [w, x, y, z] = this.poses.subarray(7 * body + 3, 7 * body + 7);
    const omega = rotate([w, -x, -y, -z], this.rates.subarray(6 * body + 3, 6 * body + 6));
    const spin = card.inertia.map((row) => dot(row, omega));
    return 0.5 * (card.mass * dot(v, v) + dot(omega, spin));
  }

  /** Balls around the bodies over the whole motion, or at its start alone. */
  balls(isWhole: boolean): Ball[] {
    const { t } = this.motion.frames;
    const many = Math.max(2, Math.floor(MAX_BALLS / Math.max(1, this.bodies)));
    const steps = isWhole ? Math.min(t.length, BALL_FRAMES, many) : 1;
    const found: Ball[] = [];
    for (let s = 0; s < steps; s++) {
      this.moveTo(t[steps > 1 ? Math.round((s * (t.length - 1)) / (steps - 1)) : 0]);
      for (let body = 0; body < this.bodies; body++) found.push(...this.ballsOf(body));
    }
    this.moveTo(this.motion.start);
    for (const load of this.data.scene.loads) {
      const radius = load.force ? LONGEST_ARROW * this.data.scene.size : 0;
      found.push({ centre: this.point(load.body, load.at), radius });
    }
    found.push(...this.groundPoints().map((centre) => ({ centre, radius: this.data.scene.thickness })));
    return found.length ? found : [{ centre: [0, 0, 0], radius: 1 }];
  }

  /** Where joints and connectors hold to the ground. */
  private groundPoints(): Vector[] {
    const { joints, connectors } = this.data.scene;
    const held = joints.filter((joint) => joint.kind !== "free" && joint.kind !== "translation");
    return [
      ...held.filter((joint) => joint.parent < 0).map((joint) => joint.onParent.slice(0, 3) as Vector),
      ...connectors.flatMap(({ bodies, points }) => points.filter((_, k) => bodies[k] < 0)),
    ];
  }

  /** One around the centre of mass, and the origin, where a joint often is. */
  private ballsOf(body: number): Ball[] {
    const centre = this.centre(body);
    const arm = Math.hypot(...this.localCentre(body));
    const reach = this.reach[body];
    const radius = Math.max(reach - arm, 0);
    const origin: Vector = [0, 1, 2].map((k) => this.poses[7 * body + k]) as Vector;
    return [
      { centre, radius },
      { centre: origin, radius: 0 },
    ];
  }
}
