/** The report of a run: what it is worth, line by line. Verdicts are words; colour repeats them. */

import { element } from "./dom.ts";
import type { PageDocument, ReportLine } from "./document.ts";

const KNOWN = ["good", "determined", "doubtful", "bad"];

export function buildReport(data: PageDocument): HTMLElement | null {
  const { report } = data;
  if (!report?.lines.length) return null;
  const heading = element("h2", { text: "report " }, [verdictWord(report.verdict)]);
  return element("section", { class: "report", label: "Report" }, [heading, ...report.lines.map(buildLine)]);
}

/** Name, number, scale and verdict; the sentence opens by a click, and is open where something is wrong. */
function buildLine(line: ReportLine): HTMLElement {
  const number = [line.number, line.scale].filter(Boolean).join(" ");
  const summary = element("summary", {}, [
    element("span", { class: "name", text: line.name }),
    element("span", { class: "number", text: number }),
    verdictWord(line.verdict),
  ]);
  const made = element("details", {}, [summary, element("p", { text: line.sentence })]);
  made.open = isOpen(line);
  return made;
}

/** What is not good is said at once, and so is a note that has no number. */
export function isOpen(line: ReportLine): boolean {
  return line.verdict === "note" ? !line.number : line.verdict !== "good";
}

/** The class of a verdict; words that are not known look like notes. */
export function verdictClass(verdict: string): string {
  return KNOWN.includes(verdict) ? verdict : "remark";
}

function verdictWord(verdict: string): HTMLElement {
  return element("span", { class: `verdict ${verdictClass(verdict)}`, text: verdict });
}
