/** The bar below the picture: play, step, scrub, speed, loop. */

import { button, choice, element, format, toggle } from "./dom.ts";
import { SPEEDS } from "./player.ts";
import type { Player } from "./player.ts";

const STEPS = 10000; // of the slider

export function buildTimeline(player: Player, unit: string): HTMLElement {
  const { start, end } = player.clock;
  const span = end - start || 1;
  const play = button("▶", "Play or pause (space)", () => player.toggle());
  play.className = "play";
  const slider = element("input", { type: "range", label: "Time", class: "scrub" });
  slider.min = "0";
  slider.max = String(STEPS);
  slider.step = "any";
  slider.addEventListener("input", () => {
    const time = start + (Number(slider.value) / STEPS) * span; // read before it is shown again
    player.play(false);
    player.seek(time);
  });
  const clock = element("output", { class: "clock", label: "Time" });
  const speeds = SPEEDS.map((speed) => [String(speed), `${speed}×`] as const);
  const speed = choice("Speed", speeds, "1", (value) => player.setSpeed(Number(value)));
  const loop = toggle("⟲", "Repeat (L)", player.isLooping, (isOn) => player.setLooping(isOn));
  const pace = element("span", { class: "pace" });
  const show = (): void => {
    play.textContent = player.isPlaying ? "❚❚" : "▶";
    play.setAttribute("aria-pressed", String(player.isPlaying));
    slider.value = String(((player.time - start) / span) * STEPS);
    slider.setAttribute("aria-valuetext", `${format(player.time)} ${unit}`);
    clock.textContent = `${clockText(player.time, span)} / ${clockText(end, span)} ${unit}`;
    if (speed.value !== String(player.speed)) speed.value = String(player.speed);
    loop.setAttribute("aria-pressed", String(player.isLooping));
    pace.textContent =
      player.pace === 1 ? "" : `1× = ${format(player.pace, 2)} ${unit} of the run per second`;
  };
  player.onChange(show);
  show();
  return element("div", { class: "timeline", label: "Timeline" }, [
    button("|◂", "To the start (Home)", () => player.seek(start)),
    button("◂", "One frame back (←)", () => player.step(-1)),
    play,
    button("▸", "One frame on (→)", () => player.step(1)),
    slider,
    clock,
    speed,
    loop,
    pace,
  ]);
}

/** As many decimals as tell a thousandth of the run apart. */
export function clockText(time: number, span: number): string {
  const decimals = Math.max(0, Math.min(9, Math.ceil(-Math.log10(span / 1000))));
  return decimals > 6 ? format(time, 4) : time.toFixed(decimals).replace("-", "−");
}
