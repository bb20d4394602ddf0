/** Keeps time, selection and playing of the page the same as the traits of a notebook's widget. */

import type { Player } from "./player.ts";
import type { Selection } from "./selection.ts";

/** What anywidget gives the front end. */
export interface WidgetModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  save_changes(): void;
}

export interface Names {
  bodies: string[];
  joints: string[];
}

const BETWEEN_MESSAGES = 100; // ms while playing

/** The trait that names a part; a joint that is called as a body is has "joint " before its name. */
export function nameOf(names: Names, kind: Selection["kind"], index: number): string {
  if (kind === "none") return "";
  if (kind === "body") return names.bodies[index];
  const name = names.joints[index];
  return names.bodies.includes(name) ? `joint ${name}` : name;
}

export function partOf(names: Names, name: string): { kind: Selection["kind"]; index: number } {
  const body = names.bodies.indexOf(name);
  if (body >= 0) return { kind: "body", index: body };
  let joint = names.joints.indexOf(name);
  if (joint < 0 && name.startsWith("joint ")) joint = names.joints.indexOf(name.slice(6));
  return joint < 0 ? { kind: "none", index: -1 } : { kind: "joint", index: joint };
}

/** Joins both sides; the function that it returns parts them. */
export function link(
  model: WidgetModel,
  player: Player,
  selection: Selection,
  names: Names,
  now: () => number = () => performance.now(),
): () => void {
  let last = -Infinity;
  let isLinked = true;
  const send = (name: string, value: unknown): boolean => {
    if (model.get(name) === value) return false;
    model.set(name, value);
    return true;
  };
  player.onChange(() => {
    if (!isLinked) return;
    const isEarly = player.isPlaying && now() - last < BETWEEN_MESSAGES;
    if (isEarly && model.get("playing") === player.isPlaying) return;
    const changes = [send("time", player.time), send("playing", player.isPlaying)];
    if (!changes.includes(true)) return;
    last = now();
    model.save_changes();
  });
  selection.onChange(() => {
    if (isLinked && send("selected", nameOf(names, selection.kind, selection.index))) model.save_changes();
  });
  const receive: Record<string, () => void> = {
    "change:time": () => {
      const time = model.get("time") as number;
      if (time !== player.time) player.seek(time);
    },
    "change:playing": () => {
      const isPlaying = model.get("playing") as boolean;
      if (isPlaying !== player.isPlaying) player.play(isPlaying);
    },
    "change:selected": () => {
      const { kind, index } = partOf(names, model.get("selected") as string);
      if (kind !== selection.kind || index !== selection.index) selection.choose(kind, index);
    },
  };
  for (const [event, listener] of Object.entries(receive)) {
    model.on(event, listener);
    listener();
  }
  return () => {
    isLinked = false;
    for (const [event, listener] of Object.entries(receive)) model.off(event, listener);
  };
}
