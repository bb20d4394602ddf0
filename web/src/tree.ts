/** The tree of bodies and joints; a click selects. */

import { element } from "./dom.ts";
import type { SceneData } from "./document.ts";
import type { Selection } from "./selection.ts";

const MAX_ROWS = 2000;

export interface TreeRow {
  kind: "body" | "joint";
  index: number;
  depth: number;
}

/** Joints and the bodies beyond them from the ground outward, whichever end is the parent; then
 * bodies and joints that the ground does not reach, and joints that close loops. */
export function treeRows(scene: Pick<SceneData, "bodies" | "joints">): TreeRow[] {
  const rows: TreeRow[] = [];
  const atBody = new Map<number, number[]>(); // joints by the bodies that they join; ground is −1
  scene.joints.forEach(({ parent, child, closesLoop }, k) => {
    if (closesLoop) return;
    for (const body of new Set([parent, child])) {
      const known = atBody.get(body);
      if (known) known.push(k);
      else atBody.set(body, [k]);
    }
  });
  const seenBodies = new Set<number>();
  const seenJoints = new Set<number>();
  const walk = (start: number, startDepth: number): void => {
    const stack: [joint: number, from: number, depth: number][] = [];
    const push = (body: number, depth: number): void => {
      for (const joint of [...(atBody.get(body) ?? [])].reverse()) stack.push([joint, body, depth]);
    };
    seenBodies.add(start);
    push(start, startDepth);
    while (stack.length) {
      const [joint, from, depth] = stack.pop() as [number, number, number];
      if (seenJoints.has(joint)) continue;
      seenJoints.add(joint);
      rows.push({ kind: "joint", index: joint, depth });
      const { parent, child } = scene.joints[joint];
      const body = parent === from ? child : parent;
      if (seenBodies.has(body)) continue;
      seenBodies.add(body);
      rows.push({ kind: "body", index: body, depth });
      push(body, depth + 1);
    }
  };
  walk(-1, 0);
  scene.bodies.forEach((_, body) => {
    if (seenBodies.has(body)) return;
    rows.push({ kind: "body", index: body, depth: 0 });
    walk(body, 1);
  });
  scene.joints.forEach((_, k) => {
    if (!seenJoints.has(k)) rows.push({ kind: "joint", index: k, depth: 0 });
  });
  return rows;
}

export function buildTree(scene: SceneData, selection: Selection): HTMLElement {
  const rows: HTMLButtonElement[] = [];
  const list = element("div", { class: "tree", label: "Bodies and joints" });
  list.setAttribute("role", "tree");
  const addRow = (kind: "body" | "joint", index: number, depth: number): void => {
    if (rows.length >= MAX_ROWS) return;
    const isBody = kind === "body";
    const text = isBody ? scene.bodies[index] : scene.joints[index].name;
    const row = element("button", { text, type: "button", class: `row ${kind}` });
    row.setAttribute("role", "treeitem");
    row.setAttribute("aria-level", String(depth + 1));
    row.style.paddingLeft = `${8 + 10 * Math.min(depth, 12)}px`;
    if (isBody) {
      const dot = element("i", { class: "dot" });
      dot.style.background = scene.colors[index];
      row.prepend(dot);
    } else row.append(element("small", { text: scene.joints[index].kind }));
    row.dataset.kind = kind;
    row.dataset.index = String(index);
    row.addEventListener("click", () => selection.choose(kind, index));
    rows.push(row);
    list.append(row);
  };
  for (const { kind, index, depth } of treeRows(scene)) addRow(kind, index, depth);
  selection.onChange(() => {
    for (const row of rows) {
      const isChosen =
        row.dataset.kind === selection.kind && Number(row.dataset.index) === selection.index;
      row.setAttribute("aria-selected", String(isChosen));
      if (isChosen) row.scrollIntoView({ block: "nearest" });
    }
  });
  return list;
}
