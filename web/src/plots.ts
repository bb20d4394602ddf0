/** Plots by time with a cursor in step with the picture: click to jump, drag to zoom. */

import uPlot from "uplot";

import { element, format } from "./dom.ts";
import { lastAtOrBefore } from "./motion.ts";
import type { Player } from "./player.ts";
import type { Palette } from "./theme.ts";

export interface Line {
  name: string;
  values: ArrayLike<number>;
}

export interface PlotData {
  title: string;
  unit: string;
  timeUnit: string;
  t: ArrayLike<number>;
  lines: Line[];
  isLogarithmic?: boolean;
  limits?: number[]; // of a coordinate: dashed
}

const HEIGHT = 132;

/** One plot; `destroy` removes it. */
export class TimePlot {
  readonly root: HTMLElement;
  readonly data: PlotData;
  private readonly player: Player;
  private readonly box: HTMLElement;
  private readonly values: HTMLElement;
  private plot: uPlot | null = null;
  private palette: Palette;

  constructor(data: PlotData, player: Player, palette: Palette) {
    this.data = data;
    this.player = player;
    this.palette = palette;
    this.box = element("div", { class: "plot-box" });
    this.values = element("div", { class: "plot-values" });
    const title = data.unit ? `${data.title} / ${data.unit}` : data.title;
    this.root = element("section", { class: "plot", label: title }, [
      element("h3", { text: title }),
      this.values,
      this.box,
    ]);
    this.root.dataset.plot = data.title;
  }

  /** Makes the drawing, when the element has its width. */
  build(): void {
    this.plot?.destroy();
    const { palette, data } = this;
    const x = Array.from(data.t);
    const rows = data.isLogarithmic
      ? logarithms(data.lines)
      : data.lines.map((line) => Array.from(line.values, (v) => (Number.isFinite(v) ? v : null)));
    this.plot = new uPlot(
      {
        width: Math.max(120, this.box.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: true, y: false }, points: { show: false } },
        scales: { x: { time: false }, y: { range: (_plot, low, high) => padded(low, high, data.limits) } },
        axes: [axis(palette, 26), { ...axis(palette, 62), ...(data.isLogarithmic ? POWERS : LABELS) }],
        series: [
          {},
          ...data.lines.map((line, k) => ({
            label: line.name,
            stroke: palette.lines[k % palette.lines.length],
            dash: DASHES[k % DASHES.length],
            width: 1.4,
            points: { show: false },
          })),
        ],
        hooks: { draw: [(plot: uPlot) => this.drawLimits(plot), (plot: uPlot) => this.drawCursor(plot)] },
      },
      [x, ...rows] as uPlot.AlignedData,
      this.box,
    );
    this.listen(this.plot);
    this.showValues();
  }

  /** A click without a drag jumps there; a double click (of uPlot) shows all again. */
  private listen(plot: uPlot): void {
    let down: number | null = null;
    plot.over.addEventListener("pointerdown", (event) => (down = event.clientX));
    plot.over.addEventListener("pointerup", (event) => {
      if (down !== null && Math.abs(event.clientX - down) < 3) {
        const left = event.clientX - plot.over.getBoundingClientRect().left;
        this.player.play(false);
        this.player.seek(plot.posToVal(left, "x"));
      }
      down = null;
    });
  }

  private drawLimits(plot: uPlot): void {
    const { left, top, width, height } = plot.bbox;
    const context = plot.ctx;
    context.save();
    context.strokeStyle = this.palette.ink;
    context.lineWidth = devicePixelRatio;
    context.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const limit of this.data.limits ?? []) {
      const y = plot.valToPos(limit, "y", true);
      if (y < top || y > top + height) continue;
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      context.stroke();
    }
    context.restore();
  }

  private drawCursor(plot: uPlot): void {
    const x = plot.valToPos(this.player.time, "x", true);
    const { left, top, width, height } = plot.bbox;
    if (x < left || x > left + width) return;
    const context = plot.ctx;
    context.save();
    context.setLineDash([]);
    context.strokeStyle = this.palette.accent;
    context.lineWidth = 1.5 * devicePixelRatio;
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
    context.restore();
  }

  /** The values of all lines at the time of the picture. */
  private showValues(): void {
    const at = lastAtOrBefore(this.data.t, this.player.time);
    const spans = this.data.lines.map((line, k) => {
      const span = element("span", { text: `${line.name} ${format(line.values[at])}` });
      span.style.color = this.palette.lines[k % this.palette.lines.length];
      return span;
    });
    this.values.replaceChildren(...spans);
  }

  update(): void {
    this.showValues();
    this.plot?.redraw(false, false);
  }

  resize(): void {
    const width = this.box.clientWidth;
    if (this.plot && width > 0 && Math.abs(width - this.plot.width) > 1) {
      this.plot.setSize({ width, height: HEIGHT });
    }
  }

  paint(palette: Palette): void {
    this.palette = palette;
    if (this.plot) this.build();
  }

  destroy(): void {
    this.plot?.destroy();
    this.root.remove();
  }
}

const FAR_LIMIT = 1.5; // of the range of a coordinate: a limit farther off is not shown
// lines are told apart without their colours too
const DASHES: number[][] = [[], [7, 3], [2, 2], [8, 3, 2, 3], [12, 5], [6, 2, 2, 2, 2, 2], [3, 5], [14, 3, 3, 3]];

/** A little room above and below; a constant in the middle; limits that are near are inside. */
export function padded(
  low: number | null,
  high: number | null,
  limits: readonly number[] = [],
): [number, number] {
  if (low === null || high === null) return [0, 1];
  const far = FAR_LIMIT * (high - low || Math.abs(high) || 1);
  const [least, most] = [low - far, high + far];
  const near = limits.filter((limit) => limit >= least && limit <= most);
  const bottom = Math.min(low, ...near);
  const top = Math.max(high, ...near);
  const room = top > bottom ? 0.06 * (top - bottom) : Math.abs(top) * 0.1 || 1;
  return [bottom - room, top + room];
}

function axis(palette: Palette, size: number): uPlot.Axis {
  return {
    stroke: palette.ink,
    font: "11px system-ui, sans-serif",
    grid: { stroke: palette.faint, width: 1 },
    ticks: { stroke: palette.faint, width: 1, size: 4 },
    size,
    gap: 3,
  };
}

const LABELS: uPlot.Axis = {
  values: (_plot, splits) => splits.map((value) => (value === null ? null : format(value, 3))),
};
const POWERS: uPlot.Axis = {
  incrs: [1, 2, 5, 10, 20, 50, 100],
  values: (_plot, splits) => splits.map((value) => (value === null ? null : `1e${value}`)),
};
const SMALLEST_DRAWN = 1e-6; // of the largest: less is drawn there

/** log₁₀ of all lines, on a linear axis: that of uPlot for logarithms ends at 1e−16. */
export function logarithms(lines: readonly Line[]): (number | null)[][] {
  let largest = 0;
  for (const { values } of lines) {
    for (let k = 0; k < values.length; k++) if (values[k] > largest) largest = values[k];
  }
  const floor = SMALLEST_DRAWN * largest;
  return lines.map(({ values }) =>
    Array.from(values, (v) => (largest > 0 && v >= 0 ? Math.log10(Math.max(v, floor)) : null)),
  );
}
