import assert from "node:assert/strict";
import { test } from "node:test";

import type { JointData } from "../src/document.ts";
import { treeRows } from "../src/tree.ts";

function joint(name: string, parent: number, child: number, closesLoop = false): JointData {
  const frame: JointData["onParent"] = [0, 0, 0, 1, 0, 0, 0];
  const places = { onParent: frame, onChild: frame };
  return { name, kind: "revolute", parent, child, ...places, axes: [], coordinates: [], closesLoop };
}

function outline(bodies: string[], joints: JointData[]): string[] {
  return treeRows({ bodies, joints }).map(
    ({ kind, index, depth }) => `${depth} ${kind === "body" ? bodies[index] : joints[index].name}`,
  );
}

test("joints that were declared inward are in the tree with all beyond them", () => {
  const outward = [joint("i", -1, 0), joint("j", 0, 1), joint("k", 1, 2)];
  const inward = [joint("i", 0, -1), joint("j", 1, 0), joint("k", 1, 2)];
  const expected = ["0 i", "0 a", "1 j", "1 b", "2 k", "2 c"];
  assert.deepEqual(outline(["a", "b", "c"], outward), expected);
  assert.deepEqual(outline(["a", "b", "c"], inward), expected);
});

test("every joint and body has one row, loops and bodies without the ground too", () => {
  const joints = [joint("i", -1, 0), joint("loop", 1, -1, true), joint("j", 1, 0), joint("k", 3, 2)];
  const found = outline(["a", "b", "c", "d"], joints);
  assert.deepEqual(found, ["0 i", "0 a", "1 j", "1 b", "0 c", "1 k", "1 d", "0 loop"]);
});
