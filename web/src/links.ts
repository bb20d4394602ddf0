/** Springs, dampers, cables, rods and arrows: shapes that are stretched between two points that move. */

import { Color, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3 } from "three";

import { add, fromZ, length, subtract } from "./algebra.ts";
import type { ConnectorData, SceneData, Vector } from "./document.ts";
import { makeCoil, makeShape } from "./shapes.ts";
import type { ShapeName } from "./shapes.ts";

/** A point of a body in the picture. */
type PointOf = (body: number, at: Vector) => Vector;

interface Part {
  shape: ShapeName;
  width: number; // in parts of the thickness of a link
  from: number; // in parts of the length
  to: number;
  color: number;
}

const SPRING = 0x9aa7b5;
const DARK = 0x5d6874;
const PARTS: Record<string, Part[]> = {
  spring: [{ shape: "coil", width: 3.8, from: 0, to: 1, color: SPRING }],
  constant_force_spring: [{ shape: "coil", width: 2.4, from: 0, to: 1, color: 0xc9a45c }],
  damper: [
    { shape: "cylinder", width: 0.7, from: 0, to: 1, color: SPRING },
    { shape: "cylinder", width: 2.2, from: 0.3, to: 0.7, color: DARK },
  ],
  cable: [{ shape: "cylinder", width: 0.45, from: 0, to: 1, color: 0xc9a45c }],
  rod: [{ shape: "cylinder", width: 1.0, from: 0, to: 1, color: SPRING }],
};
const OTHER: Part[] = [{ shape: "cylinder", width: 0.4, from: 0, to: 1, color: DARK }];

/** Copies of one shape, each from a point to a point. */
export class Stretched {
  readonly mesh: InstancedMesh;
  private readonly matrix = new Matrix4();
  private readonly quaternion = new Quaternion();

  constructor(shape: ShapeName, count: number, hasShadow = true, aspect = 4) {
    const material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.1 });
    this.mesh = new InstancedMesh(shape === "coil" ? makeCoil(aspect) : makeShape(shape), material, count);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = hasShadow;
    for (let k = 0; k < count; k++) this.mesh.setColorAt(k, new Color(0xffffff));
  }

  color(k: number, color: number): void {
    this.mesh.setColorAt(k, new Color(color));
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  /** From a to b; nothing to see where the width is 0 or the points meet. */
  put(k: number, a: Vector, b: Vector, width: number): void {
    const arm = subtract(b, a);
    const long = length(arm);
    const middle = add(a, arm.map((x) => x / 2));
    const [w, x, y, z] = fromZ(arm);
    const is = long > 0 && width > 0 ? 1 : 0;
    this.matrix.compose(
      new Vector3(...middle),
      this.quaternion.set(x, y, z, w),
      new Vector3(width * is, width * is, long * is),
    );
    this.mesh.setMatrixAt(k, this.matrix);
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** All connectors of a scene. */
export class Connectors {
  readonly group = new Group();
  private readonly parts: { stretched: Stretched; at: number; connector: ConnectorData; part: Part }[] =
    [];
  private readonly thickness: number;

  constructor(scene: SceneData, pointOf: PointOf) {
    this.thickness = scene.thickness;
    const wanted = scene.connectors.flatMap((connector) =>
      (PARTS[connector.kind] ?? OTHER).map((part) => ({ connector, part })),
    );
    const shapes = new Map<ShapeName, typeof wanted>();
    for (const entry of wanted) {
      shapes.set(entry.part.shape, [...(shapes.get(entry.part.shape) ?? []), entry]);
    }
    for (const [shape, list] of shapes) {
      const aspects = list.map(({ connector, part }) => {
        const [a, b] = connector.points.map((point, k) => pointOf(connector.bodies[k], point));
        return length(subtract(b, a)) / (part.width * this.thickness);
      });
      const aspect = Math.max(1, aspects.sort((x, y) => x - y)[aspects.length >> 1]);
      const stretched = new Stretched(shape, list.length, true, aspect);
      this.group.add(stretched.mesh);
      list.forEach((entry, at) => {
        stretched.color(at, entry.part.color);
        this.parts.push({ stretched, at, ...entry });
      });
    }
  }

  place(pointOf: PointOf): void {
    for (const { stretched, at, connector, part } of this.parts) {
      const [a, b] = connector.points.map((point, k) => pointOf(connector.bodies[k], point));
      const arm = subtract(b, a);
      const along = (s: number): Vector => add(a, arm.map((x) => s * x));
      stretched.put(at, along(part.from), along(part.to), part.width * this.thickness);
    }
  }
}

const HEAD = 0.24; // of the length of an arrow

/** Arrows with a shaft and a head. */
export class Arrows {
  readonly group = new Group();
  readonly count: number;
  private readonly shafts: Stretched;
  private readonly heads: Stretched;
  private readonly width: number;

  constructor(count: number, width: number, color: number | ((k: number) => number)) {
    this.count = count;
    this.width = width;
    this.shafts = new Stretched("cylinder", count, false);
    this.heads = new Stretched("cone", count, false);
    for (let k = 0; k < count; k++) {
      const own = typeof color === "number" ? color : color(k);
      this.shafts.color(k, own);
      this.heads.color(k, own);
    }
    this.group.add(this.shafts.mesh, this.heads.mesh);
  }

  put(k: number, from: Vector, arm: Vector): void {
    const long = length(arm);
    const head = Math.min(HEAD * long, 6 * this.width);
    const part = long > 0 ? 1 - head / long : 0;
    const neck = add(from, arm.map((x) => part * x));
    this.shafts.put(k, from, neck, this.width);
    this.heads.put(k, neck, add(from, arm), long > 0 ? Math.min(3.2 * this.width, head) : 0);
  }
}
