import { stripVTControlCharacters, styleText } from "node:util";
import type { LogRecord } from "../../shared/api/log-streams.ts";

export type RecordStyle = {
  readonly isRaw: boolean;
  readonly hasTimestamps: boolean;
  readonly hasColor: boolean;
};

const worse = ["warn", "error", "fatal"];
const color = /\u001B\[[\d;:]*m/; // eslint-disable-line no-control-regex
const reset = "\u001B[0m";

/** A record as lines for people; what its writer put in cannot steer the terminal, unless raw is asked for. */
export function recordText(record: LogRecord, style: RecordStyle): string {
  const body = record.body.replace(/\r?\n$/, "");
  if (style.isRaw) return body;
  const dim = (text: string): string =>
    style.hasColor ? styleText("dim", text, { validateStream: false }) : text;
  const words = [
    ...(style.hasTimestamps ? [dim(`${record.at.slice(0, 23)}Z`)] : []),
    ...(record.step === undefined ? [] : [dim(`[${harmless(record.step, false)}]`)]),
    ...(worse.includes(record.severity) ? [record.severity.toUpperCase()] : []),
    harmless(body, style.hasColor),
  ];
  return words.join(" ");
}

function harmless(text: string, keepsColor: boolean): string {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  if (!keepsColor) return plain(lines);
  const pieces = lines.split(new RegExp(`(${color.source})`));
  const isColored = pieces.length > 1;
  return (
    pieces.map((piece, at) => (at % 2 === 1 ? piece : plain(piece))).join("") +
    (isColored ? reset : "")
  );
}

/** Without escape sequences and control characters but line ends and tabs. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, "");
}
