/** Many copies of one shape in one draw call, each fixed to a body. */

import {
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
} from "three";
import type { BufferGeometry, Material } from "three";

import { writeMatrix } from "./algebra.ts";
import type { FrameData, Vector } from "./document.ts";

export interface Copy {
  body: number; // −1: the ground
  frame: FrameData;
  size: Vector;
  color: number;
  owner: Owner;
}

/** What a click on a copy means. */
export interface Owner {
  kind: "body" | "joint" | "none";
  index: number;
}

export class Instances {
  readonly mesh: InstancedMesh;
  readonly copies: Copy[];
  private readonly local: Float64Array; // 3 × 4 of each copy
  private readonly base: Color[];

  constructor(geometry: BufferGeometry, material: Material, copies: Copy[], hasShadow: boolean) {
    this.copies = copies;
    this.mesh = new InstancedMesh(geometry, material, copies.length);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = hasShadow;
    this.mesh.receiveShadow = hasShadow;
    this.local = new Float64Array(12 * copies.length);
    copies.forEach((copy, k) => {
      writeMatrix(copy.frame, 0, this.local, 12 * k);
      for (let row = 0; row < 3; row++) {
        for (let column = 0; column < 3; column++) {
          this.local[12 * k + 4 * row + column] *= copy.size[column];
        }
      }
    });
    this.base = copies.map((copy) => new Color(copy.color));
    const colors = new Float32Array(3 * copies.length);
    this.mesh.instanceColor = new InstancedBufferAttribute(colors, 3);
    this.paint(() => null);
  }

  /** Places all copies; `matrices` has 3 × 4 numbers of each body. */
  place(matrices: Float64Array, ground: Float64Array): void {
    const out = this.mesh.instanceMatrix.array;
    for (let k = 0; k < this.copies.length; k++) {
      const body = this.copies[k].body;
      const a = body < 0 ? ground : matrices;
      multiply(a, 12 * Math.max(0, body), this.local, 12 * k, out, 16 * k);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  /** Colours by copy; null is the colour of its own. */
  paint(choose: (copy: Copy, own: Color) => Color | null): void {
    const attribute = this.mesh.instanceColor as InstancedBufferAttribute;
    this.copies.forEach((copy, k) => {
      const own = this.base[k];
      (choose(copy, own) ?? own).toArray(attribute.array, 3 * k);
    });
    attribute.needsUpdate = true;
  }
}

/** out = a b of 3 × 4 matrices, as a 4 × 4 matrix by columns. */
export function multiply(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  out: { [index: number]: number },
  to: number,
): void {
  for (let row = 0; row < 3; row++) {
    const x = a[i + 4 * row];
    const y = a[i + 4 * row + 1];
    const z = a[i + 4 * row + 2];
    for (let column = 0; column < 4; column++) {
      out[to + 4 * column + row] = x * b[j + column] + y * b[j + 4 + column] + z * b[j + 8 + column];
    }
    out[to + 12 + row] += a[i + 4 * row + 3];
  }
  out[to + 3] = out[to + 7] = out[to + 11] = 0;
  out[to + 15] = 1;
}
