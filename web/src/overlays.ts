/** Trails, frames, arrows of momenta, reactions and loads: what can be switched on. */

import { Color, Group } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";

import { add, length, rotate, scale } from "./algebra.ts";
import type { Arrays } from "./decode.ts";
import type { Vector } from "./document.ts";
import { Arrows } from "./links.ts";
import { lastAtOrBefore } from "./motion.ts";
import { LONGEST_ARROW } from "./world.ts";
import type { World } from "./world.ts";

const TRAIL_POINTS = 160;
const AXIS_COLORS = [0xe0564f, 0x58b368, 0x4f8fe0];

/** The way of a point of a body in the last seconds. */
export class Trail {
  readonly line: Line2;
  readonly body: number;
  private readonly color: Color;
  private readonly material = new LineMaterial({ vertexColors: true, linewidth: 2.2 });

  constructor(body: number, color: string) {
    this.body = body;
    this.color = new Color(color);
    this.line = new Line2(new LineGeometry(), this.material);
    this.line.frustumCulled = false;
  }

  update(world: World, time: number, span: number, background: Color, shift: Vector): void {
    const first = Math.max(world.motion.start, time - span);
    const pose = new Float64Array(7);
    const centre = world.localCentre(this.body);
    const positions: number[] = [];
    const colors: number[] = [];
    const mixed = new Color();
    for (let k = 0; k < TRAIL_POINTS; k++) {
      const s = k / (TRAIL_POINTS - 1);
      world.motion.poseOf(this.body, first + s * (time - first), pose);
      const at = add(pose, rotate(pose.subarray(3), centre));
      positions.push(at[0] - shift[0], at[1] - shift[1], at[2] - shift[2]);
      mixed.lerpColors(background, this.color, s ** 1.3);
      colors.push(mixed.r, mixed.g, mixed.b);
    }
    this.line.geometry.dispose();
    this.line.geometry = new LineGeometry();
    this.line.geometry.setPositions(positions);
    this.line.geometry.setColors(colors);
  }

  resize(width: number, height: number): void {
    this.material.resolution.set(width, height);
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.material.dispose();
  }
}

/** Axes x, y, z of every body, red, green and blue. */
export class FrameMarks {
  readonly group = new Group();
  private readonly arrows: Arrows;
  private readonly long: number;

  constructor(bodies: number, thickness: number) {
    this.long = 5 * thickness;
    this.arrows = new Arrows(3 * (bodies + 1), 0.35 * thickness, (k) => AXIS_COLORS[k % 3]);
    this.group.add(this.arrows.group);
  }

  /** Those of the world are the last. */
  place(world: World, shift: Vector): void {
    for (let body = 0; body <= world.bodies; body++) {
      const isGround = body === world.bodies;
      const pose = isGround
        ? Float64Array.from([0, 0, 0, 1, 0, 0, 0])
        : world.poses.subarray(7 * body, 7 * body + 7);
      for (let k = 0; k < 3; k++) {
        const axis: Vector = [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0];
        const at: Vector = [pose[0] - shift[0], pose[1] - shift[1], pose[2] - shift[2]];
        this.arrows.put(3 * body + k, at, scale(this.long, rotate(pose.subarray(3), axis)));
      }
    }
  }
}

export type ArrowKind = "none" | "momenta" | "velocities" | "reactions";

/** Arrows of one quantity, the largest of the whole motion as long as a part of the model. */
export class VectorArrows {
  readonly group = new Group();
  private readonly arrows: Arrows;
  private readonly world: World;
  private readonly kind: ArrowKind;
  private readonly forces: ArrayLike<number> | null;
  private readonly times: ArrayLike<number>; // of reactions
  private readonly joints: number[];
  private readonly factor: number;

  constructor(world: World, arrays: Arrays, kind: ArrowKind, color: number) {
    this.world = world;
    this.kind = kind;
    const { scene, reactions } = world.data;
    this.forces = kind === "reactions" && reactions ? arrays.read(reactions.force) : null;
    this.times = reactions ? arrays.read(reactions.t) : [];
    this.joints = (reactions?.names ?? []).map((name) =>
      scene.joints.findIndex((joint) => joint.name === name),
    );
    const count = kind === "reactions" ? this.joints.length : world.bodies;
    this.arrows = new Arrows(count, 0.5 * scene.thickness, color);
    this.group.add(this.arrows.group);
    const largest = this.largest();
    this.factor = largest > 0 ? (LONGEST_ARROW * scene.size) / largest : 0;
  }

  private largest(): number {
    let found = 0;
    if (this.forces) {
      for (let k = 0; k < this.forces.length; k += 3) {
        found = Math.max(found, Math.hypot(this.forces[k], this.forces[k + 1], this.forces[k + 2]));
      }
      return found;
    }
    const { t } = this.world.motion.frames;
    const step = Math.max(1, Math.floor(t.length / 200));
    for (let frame = 0; frame < t.length; frame += step) {
      this.world.moveTo(t[frame]);
      for (let body = 0; body < this.world.bodies; body++) {
        found = Math.max(found, length(this.vector(body)));
      }
    }
    return found;
  }

  private vector(body: number): Vector {
    return this.kind === "momenta" ? this.world.momentum(body) : this.world.velocity(body);
  }

  place(time: number, shift: Vector): void {
    const { world } = this;
    if (this.forces) {
      const row = lastAtOrBefore(this.times, time);
      this.joints.forEach((number, k) => {
        const joint = world.data.scene.joints[number];
        const at = 3 * (row * this.joints.length + k);
        const force: Vector = [0, 1, 2].map((i) => (this.forces as ArrayLike<number>)[at + i]) as Vector;
        const place = world.point(joint.child, joint.onChild);
        this.arrows.put(k, back(place, shift), scale(this.factor, force));
      });
      return;
    }
    for (let body = 0; body < world.bodies; body++) {
      this.arrows.put(body, back(world.centre(body), shift), scale(this.factor, this.vector(body)));
    }
  }
}

/** Loads of the model that are known numbers: forces as arrows of equal scale. */
export class LoadArrows {
  readonly group = new Group();
  private readonly arrows: Arrows;
  private readonly world: World;
  private readonly factor: number;

  constructor(world: World, color: number) {
    this.world = world;
    const { loads, size, thickness } = world.data.scene;
    this.arrows = new Arrows(loads.length, 0.6 * thickness, color);
    this.group.add(this.arrows.group);
    const largest = Math.max(0, ...loads.map((load) => (load.force ? length(load.force) : 0)));
    this.factor = largest > 0 ? (LONGEST_ARROW * size) / largest : 0;
  }

  place(shift: Vector): void {
    this.world.data.scene.loads.forEach((load, k) => {
      const at = back(this.world.point(load.body, load.at), shift);
      const force = load.force ?? [0, 0, 0];
      const pose = this.world.poses.subarray(7 * load.body + 3, 7 * load.body + 7);
      const turned = load.axes === "body" ? rotate(pose, force) : force;
      this.arrows.put(k, at, scale(this.factor, turned));
    });
  }
}

function back(a: Vector, shift: Vector): Vector {
  return [a[0] - shift[0], a[1] - shift[1], a[2] - shift[2]];
}
