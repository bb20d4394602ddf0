/** Names of bodies over the picture. */

import { element } from "./dom.ts";
import { project } from "./cameras.ts";
import type { Picture } from "./picture.ts";

const MAX_LABELS = 60;

export class Labels {
  readonly root = element("div", { class: "labels" });
  private readonly entries: HTMLElement[];
  private readonly picture: Picture;
  isOn = false;

  constructor(picture: Picture) {
    this.picture = picture;
    this.root.setAttribute("aria-hidden", "true");
    const names = picture.world.data.scene.bodies.slice(0, MAX_LABELS);
    this.entries = names.map((name) => element("span", { text: name }));
  }

  set(isOn: boolean): void {
    this.isOn = isOn;
    this.root.replaceChildren(...(isOn ? this.entries : []));
  }

  update(): void {
    if (!this.isOn) return;
    const { camera, stage, world } = this.picture;
    this.entries.forEach((entry, body) => {
      const at = project(camera, stage.up, world.centre(body), stage.width, stage.height);
      entry.hidden = at.depth <= 0;
      entry.style.transform = `translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)`;
    });
  }
}
