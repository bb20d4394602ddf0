/** The keys of a page. */

import type { App } from "./app.ts";
import type { Shortcut } from "./keyboard.ts";

export function shortcutsOf(app: App): Shortcut[] {
  const { player } = app;
  const { start, end } = player.clock;
  const side = (name: string): void => {
    app.root.classList.toggle(`no-${name}`);
    app.resize();
  };
  return [
    { keys: [" ", "k"], label: "play or pause", act: () => player.toggle() },
    { keys: ["ArrowRight"], label: "one frame on", act: () => player.step(1) },
    { keys: ["ArrowLeft"], label: "one frame back", act: () => player.step(-1) },
    { keys: ["Home"], label: "to the start", act: () => player.seek(start) },
    { keys: ["End"], label: "to the end", act: () => player.seek(end) },
    { keys: ["+", "="], label: "faster", act: () => player.changeSpeed(1) },
    { keys: ["-"], label: "slower", act: () => player.changeSpeed(-1) },
    { keys: ["l"], label: "repeat or not", act: () => player.setLooping(!player.isLooping) },
    { keys: ["r"], label: "the first view again", act: () => app.resetCamera() },
    { keys: ["1"], label: "look along x", act: () => app.lookAlong("x") },
    { keys: ["2"], label: "look along y", act: () => app.lookAlong("y") },
    { keys: ["3"], label: "look along z", act: () => app.lookAlong("z") },
    { keys: ["o"], label: "parallel projection or perspective", act: () => app.press("ortho") },
    { keys: ["t"], label: "trails", act: () => app.press("trails") },
    { keys: ["j"], label: "joints", act: () => app.press("joints") },
    { keys: ["a"], label: "axes of bodies", act: () => app.press("axes") },
    { keys: ["n"], label: "names of bodies", act: () => app.press("names") },
    { keys: ["g"], label: "ground", act: () => app.press("ground") },
    { keys: ["f"], label: "follow the selected body, or nothing", act: () => followSelected(app) },
    { keys: ["b"], label: "parts at the left", act: () => side("left") },
    { keys: ["p"], label: "plots at the right", act: () => side("right") },
    { keys: ["d"], label: "dark or light", act: () => app.switchTheme() },
    { keys: ["s"], label: "save a picture (PNG)", act: () => void app.snapshot() },
    { keys: ["Escape"], label: "select nothing", act: () => app.selection.choose("none", -1) },
    { keys: ["?"], label: "this list", act: () => app.showHelp() },
  ];
}

function followSelected(app: App): void {
  const { selection, picture } = app;
  const isFree = picture.followed.kind === "nothing";
  app.follow(isFree && selection.kind === "body" ? selection.index : null);
}
