/** Solids, particles and bonds of a scene as instances: one draw call for each kind of shape. */

import { MeshLambertMaterial, MeshStandardMaterial } from "three";
import type { BufferGeometry, Material } from "three";

import { add, fromZ, length, rotate, subtract } from "./algebra.ts";
import type { Arrays } from "./decode.ts";
import { SOLID_KINDS } from "./document.ts";
import type { FrameData, SceneData, Vector } from "./document.ts";
import { Instances } from "./instances.ts";
import type { Copy } from "./instances.ts";
import { makeMesh, makeShape } from "./shapes.ts";
import type { ShapeName } from "./shapes.ts";

const MANY = 3000; // copies; more are drawn with simpler shapes and light
const VERY_MANY = 20000;
const BOND_RADIUS = 0.4; // of a particle

/** Copies by the name of their shape: a unit shape, or mesh/number. */
export type Copies = Map<string, Copy[]>;

export function addCopy(copies: Copies, shape: string, copy: Copy): void {
  const known = copies.get(shape);
  if (known) known.push(copy);
  else copies.set(shape, [copy]);
}

/** All solids of bodies; a capsule is a cylinder with two balls. */
export function solidCopies(scene: SceneData, arrays: Arrays, copies: Copies): void {
  const facts = arrays.read(scene.solids.facts);
  const size = arrays.read(scene.solids.size);
  const frame = arrays.read(scene.solids.frame);
  const color = arrays.read(scene.solids.color);
  for (let k = 0; k < color.length; k++) {
    const [body, kind, , mesh] = [0, 1, 2, 3].map((column) => facts[4 * k + column]);
    const copy: Copy = {
      body,
      frame: Array.from(frame.subarray(7 * k, 7 * k + 7)) as FrameData,
      size: [size[3 * k], size[3 * k + 1], size[3 * k + 2]],
      color: color[k],
      owner: { kind: body < 0 ? "none" : "body", index: body },
    };
    const name = SOLID_KINDS[kind];
    if (name === "capsule") addCapsule(copies, copy);
    else addCopy(copies, name === "mesh" ? `mesh/${mesh}` : name, copy);
  }
}

function addCapsule(copies: Copies, copy: Copy): void {
  const [x, y, z] = copy.frame;
  const [width, , long] = copy.size;
  addCopy(copies, "cylinder", copy);
  for (const end of [-0.5, 0.5]) {
    const shift = rotate(copy.frame.slice(3), [0, 0, end * long]);
    const frame: FrameData = [x + shift[0], y + shift[1], z + shift[2], 1, 0, 0, 0];
    addCopy(copies, "sphere", { ...copy, frame, size: [width, width, width] });
  }
}

export function particleCopies(scene: SceneData, arrays: Arrays, copies: Copies): void {
  const cloud = scene.particles;
  if (!cloud) return;
  const body = arrays.read(cloud.body);
  const position = arrays.read(cloud.position);
  const radius = arrays.read(cloud.radius);
  const kind = arrays.read(cloud.kind);
  const bonds = arrays.read(cloud.bonds);
  const colors = cloud.colors.map((color) => parseInt(color.slice(1), 16));
  const bodyColors = scene.colors.map((color) => parseInt(color.slice(1), 16));
  const at = (k: number): Vector => [position[3 * k], position[3 * k + 1], position[3 * k + 2]];
  for (let k = 0; k < body.length; k++) {
    const width = 2 * radius[k];
    addCopy(copies, "sphere", {
      body: body[k],
      frame: [...at(k), 1, 0, 0, 0],
      size: [width, width, width],
      color: colors.length > 1 ? colors[kind[k]] : bodyColors[body[k]],
      owner: { kind: "body", index: body[k] },
    });
  }
  for (let k = 0; k < bonds.length; k += 2) {
    const [a, b] = [at(bonds[k]), at(bonds[k + 1])];
    const arm = subtract(b, a);
    const middle = add(a, arm.map((x) => x / 2));
    const width = 2 * BOND_RADIUS * radius[bonds[k]];
    addCopy(copies, "cylinder", {
      body: body[bonds[k]],
      frame: [...middle, ...fromZ(arm)] as FrameData,
      size: [width, width, length(arm)],
      color: 0xb9c0c9,
      owner: { kind: "body", index: body[bonds[k]] },
    });
  }
}

/** The instances of all copies. */
export function buildInstances(scene: SceneData, arrays: Arrays, copies: Copies): Instances[] {
  const count = [...copies.values()].reduce((sum, list) => sum + list.length, 0);
  const isLarge = count > MANY;
  const material: Material = isLarge
    ? new MeshLambertMaterial()
    : new MeshStandardMaterial({ roughness: 0.5, metalness: 0.05 });
  return [...copies].map(([name, list]) => {
    return new Instances(geometryOf(name, list, scene, arrays), material, list, !isLarge);
  });
}

/** Fewer triangles where there are many copies. */
function simpler(name: ShapeName, count: number): ShapeName {
  if (count <= MANY) return name;
  if (name === "cylinder") return "coarse cylinder";
  if (name !== "sphere") return name;
  return count > VERY_MANY ? "coarsest sphere" : "coarse sphere";
}

function geometryOf(
  name: string,
  list: Copy[],
  scene: SceneData,
  arrays: Arrays,
): BufferGeometry {
  if (!name.startsWith("mesh/")) {
    return makeShape(simpler(name as ShapeName, list.length));
  }
  const mesh = scene.meshes[Number(name.slice(5))];
  const vertices = arrays.read(mesh.vertices) as Float32Array;
  const triangles = arrays.read(mesh.triangles) as Uint32Array;
  return makeMesh(vertices, triangles, true);
}
