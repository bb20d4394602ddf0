/** The figures of a run, notes, and what is known of the selected body or joint. */

import { element, format } from "./dom.ts";
import type { Arrays } from "./decode.ts";
import type { PageDocument, Vector } from "./document.ts";
import { lastAtOrBefore } from "./motion.ts";
import type { Selection } from "./selection.ts";
import type { World } from "./world.ts";

export function buildFigures(data: PageDocument): HTMLElement {
  const rows = data.figures.map(([quantity, value, explanation]) => {
    const row = element("tr", {}, [
      element("th", { text: quantity }),
      element("td", { text: value }),
    ]);
    row.title = explanation;
    return row;
  });
  const notes = data.notes.map((note) => element("p", { class: "note", text: note }));
  return element("section", { class: "figures", label: "Figures" }, [
    element("table", {}, [element("tbody", {}, rows)]),
    ...notes,
  ]);
}

/** Mass, inertia, joint values, reactions of what is selected, at the present time. */
export class Details {
  readonly root: HTMLElement;
  private readonly world: World;
  private readonly selection: Selection;
  private readonly values: Partial<Record<"q" | "qdot" | "p", ArrayLike<number>>> = {};
  private readonly times: ArrayLike<number>; // of coordinates
  private readonly reactionTimes: ArrayLike<number>;
  private readonly forces: ArrayLike<number> | null;
  private readonly moments: ArrayLike<number> | null;

  constructor(world: World, arrays: Arrays, selection: Selection) {
    this.world = world;
    this.selection = selection;
    this.root = element("section", { class: "details", label: "Selected part" });
    const { coordinates, reactions } = world.data;
    for (const kind of ["q", "qdot", "p"] as const) {
      const about = coordinates?.[kind];
      if (about) this.values[kind] = arrays.read(about);
    }
    this.times = coordinates ? arrays.read(coordinates.t) : [];
    this.reactionTimes = reactions ? arrays.read(reactions.t) : [];
    this.forces = reactions ? arrays.read(reactions.force) : null;
    this.moments = reactions ? arrays.read(reactions.moment) : null;
  }

  update(time: number): void {
    const { selection } = this;
    this.root.hidden = !selection.isAny;
    if (selection.kind === "body") this.show(this.bodyRows(selection.index));
    if (selection.kind === "joint") this.show(this.jointRows(selection.index, time));
  }

  private show(rows: [string, string][]): void {
    const [title, ...rest] = rows;
    const table = rest.map(([name, value]) =>
      element("tr", {}, [element("th", { text: name }), element("td", { text: value })]),
    );
    this.root.replaceChildren(
      element("h3", { text: title[1] }),
      element("table", {}, [element("tbody", {}, table)]),
    );
  }

  private bodyRows(body: number): [string, string][] {
    const { world } = this;
    const card = world.data.cards[body];
    const rows: [string, string][] = [["", `body ${world.data.scene.bodies[body]}`]];
    if (card) {
      rows.push(["mass", `${format(card.mass)} kg`]);
      rows.push(["centre of mass", `${vectorText(card.com)} m`]);
      card.inertia.forEach((row, k) => {
        rows.push([k === 0 ? "inertia" : "", `${vectorText(row)}${k === 2 ? " kg m²" : ""}`]);
      });
    }
    rows.push(["at", `${vectorText(world.centre(body))} m`]);
    if (world.data.kind === "run") {
      rows.push(["velocity", `${vectorText(world.velocity(body))} m/s`]);
      rows.push(["angular velocity", `${vectorText(world.rates.subarray(6 * body + 3))} rad/s`]);
      rows.push(["kinetic energy", `${format(world.kineticEnergy(body))} J`]);
    }
    return rows;
  }

  private jointRows(index: number, time: number): [string, string][] {
    const { data } = this.world;
    const joint = data.scene.joints[index];
    const name = (body: number): string => (body < 0 ? "ground" : data.scene.bodies[body]);
    const rows: [string, string][] = [
      ["", `joint ${joint.name}`],
      ["kind", joint.kind + (joint.closesLoop ? ", closes a loop" : "")],
      ["joins", `${name(joint.parent)} – ${name(joint.child)}`],
    ];
    for (const label of joint.coordinates) rows.push(...this.coordinateRows(label, time));
    rows.push(...this.reactionRows(joint.name, time));
    return rows;
  }

  private coordinateRows(label: string, time: number): [string, string][] {
    const { coordinates, kinematics } = this.world.data;
    const slider = kinematics?.coordinates.indexOf(label) ?? -1;
    if (slider >= 0 && this.world.q) return [[label, format(this.world.q[slider])]];
    const k = coordinates?.names.indexOf(label) ?? -1;
    if (!coordinates || k < 0) return [];
    const at = lastAtOrBefore(this.times, time) * coordinates.names.length + k;
    const unit = coordinates.units[k];
    const rows: [string, string][] = [];
    if (this.values.q) rows.push([label, `${format(this.values.q[at])} ${unit}`]);
    if (this.values.qdot) rows.push(["rate", `${format(this.values.qdot[at])} ${unit ? `${unit}/s` : ""}`]);
    if (this.values.p) {
      rows.push(["momentum", `${format(this.values.p[at])} ${coordinates.momentumUnits[k]}`]);
    }
    return rows;
  }

  private reactionRows(name: string, time: number): [string, string][] {
    const { reactions } = this.world.data;
    if (!reactions || !this.forces || !this.moments) {
      return this.world.data.kind === "run" ? [["reaction", "see view(reactions=True)"]] : [];
    }
    const k = reactions.names.indexOf(name);
    if (k < 0) return [];
    const row = lastAtOrBefore(this.reactionTimes, time);
    const at = 3 * (row * reactions.names.length + k);
    const read = (values: ArrayLike<number>): Vector => [values[at], values[at + 1], values[at + 2]];
    return [
      ["force", `${vectorText(read(this.forces))} N`],
      ["moment", `${vectorText(read(this.moments))} N m`],
    ];
  }
}

export function vectorText(v: ArrayLike<number>): string {
  return [0, 1, 2].map((k) => format(v[k], 3)).join(", ");
}
