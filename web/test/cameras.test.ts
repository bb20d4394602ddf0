import assert from "node:assert/strict";
import { test } from "node:test";

import { PerspectiveCamera, Vector3 } from "three";

import {
  cameraAxes,
  cameraPosition,
  defaultSide,
  frameBalls,
  halfHeight,
  lookAlong,
  pan,
  project,
} from "../src/cameras.ts";
import type { CameraState } from "../src/cameras.ts";
import type { Vector } from "../src/document.ts";

const UP: Vector = [0, 0, 1];
const state: CameraState = {
  target: [1, 2, 3],
  azimuth: -0.7,
  elevation: 0.4,
  distance: 5,
  isOrthographic: false,
};
const near = (a: number, b: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs(a - b) < tolerance, `${a} is not ${b}`);

test("axes of a camera are right-handed and of unit length", () => {
  const { right, up, back } = cameraAxes(state, UP);
  const r = new Vector3(...right).cross(new Vector3(...up));
  near(r.distanceTo(new Vector3(...back)), 0);
  near(Math.hypot(...up), 1);
});

test("pixels are those of the camera that draws", () => {
  const [width, height] = [800, 500];
  const camera = new PerspectiveCamera();
  camera.fov = (2 * Math.atan(halfHeight(state, width, height) / state.distance) * 180) / Math.PI;
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
  camera.position.set(...cameraPosition(state, UP));
  camera.up.set(...cameraAxes(state, UP).up);
  camera.lookAt(new Vector3(...state.target));
  camera.updateMatrixWorld();
  const point = new Vector3(1.5, 2.2, 2.5).project(camera);
  const seen = project(state, UP, [1.5, 2.2, 2.5], width, height);
  near(seen.x, ((point.x + 1) / 2) * width, 1e-6);
  near(seen.y, ((1 - point.y) / 2) * height, 1e-6);
});

test("a camera that frames balls shows all of them, and no nearer one would", () => {
  const balls = [
    { centre: [0, 0, 0] as Vector, radius: 0.2 },
    { centre: [3, 1, 0.5] as Vector, radius: 0.4 },
    { centre: [-1, 2, 2] as Vector, radius: 0.1 },
  ];
  for (const isOrthographic of [false, true]) {
    const found = frameBalls({ ...state, isOrthographic }, balls, UP, 900, 600);
    const inside = (distance: number): boolean =>
      balls.every(({ centre }) => {
        const { x, y } = project({ ...found, distance }, UP, centre, 900, 600);
        return x > 0 && x < 900 && y > 0 && y < 600;
      });
    assert.ok(inside(found.distance));
    assert.ok(!inside(0.5 * found.distance));
  }
});

test("a flat motion is seen across its plane", () => {
  const flat = { low: [-1, 0, -2] as Vector, high: [1, 0.01, 0] as Vector };
  const side = defaultSide(flat, UP);
  const { back } = cameraAxes({ ...state, ...side }, UP);
  assert.ok(Math.abs(back[1]) > 0.9);
});

test("looking along an axis puts it towards the eye", () => {
  for (const [axis, k] of [["x", 0], ["y", 1], ["z", 2]] as const) {
    near(Math.abs(cameraAxes(lookAlong(state, axis), UP).back[k]), 1);
  }
});

test("panning by pixels moves what is seen by pixels", () => {
  const before = project(state, UP, state.target, 800, 500);
  const after = project(pan(state, UP, 30, -20, 800, 500), UP, state.target, 800, 500);
  near(after.x - before.x, 30, 1e-6);
  near(after.y - before.y, -20, 1e-6);
});
