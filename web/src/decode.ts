/** Arrays of a page: base64, inflated, and rounded numbers made numbers again. */

import type { ArrayRef } from "./document.ts";

export type Numbers = Float64Array | Float32Array | Uint32Array | Int32Array | Uint16Array;

const LARGEST_FLOAT32 = 3.4e38;
const SMALLEST_FLOAT32 = 1.2e-38; // with all its digits

export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

/** The bytes of a zlib stream. */
export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

export class Arrays {
  private readonly content: ArrayBuffer;

  constructor(content: ArrayBuffer) {
    this.content = content;
  }

  static async fromBase64(text: string): Promise<Arrays> {
    return new Arrays(await inflate(bytesOfBase64(text)));
  }

  /** The numbers under a description, as they were added. */
  read(about: ArrayRef): Numbers {
    return about.low && about.step ? this.rounded(about) : this.plain(about);
  }

  /** The numbers as floats, whatever they are kept as. */
  floats(about: ArrayRef): Float32Array | Float64Array {
    const found = this.read(about);
    if (found instanceof Float32Array || found instanceof Float64Array) return found;
    return Float64Array.from(found);
  }

  private plain(about: ArrayRef): Numbers {
    const count = about.shape.reduce((a, b) => a * b, 1);
    switch (about.type) {
      case "float64":
        return new Float64Array(this.content, about.at, count);
      case "float32":
        return new Float32Array(this.content, about.at, count);
      case "uint32":
        return new Uint32Array(this.content, about.at, count);
      case "int32":
        return new Int32Array(this.content, about.at, count);
      case "uint16":
        return new Uint16Array(this.content, about.at, count);
    }
  }

  /** Channels of differences in time, summed modulo their range: (time, channel). */
  private rounded(about: ArrayRef): Float32Array | Float64Array {
    const low = this.plain(about.low as ArrayRef);
    const step = this.plain(about.step as ArrayRef);
    const differences = this.plain(about);
    const channels = low.length;
    const frames = channels ? differences.length / channels : 0;
    const isFine = about.type === "uint32";
    const found = isFine || !fitsFloat32(low, step)
      ? new Float64Array(differences.length)
      : new Float32Array(differences.length);
    for (let c = 0; c < channels; c++) {
      let level = 0;
      for (let k = 0; k < frames; k++) {
        level += differences[c * frames + k];
        level = isFine ? level >>> 0 : level & 0xffff;
        found[k * channels + c] = low[c] + step[c] * level;
      }
    }
    return found;
  }
}

/** Whether channels of 16 bits keep their levels in single precision. */
function fitsFloat32(low: Numbers, step: Numbers): boolean {
  for (let c = 0; c < low.length; c++) {
    const largest = Math.max(Math.abs(low[c]), Math.abs(low[c] + step[c] * 0xffff));
    if (largest > LARGEST_FLOAT32) return false;
    if (step[c] !== 0 && Math.abs(step[c]) < SMALLEST_FLOAT32) return false;
  }
  return true;
}
