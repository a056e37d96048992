import { styleText } from "node:util";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import type { Screen } from "../screen.ts";

const esc = String.fromCodePoint(27);
const bell = String.fromCodePoint(7);
/** Colours (caught), other sequences of a terminal, and control characters but tabs. */
const steering = new RegExp(
  [
    `${esc}\\[([0-9;]*)m`,
    `${esc}\\[[0-9;?]*[@-~]`,
    `${esc}\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\)?`,
    `${esc}.?`,
    String.raw`[^\P{Cc}\t]`,
  ].join("|"),
  "gu",
);

/** A record as a line: its step before it where there are several, and nothing in it that steers a terminal. */
export function logLine(
  screen: Pick<Screen, "hasColor" | "isTerminal">,
  { body, step }: Pick<LogRecord, "body" | "step">,
): string {
  const text = screen.isTerminal ? tame(body, screen.hasColor) : body;
  if (step === undefined || step === "") return text;
  const name = screen.hasColor
    ? styleText("dim", `${step} │`, { validateStream: false })
    : `${step} │`;
  return `${name} ${text}`;
}

/** Colours pass where they are wanted; what moves the cursor, sets titles or rings does not. */
function tame(text: string, hasColor: boolean): string {
  const plain = text.replaceAll(steering, (_, colour: string | undefined) =>
    colour !== undefined && hasColor ? `${esc}[${colour}m` : "",
  );
  return hasColor && plain.includes(esc) ? `${plain}${esc}[0m` : plain;
}
