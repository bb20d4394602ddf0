/** One quantity over another: phase portraits and sections. Points by time, a mark at now. */

import { element, format } from "./dom.ts";
import { lastAtOrBefore } from "./motion.ts";
import type { Player } from "./player.ts";
import type { Palette } from "./theme.ts";

export interface PortraitData {
  title: string;
  xName: string;
  yName: string;
  t: ArrayLike<number>;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  isSection: boolean;
}

const LEFT = 52;
const BOTTOM = 34;
const MARGIN = 8;
const NEAR = 14; // px: a click jumps to a point within

export class Portrait {
  readonly root: HTMLElement;
  private readonly data: PortraitData;
  private readonly player: Player;
  private readonly canvas: HTMLCanvasElement;
  private readonly values: HTMLElement;
  private palette: Palette;
  private height: number;
  private readonly xRange: [number, number];
  private readonly yRange: [number, number];
  private background: HTMLCanvasElement | null = null;

  constructor(data: PortraitData, player: Player, palette: Palette, height = 230) {
    this.data = data;
    this.player = player;
    this.palette = palette;
    this.height = height;
    this.xRange = paddedRange(data.x);
    this.yRange = paddedRange(data.y);
    this.canvas = element("canvas", { label: `${data.yName} over ${data.xName}` });
    this.canvas.setAttribute("role", "img");
    this.values = element("div", { class: "plot-values" });
    this.root = element("section", { class: "plot portrait", label: data.title }, [
      element("h3", { text: data.title }),
      this.values,
      this.canvas,
    ]);
    this.root.dataset.plot = data.title;
    this.canvas.addEventListener("click", (event) => this.jump(event));
  }

  build(): void {
    const width = Math.max(120, this.root.clientWidth - 2);
    const ratio = devicePixelRatio;
    this.canvas.width = width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${this.height}px`;
    this.background = null;
    this.update();
  }

  resize(height?: number): void {
    if (height) this.height = height;
    if (this.root.clientWidth > 0) this.build();
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.build();
  }

  destroy(): void {
    this.root.remove();
  }

  update(): void {
    const context = this.canvas.getContext("2d");
    if (!context || !this.canvas.width) return;
    this.background ??= this.drawBackground();
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.background, 0, 0);
    const at = lastAtOrBefore(this.data.t, this.player.time);
    const { x, y, xName, yName, isSection } = this.data;
    this.values.textContent = isSection
      ? `${x.length} points`
      : `${xName} ${format(x[at])}, ${yName} ${format(y[at])}`;
    if (isSection) return;
    const [px, py] = this.place(x[at], y[at]);
    context.fillStyle = this.palette.accent;
    context.beginPath();
    context.arc(px, py, 4.5 * devicePixelRatio, 0, 2 * Math.PI);
    context.fill();
  }

  private place(x: number, y: number): [number, number] {
    const ratio = devicePixelRatio;
    const [x0, x1] = this.xRange;
    const [y0, y1] = this.yRange;
    const wide = this.canvas.width - (LEFT + MARGIN) * ratio;
    const high = this.canvas.height - (BOTTOM + MARGIN) * ratio;
    return [
      LEFT * ratio + (wide * (x - x0)) / (x1 - x0),
      MARGIN * ratio + high * (1 - (y - y0) / (y1 - y0)),
    ];
  }

  /** Axes and all points, drawn once for a size and a theme. */
  private drawBackground(): HTMLCanvasElement {
    const ratio = devicePixelRatio;
    const made = document.createElement("canvas");
    made.width = this.canvas.width;
    made.height = this.canvas.height;
    const context = made.getContext("2d") as CanvasRenderingContext2D;
    const right = made.width - MARGIN * ratio;
    const bottom = made.height - BOTTOM * ratio;
    context.strokeStyle = this.palette.faint;
    context.lineWidth = ratio;
    context.strokeRect(LEFT * ratio, MARGIN * ratio, right - LEFT * ratio, bottom - MARGIN * ratio);
    this.drawLabels(context, right, bottom);
    this.drawPoints(context);
    return made;
  }

  private drawLabels(context: CanvasRenderingContext2D, right: number, bottom: number): void {
    const ratio = devicePixelRatio;
    const [x0, x1] = this.xRange;
    const [y0, y1] = this.yRange;
    context.fillStyle = this.palette.ink;
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "top";
    context.fillText(format(x0, 3), LEFT * ratio, bottom + 4 * ratio);
    context.textAlign = "right";
    context.fillText(format(x1, 3), right, bottom + 4 * ratio);
    context.fillText(format(y1, 3), (LEFT - 4) * ratio, MARGIN * ratio);
    context.textBaseline = "bottom";
    context.fillText(format(y0, 3), (LEFT - 4) * ratio, bottom);
    context.textAlign = "center";
    context.fillText(this.data.xName, (LEFT * ratio + right) / 2, this.canvas.height);
    context.save();
    context.translate(14 * ratio, (MARGIN * ratio + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(this.data.yName, 0, 0);
    context.restore();
  }

  private drawPoints(context: CanvasRenderingContext2D): void {
    const { x, y, isSection } = this.data;
    const ratio = devicePixelRatio;
    context.strokeStyle = context.fillStyle = this.palette.lines[0];
    context.lineWidth = ratio;
    if (isSection) {
      for (let k = 0; k < x.length; k++) {
        const [px, py] = this.place(x[k], y[k]);
        context.fillRect(px - ratio, py - ratio, 2 * ratio, 2 * ratio);
      }
      return;
    }
    context.globalAlpha = 0.8;
    context.beginPath();
    for (let k = 0; k < x.length; k++) context.lineTo(...this.place(x[k], y[k]));
    context.stroke();
  }

  private jump(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const ratio = devicePixelRatio;
    const [cx, cy] = [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
    let best = NEAR * ratio;
    let found = -1;
    for (let k = 0; k < this.data.x.length; k++) {
      const [px, py] = this.place(this.data.x[k], this.data.y[k]);
      const distance = Math.hypot(px - cx, py - cy);
      if (distance < best) [best, found] = [distance, k];
    }
    if (found < 0) return;
    this.player.play(false);
    this.player.seek(this.data.t[found]);
  }
}

/** Least and largest with a little room. */
export function paddedRange(values: ArrayLike<number>): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let k = 0; k < values.length; k++) {
    if (!Number.isFinite(values[k])) continue;
    low = Math.min(low, values[k]);
    high = Math.max(high, values[k]);
  }
  if (high < low) return [-1, 1];
  if (!(high > low)) return [low - 1, low + 1];
  const room = 0.05 * (high - low);
  return [low - room, high + room];
}
