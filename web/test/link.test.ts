import assert from "node:assert/strict";
import { test } from "node:test";

import { link, nameOf, partOf } from "../src/link.ts";
import type { WidgetModel } from "../src/link.ts";
import { Player } from "../src/player.ts";
import { Selection } from "../src/selection.ts";

const names = { bodies: ["rod", "bob"], joints: ["pin", "bob"] };

/** The model of a widget as the notebook keeps it; `saved` counts messages to Python. */
class FakeModel implements WidgetModel {
  readonly traits = new Map<string, unknown>([["time", 1], ["playing", false], ["selected", ""]]);
  readonly listeners = new Map<string, () => void>();
  saved = 0;
  get(name: string): unknown {
    return this.traits.get(name);
  }
  set(name: string, value: unknown): void {
    this.traits.set(name, value);
    this.listeners.get(`change:${name}`)?.();
  }
  on(event: string, listener: () => void): void {
    this.listeners.set(event, listener);
  }
  off(event: string): void {
    this.listeners.delete(event);
  }
  save_changes(): void {
    this.saved += 1;
  }
}

function linked() {
  const model = new FakeModel();
  const player = new Player({ start: 0, end: 10, frames: [0, 5, 10] });
  const selection = new Selection();
  const clock = { now: 0 };
  const part = link(model, player, selection, names, () => clock.now);
  return { model, player, selection, clock, part };
}

test("the page begins where Python says, and follows it", () => {
  const { model, player, selection } = linked();
  assert.equal(player.time, 1);
  model.set("time", 4);
  assert.equal(player.time, 4);
  model.set("selected", "bob");
  assert.deepEqual([selection.kind, selection.index], ["body", 1]);
  model.set("selected", "");
  assert.equal(selection.kind, "none");
  model.set("playing", true);
  assert.equal(player.isPlaying, true);
});

test("what the user does reaches Python", () => {
  const { model, player, selection } = linked();
  player.seek(7);
  assert.equal(model.get("time"), 7);
  selection.choose("joint", 0);
  assert.equal(model.get("selected"), "pin");
  assert.equal(model.saved, 2);
});

test("a playing page tells Python ten times a second at most", () => {
  const { model, player, clock } = linked();
  player.play(true);
  const before = model.saved;
  for (let k = 0; k < 60; k++) {
    clock.now += 1000 / 60;
    player.advance(1 / 60);
  }
  assert.ok(model.saved - before <= 10, String(model.saved - before));
  assert.ok(model.saved - before >= 8);
  player.play(false);
  assert.equal(model.get("time"), player.time);
});

test("a page that was closed says nothing more", () => {
  const { model, player, part } = linked();
  part();
  player.seek(3);
  assert.equal(model.get("time"), 1);
  assert.equal(model.listeners.size, 0);
});

test("bodies and joints of one name are told apart", () => {
  for (const [kind, index, name] of [["body", 1, "bob"], ["joint", 1, "joint bob"], ["joint", 0, "pin"], ["none", -1, ""]] as const) {
    assert.equal(nameOf(names, kind, index), name);
    assert.deepEqual(partOf(names, name), { kind, index });
  }
});
