import assert from "node:assert/strict";
import { test } from "node:test";

import { isOpen, verdictClass } from "../src/report.ts";

const line = { name: "energy balance", number: "1e-3", scale: "of 2 J", verdict: "good", sentence: "…" };

test("the sentence of a line that is not good, or of a note without a number, is open", () => {
  assert.equal(isOpen(line), false);
  assert.equal(isOpen({ ...line, verdict: "doubtful" }), true);
  assert.equal(isOpen({ ...line, verdict: "bad" }), true);
  assert.equal(isOpen({ ...line, verdict: "determined" }), true);
  assert.equal(isOpen({ ...line, verdict: "note" }), false);
  assert.equal(isOpen({ ...line, verdict: "note", number: "" }), true);
});

test("a verdict that the page does not know looks like a note", () => {
  assert.deepEqual(["good", "bad", "note", "unheard"].map(verdictClass), ["good", "bad", "remark", "remark"]);
});
