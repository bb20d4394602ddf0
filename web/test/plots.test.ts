import assert from "node:assert/strict";
import { test } from "node:test";

import { logarithms, padded } from "../src/plots.ts";

test("zeros and residuals of rounding are drawn at the lower end of a logarithmic plot", () => {
  const [line] = logarithms([{ name: "a", values: [1e-12, 0, 1e-30, NaN] }]);
  assert.equal(line[0], -12);
  assert.ok(Math.abs((line[1] as number) + 18) < 1e-9);
  assert.equal(line[2], line[1]);
  assert.equal(line[3], null);
});

test("a plot of zeros alone has no line", () => {
  assert.deepEqual(logarithms([{ name: "a", values: [0, 0] }]), [[null, null]]);
});

test("a limit near the motion is inside the plot, one far away does not change its scale", () => {
  const [low, high] = padded(0, 1, [1.5, 40]);
  assert.ok(low < 0 && low > -0.2 && high > 1.5 && high < 1.7);
  assert.deepEqual(padded(0, 1, [-30, 40]), padded(0, 1));
});
