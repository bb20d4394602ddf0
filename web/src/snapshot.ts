/** Pictures and films of what is seen, as files. */

import type { Palette } from "./theme.ts";

const FILM_FRAMES_PER_SECOND = 30;
const FILM_BITS_PER_SECOND = 8_000_000;

/** The picture on its background. */
export function compose(canvas: HTMLCanvasElement, palette: Palette, into?: HTMLCanvasElement): HTMLCanvasElement {
  const made = into ?? document.createElement("canvas");
  if (made.width !== canvas.width) made.width = canvas.width;
  if (made.height !== canvas.height) made.height = canvas.height;
  const context = made.getContext("2d") as CanvasRenderingContext2D;
  const shade = context.createLinearGradient(0, 0, 0, made.height);
  shade.addColorStop(0, palette.top);
  shade.addColorStop(1, palette.bottom);
  context.fillStyle = shade;
  context.fillRect(0, 0, made.width, made.height);
  context.drawImage(canvas, 0, 0);
  return made;
}

export async function pngOf(canvas: HTMLCanvasElement, palette: Palette): Promise<Blob> {
  const whole = compose(canvas, palette);
  return new Promise((resolve, reject) =>
    whole.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
  );
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name for a file: letters, digits and dashes of a title. */
export function fileName(title: string, ending: string): string {
  const plain = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return `${plain || "hamiltree"}.${ending}`;
}

export function canFilm(): boolean {
  return typeof MediaRecorder !== "undefined" && MediaRecorder.isTypeSupported("video/webm");
}

/** Records what `draw` shows until `stop` is called: a WebM film. */
export class Film {
  private readonly canvas = document.createElement("canvas");
  private readonly chunks: Blob[] = [];
  private readonly recorder: MediaRecorder;

  constructor(source: HTMLCanvasElement, palette: Palette) {
    compose(source, palette, this.canvas);
    const stream = this.canvas.captureStream(FILM_FRAMES_PER_SECOND);
    this.recorder = new MediaRecorder(stream, {
      mimeType: "video/webm",
      videoBitsPerSecond: FILM_BITS_PER_SECOND,
    });
    this.recorder.addEventListener("dataavailable", (event) => this.chunks.push(event.data));
    this.recorder.start();
  }

  draw(source: HTMLCanvasElement, palette: Palette): void {
    compose(source, palette, this.canvas);
  }

  stop(): Promise<Blob> {
    return new Promise((resolve) => {
      this.recorder.addEventListener("stop", () => resolve(new Blob(this.chunks, { type: "video/webm" })));
      this.recorder.stop();
    });
  }
}
