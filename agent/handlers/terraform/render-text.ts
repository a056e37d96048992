import type { MakeRenderer, RenderedLine } from "../../logs/line-renderer.ts";
import { type Diagnostic, keepDiagnostic, keepWords, openSaid, type Said } from "./said.ts";

/** An error or warning that may continue on the next line. */
type Open = { said: Said; block?: { readonly severity: Diagnostic["severity"]; lines: string[] } };

const beginning = /^(?:\u2502 )?(Error|Warning): (.*)$/;
const place = /^ *on (\S+) line (\d+)/;
const sourceLine = /^ *\d+: /;

/** Passes on terraform's output for people, and keeps its errors. */
export const renderText: MakeRenderer = (kept) => {
  const known = kept === undefined ? undefined : (JSON.parse(kept) as Open);
  const open: Open = known ?? { said: openSaid(undefined) };
  return {
    line: (line) => [read(open, line)],
    tooLong: () => [{ text: "(a line that was too long was omitted)" }],
    kept: () => JSON.stringify(open),
  };
};

/** The errors that such a run printed. */
export function saidInText(kept: string | undefined): Said {
  if (kept === undefined) return openSaid(undefined);
  const open = JSON.parse(kept) as Open; // `renderText` wrote it
  close(open);
  return open.said;
}

function read(open: Open, line: string): RenderedLine {
  const begun = beginning.exec(line);
  if (begun !== null) {
    close(open);
    const severity = begun[1] === "Warning" ? "warning" : "error";
    open.block = { severity, lines: [begun[2] ?? ""] };
  } else if (open.block !== undefined && open.block.lines.length < 60) {
    open.block.lines.push(line.replace(/^\u2502 ?/, ""));
  } else keepWords(open.said, line);
  const { block } = open;
  if (block === undefined) return { text: line };
  return { text: line, severity: block.severity === "error" ? "error" : "warn" };
}

function close({ said, block }: Open): void {
  if (block === undefined) return;
  const [first = "", ...others] = block.lines;
  const blankAt = others.findIndex((line) => line.trim() === "");
  // A long summary is wrapped, and ends with an empty line.
  const wrapped = blankAt > 0 ? others.slice(0, blankAt) : [];
  const rest = others.slice(blankAt < 0 ? 0 : blankAt);
  const found = rest.map((line) => place.exec(line)).find((match) => match !== null);
  const detail = rest.filter((line) => !place.test(line) && !sourceLine.test(line));
  keepDiagnostic(said, {
    severity: block.severity,
    summary: joined([first, ...wrapped]),
    detail: joined(detail),
    ...(found != null && { file: found[1] ?? "", line: Number(found[2]) }),
  });
}

const joined = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .filter((line) => line !== "" && line !== "\u2575")
    .join(" ");
