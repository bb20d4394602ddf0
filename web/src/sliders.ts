/** Sliders for the joints of a model that was not run. */

import { button, element, format } from "./dom.ts";
import type { KinematicsData } from "./document.ts";

const MAX_SLIDERS = 200;

export function buildSliders(
  data: KinematicsData,
  q: Float64Array,
  size: number,
  changed: () => void,
): HTMLElement {
  const resets: (() => void)[] = [];
  const rows: HTMLElement[] = [];
  data.coordinates.slice(0, MAX_SLIDERS).forEach((name, k) => {
    const isAngle = data.dimensions[k] === "angle";
    const reach = isAngle ? Math.PI : data.dimensions[k] === "number" ? 1 : size;
    const middle = data.dimensions[k] === "number" ? 0 : data.start[k];
    const slider = element("input", { type: "range", label: name });
    slider.min = String(middle - reach);
    slider.max = String(middle + reach);
    slider.step = "any";
    const value = element("output", {});
    const show = (): void => {
      slider.value = String(q[k]);
      value.textContent = `${format(q[k], 3)}${isAngle ? " rad" : data.dimensions[k] === "length" ? " m" : ""}`;
    };
    slider.addEventListener("input", () => {
      q[k] = Number(slider.value);
      show();
      changed();
    });
    resets.push(() => {
      q[k] = data.start[k];
      show();
    });
    show();
    rows.push(element("label", { class: "slider" }, [element("span", { text: name }), slider, value]));
  });
  const reset = button("reset", "Back to the start values", () => {
    for (const act of resets) act();
    changed();
  });
  return element("section", { class: "sliders", label: "Joints" }, [...rows, reset]);
}
