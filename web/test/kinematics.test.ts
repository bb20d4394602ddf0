import assert from "node:assert/strict";
import { test } from "node:test";

import { treePoses } from "../src/kinematics.ts";
import { sample } from "./sample.ts";

test("forward kinematics of many kinds of joints is that of Python", () => {
  const { document, q, poses } = sample.tree;
  const found = new Float64Array(7 * poses.length);
  treePoses(document.kinematics!, q, found);
  poses.forEach((pose, body) => {
    const own = found.subarray(7 * body, 7 * body + 7);
    const sign = Math.sign(own[3] * pose[3] + own[4] * pose[4] + own[5] * pose[5] + own[6] * pose[6]);
    pose.forEach((value, k) => {
      assert.ok(Math.abs(own[k] * (k < 3 ? 1 : sign) - value) < 1e-9, `body ${body}, entry ${k}`);
    });
  });
});
