import assert from "node:assert/strict";
import { test } from "node:test";

import { Arrays } from "../src/decode.ts";
import { paddedRange } from "../src/portrait.ts";
import { World } from "../src/world.ts";
import { sample } from "./sample.ts";

test("times come back exactly and rounded positions nearly", async () => {
  const { document, arrays, t, poses } = sample.run;
  const found = await Arrays.fromBase64(arrays);
  const times = found.read(document.motion.t);
  assert.equal(times[0], t[0]);
  assert.equal(times[times.length - 1], t[t.length - 1]);
  const first = found.read(document.motion.position!);
  for (let k = 0; k < 3; k++) assert.ok(Math.abs(first[k] - poses[0][0][k]) < 1e-4);
});

test("thinned frames stay within the stated bound at every sample of the run", async () => {
  const { document, arrays, t, poses } = sample.run;
  const world = new World(document, await Arrays.fromBase64(arrays));
  assert.ok(world.motion.frames.t.length < document.samples / 5, "frames were left out");
  const tip = [0, 0, -1];
  let worst = 0;
  t.forEach((time, k) => {
    world.moveTo(time);
    poses[k].forEach((pose, body) => {
      const seen = world.point(body, tip);
      const [w, x, y, z] = pose.slice(3);
      // R (0, 0, −1): minus the third column
      const turned = [-2 * (x * z + w * y), -2 * (y * z - w * x), -(1 - 2 * (x * x + y * y))];
      worst = Math.max(worst, Math.hypot(...[0, 1, 2].map((i) => pose[i] + turned[i] - seen[i])));
    });
  });
  assert.ok(worst > 0 && worst <= 1e-3 * document.scene.size, `largest error ${worst}`);
});

test("the kinetic energy of bodies is that of the plots", async () => {
  const { document, arrays } = sample.run;
  const found = await Arrays.fromBase64(arrays);
  const world = new World(document, found);
  const series = document.series!;
  const kinetic = found.read(series.channels.find((channel) => channel.name === "kinetic")!.values);
  const times = found.read(series.t);
  const frames = world.motion.frames.t;
  const time = frames[frames.length >> 1];
  const at = Array.from(times).indexOf(time);
  assert.ok(at >= 0, "a frame is a sample of the plots");
  world.moveTo(time);
  const sum = world.kineticEnergy(0) + world.kineticEnergy(1);
  assert.ok(Math.abs(sum - kinetic[at]) < 1e-3 * Math.abs(kinetic[at]));
});

test("rounded numbers beyond single precision stay finite", () => {
  const content = new ArrayBuffer(24);
  new Uint16Array(content, 0, 2).set([0, 0xffff]);
  new Float64Array(content, 8, 2).set([1e40, 1e36]);
  const plain = { type: "float64" as const, shape: [1] };
  const found = new Arrays(content).read({
    at: 0,
    type: "uint16",
    shape: [2, 1],
    low: { ...plain, at: 8 },
    step: { ...plain, at: 16 },
  });
  assert.equal(found[0], 1e40);
  assert.ok(Math.abs(found[1] / (1e40 + 65535e36) - 1) < 1e-12);
});

test("a range leaves out what is not finite", () => {
  assert.deepEqual(paddedRange([NaN, 0, Infinity, 20]), [-1, 21]);
  assert.deepEqual(paddedRange([NaN]), [-1, 1]);
});
