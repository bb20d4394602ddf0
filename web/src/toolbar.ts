/** Buttons over the picture: sides to look from, what to follow, what to show, files. */

import { button, choice, element, toggle } from "./dom.ts";
import type { App } from "./app.ts";
import type { ColorMode } from "./coloring.ts";
import type { ArrowKind } from "./overlays.ts";

export function buildToolbar(app: App): HTMLElement {
  const views = group("View", [
    button("home", "The first view again (R)", () => app.resetCamera()),
    ...(["x", "y", "z"] as const).map((axis, k) =>
      button(axis, `Look along ${axis} (${k + 1})`, () => app.lookAlong(axis)),
    ),
    toggle("ortho", "Parallel projection (O)", false, (isOn) => app.setOrthographic(isOn)),
    buildFollow(app),
  ]);
  views.querySelector("[aria-pressed]")?.setAttribute("data-key", "ortho");
  return element("div", { class: "toolbar" }, [views, buildShow(app), buildFiles(app)]);
}

function buildFollow(app: App): HTMLElement {
  const names = app.world.data.scene.bodies.map((name, k) => [String(k), `follow ${name}`] as const);
  const chosen = app.picture.followed.kind === "all" ? "all" : "";
  const values = [["", "follow nothing"], ["all", "follow all"], ...names.slice(0, 400)] as const;
  const made = choice("Follow", values, chosen, (value) => {
    app.follow(value === "" ? null : value === "all" ? "all" : Number(value));
  });
  made.dataset.key = "follow";
  return made;
}

function buildShow(app: App): HTMLElement {
  const { picture } = app;
  const { data } = app.world;
  const isRun = data.kind === "run";
  const parts: HTMLElement[] = [
    toggle("joints", "Show joints (J)", true, (isOn) => app.change(() => picture.setJoints(isOn))),
    toggle("axes", "Show the axes of all bodies (A)", false, (isOn) => app.change(() => picture.setFrames(isOn))),
    toggle("names", "Show names of bodies (N)", false, (isOn) => app.change(() => app.labels.set(isOn))),
    toggle("ground", "Show the ground (G)", true, (isOn) => app.change(() => picture.setGround(isOn))),
  ];
  if (isRun) {
    parts.unshift(
      toggle("trails", "Trail of the selected body, or of those at the ends (T)", picture.hasTrails, (isOn) =>
        app.change(() => picture.setTrails(isOn)),
      ),
    );
    parts.push(buildArrows(app), buildColors(app));
  }
  for (const part of parts) part.dataset.key ??= part.textContent ?? "";
  return group("Show", parts);
}

function buildArrows(app: App): HTMLElement {
  const kinds: [ArrowKind, string][] = [
    ["none", "no arrows"],
    ["momenta", "momenta"],
    ["velocities", "velocities"],
  ];
  if (app.world.data.reactions) kinds.push(["reactions", "reactions"]);
  const made = choice("Arrows", kinds, "none", (value) =>
    app.change(() => app.picture.setArrows(value as ArrowKind)),
  );
  made.dataset.key = "arrows";
  return made;
}

function buildColors(app: App): HTMLElement {
  const modes: [ColorMode, string][] = [["own", "own colours"]];
  if (app.world.data.cards.length) modes.push(["energy", "by energy"]);
  if (app.world.data.residuals) modes.push(["residual", "by residual"]);
  const made = choice("Colours", modes, "own", (value) => app.setColors(value as ColorMode));
  made.dataset.key = "colors";
  return made;
}

function buildFiles(app: App): HTMLElement {
  const film = button("film", "Record one run of the time as WebM", () => void app.film());
  film.dataset.key = "film";
  return group("Files", [button("PNG", "Save this picture (S)", () => void app.snapshot()), film]);
}

function group(label: string, parts: HTMLElement[]): HTMLElement {
  const made = element("div", { class: "group", label }, parts);
  made.setAttribute("role", "group");
  made.removeAttribute("title");
  return made;
}
