import assert from "node:assert/strict";
import { test } from "node:test";

import { format } from "../src/dom.ts";
import { Player, naturalPace } from "../src/player.ts";
import { clockText } from "../src/timeline.ts";

const clock = { start: 1, end: 3, frames: [1, 1.5, 2.5, 3] };

test("playing goes on at its speed, and begins again if it repeats", () => {
  const player = new Player(clock);
  player.play(true);
  player.setSpeed(2);
  player.advance(0.5);
  assert.equal(player.time, 2);
  player.advance(0.75);
  assert.equal(player.time, 1.5);
  player.setLooping(false);
  player.advance(10);
  assert.equal(player.time, 3);
  assert.equal(player.isPlaying, false);
});

test("steps go to the frames beside", () => {
  const player = new Player(clock);
  player.seek(1.7);
  player.step(1);
  assert.equal(player.time, 2.5);
  player.step(-1);
  assert.equal(player.time, 1.5);
  player.seek(99);
  assert.equal(player.time, 3);
});

test("a run of microseconds and one of years last some seconds", () => {
  for (const duration of [1e-6, 3e7]) assert.ok(Math.abs(duration / naturalPace(duration) - 15) < 1e-9);
  assert.equal(naturalPace(100), 1);
});

test("numbers keep their zeros before the point and lose those after it", () => {
  assert.equal(format(-100, 3), "−100");
  assert.equal(format(1.5), "1.5");
  assert.equal(format(2.5e-7), "2.50e−7");
  assert.equal(format(0), "0");
});

test("a clock tells a thousandth of the run apart", () => {
  assert.equal(clockText(12.3456, 100), "12.3");
  assert.equal(clockText(0.012345, 0.05), "0.01235");
});
