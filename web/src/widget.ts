/** The page in a notebook: an anywidget whose data and state are traits. */

import { App } from "./app.ts";
import { Arrays, inflate } from "./decode.ts";
import type { PageDocument } from "./document.ts";
import { element } from "./dom.ts";
import { link } from "./link.ts";
import type { WidgetModel } from "./link.ts";
import type { ThemeName } from "./theme.ts";

async function render({ model, el }: { model: WidgetModel; el: HTMLElement }): Promise<() => void> {
  const root = element("div", {});
  root.style.height = `${String(model.get("height"))}px`;
  // the notebook's own shortcuts would answer the same keys
  root.dataset.lmSuppressShortcuts = "true";
  root.addEventListener("keydown", (event) => event.stopPropagation());
  el.append(root);
  const data = JSON.parse(model.get("_document") as string) as PageDocument;
  const view = model.get("_arrays") as DataView;
  const bytes = new Uint8Array(view.byteLength);
  bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  const theme = (model.get("theme") as string) || undefined;
  const app = new App(root, data, new Arrays(await inflate(bytes)), {
    theme: theme as ThemeName | undefined,
    keys: root,
  });
  app.start();
  const { bodies, joints } = data.scene;
  const names = { bodies, joints: joints.map((joint) => joint.name) };
  const part = link(model, app.player, app.selection, names);
  root.dataset.ready = "true";
  return () => {
    part();
    app.stop();
  };
}

export default { render };
