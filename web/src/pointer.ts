/** Mouse, pen and touch on the picture: turn, shift, zoom, click. */

import { pan, turn, zoom } from "./cameras.ts";
import type { Picture } from "./picture.ts";

const RADIANS_PER_PIXEL = 0.008;
const ZOOM_PER_WHEEL = 0.0012;
const CLICK_PIXELS = 4;

export function listenToPointer(
  picture: Picture,
  changed: () => void,
  clicked: (x: number, y: number) => void,
): void {
  const { canvas } = picture.stage;
  const held = new Map<number, PointerEvent>();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, event);
    moved = held.size > 1 ? CLICK_PIXELS : 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const dx = event.clientX - last.clientX;
    const dy = event.clientY - last.clientY;
    moved += Math.abs(dx) + Math.abs(dy);
    const { stage } = picture;
    if (held.size === 1) {
      const isPan = event.buttons & 6 || event.shiftKey;
      picture.camera = isPan
        ? pan(picture.camera, stage.up, dx, dy, stage.width, stage.height)
        : turn(picture.camera, RADIANS_PER_PIXEL * dx, RADIANS_PER_PIXEL * dy);
      if (isPan) picture.followed = { kind: "nothing" };
    } else {
      const other = [...held.values()].find((entry) => entry.pointerId !== event.pointerId);
      if (other) {
        const before = Math.hypot(last.clientX - other.clientX, last.clientY - other.clientY);
        const after = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
        if (before > 0 && after > 0) picture.camera = zoom(picture.camera, before / after);
        picture.camera = pan(picture.camera, stage.up, dx / 2, dy / 2, stage.width, stage.height);
      }
    }
    held.set(event.pointerId, event);
    changed();
  });
  const release = (event: PointerEvent): void => {
    const isClick = held.delete(event.pointerId) && moved < CLICK_PIXELS && event.type === "pointerup";
    if (!isClick) return;
    const box = canvas.getBoundingClientRect();
    clicked(event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      picture.camera = zoom(picture.camera, Math.exp(ZOOM_PER_WHEEL * event.deltaY));
      changed();
    },
    { passive: false },
  );
}
