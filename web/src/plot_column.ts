/** The column of plots: those of the run, and any coordinate, phase portrait or section by choice. */

import { choice, element, format } from "./dom.ts";
import type { PageDocument } from "./document.ts";
import type { Arrays } from "./decode.ts";
import { TimePlot } from "./plots.ts";
import type { PlotData } from "./plots.ts";
import { Portrait } from "./portrait.ts";
import type { Player } from "./player.ts";
import type { Palette } from "./theme.ts";

type Drawn = TimePlot | Portrait;
const TITLES: Record<string, string> = {
  error: "energy error",
  energies: "energies",
  work: "work",
  residuals: "constraint residuals",
};
const SHOWN_FIRST = ["error", "energies", "residuals"];
const MAX_NAMED_RESIDUALS = 6;

export class PlotColumn {
  readonly root: HTMLElement;
  private readonly data: PageDocument;
  private readonly arrays: Arrays;
  private readonly player: Player;
  private readonly times: ArrayLike<number>; // of coordinates
  private readonly timeUnit: string;
  private readonly list: HTMLElement;
  private readonly drawn = new Map<string, Drawn>();
  private palette: Palette;

  constructor(data: PageDocument, arrays: Arrays, player: Player, palette: Palette) {
    this.data = data;
    this.arrays = arrays;
    this.player = player;
    this.palette = palette;
    this.times = data.coordinates ? arrays.read(data.coordinates.t) : [];
    this.timeUnit = data.kind === "run" ? "s" : "";
    this.list = element("div", { class: "plots" });
    const chooser = choice("Add a plot", [["", "add a plot …"], ...this.choices()], "", (value) => {
      if (value) this.show(value);
      chooser.value = "";
    });
    this.root = element("div", { class: "plot-column" }, [
      element("div", { class: "plot-chooser" }, [chooser]),
      this.list,
    ]);
  }

  /** Everything that can be drawn: a key and its words. */
  choices(): [string, string][] {
    const found: [string, string][] = [];
    const plots = new Set((this.data.series?.channels ?? []).map((channel) => channel.plot));
    for (const plot of plots) found.push([`series/${plot}`, TITLES[plot] ?? plot]);
    if (this.data.residuals) found.push(["residuals", "residual of each constraint"]);
    this.data.sections.forEach((section, k) => found.push([`section/${k}`, `section ${section.name}`]));
    const coordinates = this.data.coordinates;
    if (!coordinates || coordinates.left_out < 0) return found;
    coordinates.names.forEach((name, k) => found.push([`q/${k}`, name]));
    if (coordinates.qdot) {
      coordinates.names.forEach((name, k) => found.push([`qdot/${k}`, `rate of ${name}`]));
    }
    if (coordinates.p) {
      coordinates.momentumNames.forEach((name, k) => found.push([`p/${k}`, name]));
      coordinates.names.forEach((name, k) => found.push([`phase/${k}`, `phase portrait of ${name}`]));
    }
    return found;
  }

  /** The plots that a page begins with. */
  showFirst(): void {
    const keys = this.choices().map(([key]) => key);
    const wanted = SHOWN_FIRST.map((plot) => `series/${plot}`);
    if (this.data.kind === "hamiltonian") wanted.unshift("phase/0", "section/0");
    if (this.data.kind === "run") wanted.push("q/0");
    for (const key of wanted) if (keys.includes(key)) this.show(key);
  }

  show(key: string): void {
    const known = this.drawn.get(key);
    if (known) {
      known.root.scrollIntoView({ block: "nearest" });
      return;
    }
    const made = this.make(key);
    if (!made) return;
    const close = element("button", { text: "×", label: "Remove this plot", type: "button" });
    close.className = "close";
    close.addEventListener("click", () => {
      made.destroy();
      this.drawn.delete(key);
    });
    made.root.prepend(close);
    this.drawn.set(key, made);
    this.list.append(made.root);
    made.build();
  }

  private make(key: string): Drawn | null {
    const [kind, rest] = split(key);
    if (kind === "series") return this.timePlot(this.seriesPlot(rest));
    if (kind === "residuals") return this.timePlot(this.residualPlot());
    if (kind === "section") return this.sectionPlot(Number(rest));
    if (kind === "phase") return this.phasePlot(Number(rest));
    return this.timePlot(this.coordinatePlot(kind as "q" | "qdot" | "p", Number(rest)));
  }

  private timePlot(data: PlotData | null): TimePlot | null {
    return data ? new TimePlot(data, this.player, this.palette) : null;
  }

  private seriesPlot(plot: string): PlotData | null {
    const series = this.data.series;
    const channels = series?.channels.filter((channel) => channel.plot === plot) ?? [];
    if (!series || !channels.length) return null;
    const isLogarithmic = plot === "residuals";
    const lines = channels.map((channel) => ({
      name: channel.name,
      values: this.arrays.read(channel.values),
    }));
    const isAlone = channels.length === 1;
    return {
      title: isAlone ? channels[0].name : (TITLES[plot] ?? plot),
      unit: channels[0].unit,
      timeUnit: this.timeUnit,
      t: this.arrays.read(series.t),
      lines: isAlone ? [{ ...lines[0], name: "" }] : lines,
      isLogarithmic,
    };
  }

  /** The constraints with the largest residuals. */
  private residualPlot(): PlotData | null {
    const data = this.data.residuals;
    if (!data) return null;
    const logs = this.arrays.read(data.log);
    const count = data.names.length;
    const times = this.arrays.read(data.t);
    const column = (k: number): number[] =>
      Array.from({ length: times.length }, (_, row) => 10 ** logs[row * count + k]);
    const lines = data.names.map((name, k) => ({ name, values: column(k) }));
    const worst = (line: { values: number[] }): number => line.values.reduce((a, b) => Math.max(a, b), 0);
    lines.sort((a, b) => worst(b) - worst(a));
    return {
      title: "largest residuals",
      unit: "m or rad",
      timeUnit: this.timeUnit,
      t: times,
      lines: lines.slice(0, MAX_NAMED_RESIDUALS),
      isLogarithmic: true,
    };
  }

  column(kind: "q" | "qdot" | "p", k: number): Float64Array | null {
    const reference = this.data.coordinates?.[kind];
    if (!reference) return null;
    const values = this.arrays.read(reference);
    const count = reference.shape[1];
    return Float64Array.from({ length: reference.shape[0] }, (_, frame) => values[frame * count + k]);
  }

  private coordinatePlot(kind: "q" | "qdot" | "p", k: number): PlotData | null {
    const values = this.column(kind, k);
    const data = this.data.coordinates;
    if (!values || !data) return null;
    const unit = kind === "p" ? data.momentumUnits[k] : data.units[k];
    const rate = kind === "qdot" && unit ? `${unit}/s` : unit;
    const name = kind === "p" ? data.momentumNames[k] : data.names[k];
    const title = kind === "qdot" ? `rate of ${name}` : name;
    const limits = kind === "q" ? (data.limits?.[k] ?? []) : [];
    const lines = [{ name: limits.length ? `limits ${limits.map((x) => format(x)).join(", ")};` : "", values }];
    return { title, unit: rate, timeUnit: this.timeUnit, t: this.times, lines, limits };
  }

  private phasePlot(k: number): Portrait | null {
    const [x, y] = [this.column("q", k), this.column("p", k)];
    const data = this.data.coordinates;
    if (!x || !y || !data) return null;
    const named = (name: string, unit: string): string => (unit ? `${name} / ${unit}` : name);
    const portrait = {
      title: `phase portrait of ${data.names[k]}`,
      xName: named(data.names[k], data.units[k]),
      yName: named(data.momentumNames[k], data.momentumUnits[k]),
      t: this.times,
      x,
      y,
      isSection: false,
    };
    return new Portrait(portrait, this.player, this.palette, this.portraitHeight());
  }

  private sectionPlot(number: number): Portrait | null {
    const data = this.data.sections[number];
    if (!data) return null;
    const values = this.arrays.read(data.values);
    const count = data.columns.length;
    const half = count >> 1;
    const column = (k: number): Float64Array =>
      Float64Array.from({ length: values.length / count }, (_, row) => values[row * count + k]);
    const portrait = {
      title: `section ${data.name}`,
      xName: data.columns[0],
      yName: data.columns[half],
      t: this.arrays.read(data.t),
      x: column(0),
      y: column(half),
      isSection: true,
    };
    return new Portrait(portrait, this.player, this.palette, this.portraitHeight());
  }

  private portraitHeight(): number {
    return this.data.kind === "hamiltonian" ? Math.min(440, Math.max(260, innerHeight - 330)) : 230;
  }

  update(): void {
    for (const plot of this.drawn.values()) plot.update();
  }

  resize(): void {
    for (const plot of this.drawn.values()) plot.resize();
  }

  paint(palette: Palette): void {
    this.palette = palette;
    for (const plot of this.drawn.values()) plot.paint(palette);
  }
}

function split(key: string): [string, string] {
  const at = key.indexOf("/");
  return at < 0 ? [key, ""] : [key.slice(0, at), key.slice(at + 1)];
}
