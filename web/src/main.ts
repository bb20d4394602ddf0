/** The page as a file: its data stand in two elements. */

import { App } from "./app.ts";
import { Arrays } from "./decode.ts";
import type { PageDocument } from "./document.ts";
import type { ThemeName } from "./theme.ts";
import { prefersReducedMotion } from "./theme.ts";

declare global {
  interface Window {
    hamiltree?: App;
  }
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

async function open(root: HTMLElement): Promise<void> {
  const data = JSON.parse(textOf("hamiltree-document")) as PageDocument;
  const arrays = await Arrays.fromBase64(textOf("hamiltree-arrays"));
  // page.html#t=2.5&theme=light opens at a time and in a theme
  const wishes = new URLSearchParams(location.hash.slice(1));
  const time = wishes.has("t") ? Number(wishes.get("t")) : undefined;
  const theme = wishes.get("theme");
  const isTheme = theme === "dark" || theme === "light";
  const app = new App(root, data, arrays, {
    theme: isTheme ? (theme as ThemeName) : undefined,
    time: Number.isFinite(time) ? time : undefined,
  });
  app.start();
  window.hamiltree = app;
  root.dataset.ready = "true";
  if (time === undefined && data.kind === "run" && !prefersReducedMotion()) app.player.play(true);
}

const root = document.getElementById("hamiltree");
if (root) {
  open(root).catch((error: unknown) => {
    root.textContent = `This page cannot be shown: ${String(error)}`;
    throw error;
  });
}
