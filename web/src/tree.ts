/** The tree of bodies and joints; a click selects. */

import { element } from "./dom.ts";
import type { SceneData } from "./document.ts";
import type { Selection } from "./selection.ts";

const MAX_ROWS = 2000;

export function buildTree(scene: SceneData, selection: Selection): HTMLElement {
  const rows: HTMLButtonElement[] = [];
  const list = element("div", { class: "tree", label: "Bodies and joints" });
  list.setAttribute("role", "tree");
  const children = new Map<number, number[]>(); // joints by the body that carries them
  scene.joints.forEach((joint, k) => {
    if (joint.closesLoop) return;
    const known = children.get(joint.parent);
    if (known) known.push(k);
    else children.set(joint.parent, [k]);
  });
  const seen = new Set<number>();
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
  const stack: [joint: number, depth: number][] = [...(children.get(-1) ?? [])]
    .reverse()
    .map((joint) => [joint, 0]);
  while (stack.length) {
    const [joint, depth] = stack.pop() as [number, number];
    const { parent, child } = scene.joints[joint];
    const body = seen.has(child) || child < 0 ? parent : child;
    addRow("joint", joint, depth);
    if (body < 0 || seen.has(body)) continue;
    seen.add(body);
    addRow("body", body, depth);
    for (const next of [...(children.get(body) ?? [])].reverse()) stack.push([next, depth + 1]);
  }
  scene.bodies.forEach((_, body) => {
    if (!seen.has(body)) addRow("body", body, 0);
  });
  scene.joints.forEach((joint, k) => {
    if (joint.closesLoop) addRow("joint", k, 0);
  });
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
