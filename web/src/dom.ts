/** Elements of the page. Text is set as text: names of models are never markup. */

export interface Options {
  class?: string;
  text?: string;
  label?: string; // for screen readers and as a hint
  id?: string;
  type?: string;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: Options = {},
  children: Node[] = [],
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (options.class) made.className = options.class;
  if (options.text !== undefined) made.textContent = options.text;
  if (options.id) made.id = options.id;
  if (options.type) made.setAttribute("type", options.type);
  if (options.label) {
    made.setAttribute("aria-label", options.label);
    made.title = options.label;
  }
  made.append(...children);
  return made;
}

export function button(text: string, label: string, act: () => void): HTMLButtonElement {
  const made = element("button", { text, label, type: "button" });
  made.addEventListener("click", act);
  return made;
}

/** A button that stays pressed. */
export function toggle(
  text: string,
  label: string,
  isOn: boolean,
  act: (isOn: boolean) => void,
): HTMLButtonElement {
  const made = button(text, label, () => {
    const now = made.getAttribute("aria-pressed") !== "true";
    made.setAttribute("aria-pressed", String(now));
    act(now);
  });
  made.setAttribute("aria-pressed", String(isOn));
  return made;
}

export function choice(
  label: string,
  values: readonly (readonly [value: string, text: string])[],
  chosen: string,
  act: (value: string) => void,
): HTMLSelectElement {
  const made = element("select", { label });
  for (const [value, text] of values) {
    const option = element("option", { text });
    option.value = value;
    made.append(option);
  }
  made.value = chosen;
  made.addEventListener("change", () => act(made.value));
  return made;
}

/** 1.500 as 1.5, but 100 as it is. */
function withoutZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Four digits, or powers of ten where a number is large or small. */
export function format(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    return value.toExponential(digits - 2).replace("e+", "e").replaceAll("-", "−");
  }
  return withoutZeros(value.toPrecision(digits)).replace("-", "−");
}
