/** What Python wrote (tests/view/front_end_sample.py). */

import { readFileSync } from "node:fs";

import type { PageDocument } from "../src/document.ts";

export interface Sample {
  run: { document: PageDocument; arrays: string; t: number[]; poses: number[][][] };
  tree: { document: PageDocument; q: number[]; poses: number[][] };
}

export const sample = JSON.parse(readFileSync("test/data/sample.json", "utf8")) as Sample;
