import assert from "node:assert/strict";
import { test } from "node:test";

import { Box3, InstancedMesh, Matrix4, Vector3 } from "three";

import { Arrays } from "../src/decode.ts";
import { jointCopies } from "../src/joints.ts";
import { makeCoil, makeMesh, makeShape } from "../src/shapes.ts";
import type { ShapeName } from "../src/shapes.ts";
import { buildInstances, solidCopies } from "../src/solids.ts";
import type { Copies } from "../src/solids.ts";
import { World } from "../src/world.ts";
import { sample } from "./sample.ts";

test("unit shapes have the extent 1", () => {
  for (const name of ["box", "sphere", "fine sphere", "cylinder", "cone"] as ShapeName[]) {
    const size = new Box3().setFromBufferAttribute(makeShape(name).getAttribute("position") as never);
    const extent = size.getSize(new Vector3());
    for (const value of extent.toArray()) assert.ok(Math.abs(value - 1) < 0.02, `${name} ${value}`);
  }
});

test("a coil ends where its spring does, however long it is", () => {
  for (const aspect of [1, 4, 20]) {
    const box = new Box3().setFromBufferAttribute(makeCoil(aspect).getAttribute("position") as never);
    assert.ok(Math.abs(box.max.z - 0.5) < 0.12 / aspect && Math.abs(box.min.z + 0.5) < 0.12 / aspect);
  }
});

test("a rod goes from its joint to its free end when it is placed", async () => {
  const { document } = sample.run;
  const arrays = await Arrays.fromBase64(sample.run.arrays);
  const world = new World(document, arrays);
  const copies: Copies = new Map();
  solidCopies(document.scene, arrays, copies);
  assert.deepEqual([...copies.keys()].sort(), ["cylinder", "sphere"]);
  const cylinders = buildInstances(document.scene, arrays, copies)[0];
  world.writeMatrices([0, 0, 0]);
  cylinders.place(world.matrices, world.ground);
  const matrix = new Matrix4();
  (cylinders.mesh as InstancedMesh).getMatrixAt(1, matrix);
  const ends = [0.5, -0.5].map((z) => new Vector3(0, 0, z).applyMatrix4(matrix));
  const wanted = [world.point(1, [0, 0, 0]), world.point(1, [0, 0, -1])].map((p) => new Vector3(...p));
  const distance = Math.min(
    ends[0].distanceTo(wanted[0]) + ends[1].distanceTo(wanted[1]),
    ends[0].distanceTo(wanted[1]) + ends[1].distanceTo(wanted[0]),
  );
  assert.ok(distance < 1e-5);
});

test("every joint that holds a point has a mark that a click finds", () => {
  const { scene } = sample.tree.document;
  const copies: Copies = new Map();
  jointCopies(scene, copies);
  const marked = new Set([...copies.values()].flat().map((copy) => copy.owner.index));
  scene.joints.forEach((joint, k) => assert.equal(marked.has(k), joint.kind !== "free"));
});

test("normals of a mesh are smooth over flat edges and sharp at corners", () => {
  const vertices = Float32Array.from([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]);
  const mesh = makeMesh(vertices, Uint32Array.from([0, 1, 2, 0, 2, 3, 0, 4, 1]), true);
  const normals = mesh.getAttribute("normal");
  assert.ok(Math.abs(normals.getZ(0) - 1) < 1e-6 && Math.abs(normals.getZ(3) - 1) < 1e-6);
  assert.ok(Math.abs(normals.getY(6)) > 0.99);
});
