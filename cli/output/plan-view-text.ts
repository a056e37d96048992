import { textWidth } from "../../shared/command-line/terminal-text.ts";
import {
  driftWords,
  leftOutWords,
  sidesInWords,
  summaryWords,
  viewNotes,
  viewSigns,
} from "../../shared/plan-view/plan-view-words.ts";
import type {
  PlanView,
  ViewChange,
  ViewField,
  ViewOutput,
} from "../../shared/plan-view/plan-view.ts";

/** A plan as people read it: a line for each change and each of its fields, and what it comes to at the end; what is wider than this goes below itself. */
export function planViewText(view: PlanView, width: number): string {
  const { changes, drifted, outputs, text = "" } = view;
  const words = view.is_text_cut === true ? `${text}\n(the rest is cut)` : text;
  const parts = [
    words,
    changes.flatMap((change) => changeLines(change, width)).join("\n"),
    titled(
      "Outputs:",
      outputs.flatMap((output) => outputLines(output, width)),
    ),
    titled(
      "Changed by others meanwhile:",
      drifted.flatMap((change) => changeLines(change, width)),
    ),
    [leftOutWords(view), driftWords(view), summaryWords(view)]
      .filter((one) => one !== "")
      .join("\n"),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const titled = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [title, ...lines.map((line) => `  ${line}`)].join("\n");

function changeLines(
  { action, address, reason, fields, is_cut }: ViewChange,
  width: number,
): string[] {
  const why = [viewNotes[action], reason].filter((one) => one !== undefined).join(": ");
  const head = `${viewSigns[action]} ${address}${why === "" ? "" : ` (${why})`}`;
  const lines = fields.flatMap((field) => fieldLines(field, width));
  const rest = is_cut === true && action !== "remove" ? ["    … and more fields"] : [];
  return [head, ...lines, ...rest];
}

function fieldLines(field: ViewField, width: number): string[] {
  const note = field.forces_replacement === true ? "  # forces replacement" : "";
  return sideLines({ head: `    ${field.path || "all of it"}`, note, width }, sidesInWords(field));
}

const outputLines = (output: ViewOutput, width: number): string[] =>
  sideLines(
    { head: `${viewSigns[output.action]} ${output.name}`, note: "", width: width - 2 },
    sidesInWords(output),
  );

type Line = { readonly head: string; readonly note: string; readonly width: number };

function sideLines(
  { head, note, width }: Line,
  { before, after }: ReturnType<typeof sidesInWords>,
): string[] {
  if (before === undefined || after === undefined) {
    const gone = before === undefined ? "" : " -> (none)";
    const line = `${head}${before === undefined ? " = " : ": "}${before ?? after ?? ""}${gone}${note}`;
    return [line];
  }
  const line = `${head}: ${before} -> ${after}${note}`;
  if (textWidth(line) <= width) return [line];
  const indent = `${/^ */.exec(head)?.[0] ?? ""}  `;
  return [`${head}:${note}`, `${indent}- ${before}`, `${indent}+ ${after}`];
}
