/** The moving picture: bodies, marks and overlays of a world, drawn by a stage from a camera. */

import { Color, Group, Raycaster, Vector2 } from "three";

import { add, dot, length, scale, subtract } from "./algebra.ts";
import { boxOf, defaultSide, frameBalls } from "./cameras.ts";
import type { Ball, Box, CameraState } from "./cameras.ts";
import { Coloring } from "./coloring.ts";
import type { Arrays } from "./decode.ts";
import type { Vector } from "./document.ts";
import type { Instances, Owner } from "./instances.ts";
import { jointCopies } from "./joints.ts";
import { Connectors } from "./links.ts";
import { FrameMarks, LoadArrows, Trail, VectorArrows } from "./overlays.ts";
import type { ArrowKind } from "./overlays.ts";
import type { Selection } from "./selection.ts";
import { buildInstances, particleCopies, solidCopies } from "./solids.ts";
import type { Copies } from "./solids.ts";
import { Stage } from "./stage.ts";
import type { Palette } from "./theme.ts";
import type { World } from "./world.ts";

/** What the camera follows: nothing, all bodies, or one. */
export type Followed = { kind: "nothing" } | { kind: "all" } | { kind: "body"; body: number };

const FAR_MOTION = 12; // sizes of the model: a longer way is followed from the start
const MAX_TRAILS = 4;
const TRAIL_SECONDS = 2.5; // of the clock on the wall

export class Picture {
  readonly stage: Stage;
  readonly world: World;
  readonly coloring: Coloring;
  camera: CameraState;
  followed: Followed = { kind: "nothing" };
  trailSpan = 1; // s of the run
  private readonly arrays: Arrays;
  private readonly selection: Selection;
  private readonly balls: Ball[];
  private readonly box: Box;
  private readonly bodies: Instances[];
  private readonly joints: Instances[];
  private readonly connectors: Connectors;
  private readonly loads: LoadArrows | null;
  private readonly marks = new Group();
  private readonly floor: number;
  private frames: FrameMarks | null = null;
  private arrows: VectorArrows | null = null;
  private trails: Trail[] = [];
  private palette: Palette;
  private shift: Vector = [0, 0, 0];

  constructor(canvas: HTMLCanvasElement, world: World, arrays: Arrays, selection: Selection, palette: Palette) {
    this.world = world;
    this.arrays = arrays;
    this.selection = selection;
    this.palette = palette;
    const { scene } = world.data;
    const g = length(scene.gravity);
    const up: Vector = g > 0 ? scale(-1 / g, scene.gravity) : [0, 0, 1];
    this.stage = new Stage(canvas, up);
    this.coloring = new Coloring(world, arrays);
    this.bodies = this.build((copies) => {
      solidCopies(scene, arrays, copies);
      particleCopies(scene, arrays, copies);
    });
    this.joints = this.build((copies) => jointCopies(scene, copies));
    for (const group of this.bodies) this.stage.scene.add(group.mesh);
    for (const group of this.joints) this.marks.add(group.mesh);
    this.connectors = new Connectors(scene, (body, at) => world.point(body, at));
    this.loads = scene.loads.length ? new LoadArrows(world, 0xd9534f) : null;
    this.stage.scene.add(this.marks, this.connectors.group);
    if (this.loads) this.stage.scene.add(this.loads.group);
    this.balls = this.interest();
    this.box = boxOf(this.balls);
    this.floor = Math.min(...[this.box.low, this.box.high].map((p) => dot(p, up)));
    this.stage.light(this.radius());
    if (g > 0 && this.followed.kind === "nothing") this.stage.buildGround(this.radius());
    this.camera = this.homeCamera();
    this.setTrails(this.hasFewEnds());
  }

  private build(fill: (copies: Copies) => void): Instances[] {
    const copies: Copies = new Map();
    fill(copies);
    return buildInstances(this.world.data.scene, this.arrays, copies);
  }

  /** Where the bodies are over the whole motion; of a long way, at its start, and followed. */
  private interest(): Ball[] {
    const whole = this.world.balls(true);
    const box = boxOf(whole);
    const { size } = this.world.data.scene;
    if (length(subtract(box.high, box.low)) <= FAR_MOTION * size) return whole;
    this.followed = { kind: "all" };
    return this.world.balls(false);
  }

  private radius(): number {
    return length(subtract(this.box.high, this.box.low)) / 2 || 1;
  }

  /** The camera that a page begins with. */
  homeCamera(): CameraState {
    const points = this.balls.map((ball) => ({ ...ball, radius: 0 }));
    const side = defaultSide(boxOf(points), this.stage.up);
    const state = { target: [0, 0, 0] as Vector, distance: 1, isOrthographic: false, ...side };
    return frameBalls(state, this.balls, this.stage.up, this.stage.width, this.stage.height);
  }

  /** Shows all from the present side. */
  frameAll(): void {
    const { width, height, up } = this.stage;
    this.camera = frameBalls(this.camera, this.balls, up, width, height);
  }

  private hasFewEnds(): boolean {
    const { kind, scene } = this.world.data;
    return kind === "run" && !scene.particles && this.ends().length <= MAX_TRAILS;
  }

  /** Bodies that carry no other. */
  private ends(): number[] {
    const { bodies, joints } = this.world.data.scene;
    const inner = new Set(joints.flatMap((joint) => (joint.closesLoop ? [joint.parent, joint.child] : [joint.parent])));
    return bodies.map((_, k) => k).filter((k) => !inner.has(k));
  }

  setTrails(isOn: boolean): void {
    for (const trail of this.trails) {
      this.stage.scene.remove(trail.line);
      trail.dispose();
    }
    const chosen = this.selection.kind === "body" ? [this.selection.index] : this.ends().slice(0, MAX_TRAILS);
    const { colors } = this.world.data.scene;
    this.trails = isOn ? chosen.map((body) => new Trail(body, colors[body])) : [];
    for (const trail of this.trails) {
      trail.resize(this.stage.width, this.stage.height);
      this.stage.scene.add(trail.line);
    }
  }

  get hasTrails(): boolean {
    return this.trails.length > 0;
  }

  setFrames(isOn: boolean): void {
    if (this.frames) this.stage.scene.remove(this.frames.group);
    const { scene } = this.world.data;
    this.frames = isOn ? new FrameMarks(scene.bodies.length, scene.thickness) : null;
    if (this.frames) this.stage.scene.add(this.frames.group);
  }

  setJoints(isOn: boolean): void {
    this.marks.visible = isOn;
  }

  setGround(isOn: boolean): void {
    this.stage.ground.visible = isOn;
  }

  setArrows(kind: ArrowKind): void {
    if (this.arrows) this.stage.scene.remove(this.arrows.group);
    const color = new Color(this.palette.accent).getHex();
    this.arrows = kind === "none" ? null : new VectorArrows(this.world, this.arrays, kind, color);
    if (this.arrows) this.stage.scene.add(this.arrows.group);
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.stage.paint(palette);
  }

  resize(width: number, height: number, ratio: number): void {
    this.stage.resize(width, height, ratio);
    for (const trail of this.trails) trail.resize(width, height);
  }

  /** Where the followed things are now, null if nothing is followed. */
  private followedPoint(): Vector | null {
    if (this.followed.kind === "all") return this.world.middle();
    if (this.followed.kind === "body") return this.world.centre(this.followed.body);
    return null;
  }

  draw(time: number, speed: number): void {
    const { world, stage } = this;
    world.moveTo(time);
    const point = this.followedPoint();
    if (point) this.camera = { ...this.camera, target: point };
    const middle = scale(0.5, add(this.box.low, this.box.high));
    this.shift = point ?? middle;
    world.writeMatrices(this.shift);
    for (const group of [...this.bodies, ...this.joints]) group.place(world.matrices, world.ground);
    this.coloring.apply([...this.bodies, ...this.joints], this.selection, this.palette.accent, time);
    this.connectors.place((body, at) => subtract(world.point(body, at), this.shift));
    this.loads?.place(this.shift);
    this.frames?.place(world, this.shift);
    this.arrows?.place(time, this.shift);
    const background = new Color(this.palette.bottom);
    for (const trail of this.trails) {
      trail.update(world, time, TRAIL_SECONDS * speed, background, this.shift);
    }
    this.placeGround(middle);
    const target = subtract(this.camera.target, this.shift);
    stage.draw({ ...this.camera, target }, this.farthest(target));
  }

  private placeGround(middle: Vector): void {
    const { up, ground } = this.stage;
    const level = add(middle, scale(this.floor - dot(middle, up), up));
    ground.position.set(...subtract(level, this.shift));
  }

  /** Everything is nearer to the target than that. */
  private farthest(target: Vector): number {
    return 2 * length(target) + 8 * this.radius();
  }

  /** The body or joint under a pixel. */
  pick(x: number, y: number): Owner | null {
    const { width, height, camera } = this.stage;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), camera);
    const groups = [...this.bodies, ...(this.marks.visible ? this.joints : [])];
    const hits = ray.intersectObjects(groups.map((group) => group.mesh), false);
    const hit = hits.find((entry) => entry.instanceId !== undefined);
    if (!hit) return null;
    const group = groups.find((entry) => entry.mesh === hit.object);
    return group?.copies[hit.instanceId as number]?.owner ?? null;
  }
}
