/** Colours of bodies: their own, or by kinetic energy or constraint residual; the selected one. */

import { Color } from "three";

import type { Arrays } from "./decode.ts";
import type { Copy, Instances } from "./instances.ts";
import { lastAtOrBefore } from "./motion.ts";
import type { Selection } from "./selection.ts";
import type { World } from "./world.ts";

export type ColorMode = "own" | "energy" | "residual";
const SCALE = ["#2b3a67", "#31688e", "#21a585", "#8fd744", "#fde725"].map((c) => new Color(c));
const FADED = 0.55;
const ENERGY_FRAMES = 200;

/** x in [0, 1] along a scale from dark blue to yellow. */
export function scaleColor(x: number): Color {
  const place = Math.max(0, Math.min(1, x)) * (SCALE.length - 1);
  const k = Math.min(Math.floor(place), SCALE.length - 2);
  return new Color().lerpColors(SCALE[k], SCALE[k + 1], place - k);
}

export class Coloring {
  mode: ColorMode = "own";
  private readonly world: World;
  private readonly logs: ArrayLike<number> | null;
  private readonly times: ArrayLike<number>;
  private readonly partsOfBody: number[][]; // constraints that touch a body
  private readonly logRange: [number, number];
  private highestEnergy: number | null = null;

  constructor(world: World, arrays: Arrays) {
    this.world = world;
    const { residuals, scene } = world.data;
    this.logs = residuals ? arrays.read(residuals.log) : null;
    this.times = residuals ? arrays.read(residuals.t) : [];
    this.partsOfBody = scene.bodies.map(() => []);
    residuals?.names.forEach((name, part) => {
      const joint = scene.joints.find((entry) => entry.name === name);
      const connector = scene.connectors.find((entry) => entry.name === name);
      for (const body of joint ? [joint.parent, joint.child] : (connector?.bodies ?? [])) {
        if (body >= 0) this.partsOfBody[body].push(part);
      }
    });
    let [low, high] = [Infinity, -Infinity];
    for (let k = 0; k < (this.logs?.length ?? 0); k++) {
      low = Math.min(low, (this.logs as ArrayLike<number>)[k]);
      high = Math.max(high, (this.logs as ArrayLike<number>)[k]);
    }
    this.logRange = [low, high > low ? high : low + 1];
  }

  /** What the colours mean, for the legend. */
  legend(): { low: string; high: string; title: string } | null {
    if (this.mode === "energy") {
      return { title: "kinetic energy", low: "0", high: `${this.highest().toExponential(1)} J` };
    }
    if (this.mode === "residual") {
      const [low, high] = this.logRange;
      return { title: "constraint residual", low: `1e${low.toFixed(0)}`, high: `1e${high.toFixed(0)}` };
    }
    return null;
  }

  apply(instances: Instances[], selection: Selection, accent: string, time: number): void {
    const values = this.values(time);
    const mark = new Color(accent);
    const grey = new Color(0x8a93a0);
    for (const group of instances) {
      group.paint((copy, own) => {
        const body = copy.owner.kind === "body" ? copy.owner.index : -1;
        const base = values && body >= 0 ? scaleColor(values[body]) : own;
        if (!selection.isAny) return base;
        if (isSelected(copy, selection)) return new Color().lerpColors(base, mark, 0.75);
        return new Color().lerpColors(base, grey, 1 - FADED);
      });
    }
  }

  /** The largest kinetic energy of a body in the whole motion. */
  private highest(): number {
    if (this.highestEnergy !== null) return this.highestEnergy;
    const { world } = this;
    const { t } = world.motion.frames;
    const step = Math.max(1, Math.floor(t.length / ENERGY_FRAMES));
    const now = [Float64Array.from(world.poses), Float64Array.from(world.rates)];
    let found = 0;
    for (let frame = 0; frame < t.length; frame += step) {
      world.moveTo(t[frame]);
      for (let body = 0; body < world.bodies; body++) found = Math.max(found, world.kineticEnergy(body));
    }
    world.poses.set(now[0]);
    world.rates.set(now[1]);
    this.highestEnergy = found;
    return found;
  }

  private values(time: number): number[] | null {
    const { world } = this;
    if (this.mode === "energy") {
      const found = world.data.scene.bodies.map((_, body) => world.kineticEnergy(body));
      const highest = this.highest() || 1;
      return found.map((value) => Math.sqrt(value / highest));
    }
    if (this.mode === "residual" && this.logs && world.data.residuals) {
      const logs = this.logs;
      const count = world.data.residuals.names.length;
      const row = lastAtOrBefore(this.times, time) * count;
      const [low, high] = this.logRange;
      return this.partsOfBody.map((parts) => {
        const worst = parts.reduce((a, part) => Math.max(a, logs[row + part]), low);
        return (worst - low) / (high - low);
      });
    }
    return null;
  }
}

function isSelected(copy: Copy, selection: Selection): boolean {
  return copy.owner.kind === selection.kind && copy.owner.index === selection.index;
}
