import { colorLevels, greyLevel } from "./color-levels.ts";

/** A stretch of text with one look: what classes say of it, in the words of assets/log.css. */
export type Run = { readonly text: string; readonly classes: string };

type Look = {
  readonly ink?: number;
  readonly paper?: number;
  readonly marks: ReadonlySet<Mark>;
};
type Mark = "bold" | "faint" | "italic" | "under" | "swap" | "struck";

const plain: Look = { marks: new Set() };

/**
 * What a terminal would show of a line, as runs of text: colours and weights become classes, a carriage return begins the
 * line anew, and every other escape and control character is dropped.
 */
export function ansiRuns(line: string): Run[] {
  const runs: Run[] = [];
  let look = plain;
  let from = 0;
  const add = (text: string): void => {
    const shown = text.replaceAll(controls, "");
    if (shown !== "") runs.push({ text: shown, classes: classesOf(look) });
  };
  const visible = lastWritten(line);
  for (const found of visible.matchAll(escapes)) {
    add(visible.slice(from, found.index));
    from = found.index + found[0].length;
    const codes = found.groups?.["sgr"];
    if (codes !== undefined) look = changed(look, codes);
  }
  add(visible.slice(from));
  return runs;
}

/**
 * ESC or C1: a colour; any other control sequence; a string up to its end, or all that is left where it has none; a
 * sequence of two characters.
 */
const escapes =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /(?:\x1b\[|\x9b)(?<sgr>[\d;:]*)m|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]*[0-~]?/g;
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const controls = /[\0-\x08\x0a-\x1f\x7f-\x9f]/g;

/** Progress bars write over their line: what was written last is what is seen. */
function lastWritten(line: string): string {
  if (!line.includes("\r")) return line;
  const parts = line.split("\r");
  return parts.findLast((part) => part !== "") ?? "";
}

/** No program that draws needs as many in one sequence; a longer list is noise. */
const mostCodes = 64;

function changed(look: Look, codes: string): Look {
  const numbers = codes.split(/[;:]/, mostCodes + 1).map(Number);
  if (numbers.length > mostCodes) return look;
  const hasColons = codes.includes(":");
  let now = look;
  for (let at = 0; at < numbers.length; at++) {
    const asked = numbers[at] ?? 0;
    if (asked === 38 || asked === 48) {
      const { color, length } = extended(numbers, at + 1, hasColons);
      at += length;
      if (color !== undefined) now = { ...now, [asked === 38 ? "ink" : "paper"]: color };
    } else {
      now = step(now, asked);
    }
  }
  return now;
}

const on: Readonly<Record<number, Mark>> = {
  1: "bold",
  2: "faint",
  3: "italic",
  4: "under",
  7: "swap",
  9: "struck",
};
const off: Readonly<Record<number, readonly Mark[]>> = {
  21: ["bold"],
  22: ["bold", "faint"],
  23: ["italic"],
  24: ["under"],
  27: ["swap"],
  29: ["struck"],
};

function step(look: Look, code: number): Look {
  const mark = on[code];
  if (code === 0) return plain;
  if (mark !== undefined) return { ...look, marks: new Set([...look.marks, mark]) };
  const ended = off[code];
  if (ended !== undefined)
    return { ...look, marks: new Set([...look.marks].filter((one) => !ended.includes(one))) };
  if (code === 39) return without(look, "ink");
  if (code === 49) return without(look, "paper");
  if (code >= 30 && code <= 37) return { ...look, ink: code - 30 };
  if (code >= 40 && code <= 47) return { ...look, paper: code - 40 };
  if (code >= 90 && code <= 97) return { ...look, ink: code - 82 };
  if (code >= 100 && code <= 107) return { ...look, paper: code - 92 };
  return look;
}

function without({ ink, paper, marks }: Look, what: "ink" | "paper"): Look {
  if (what === "ink") return paper === undefined ? { marks } : { paper, marks };
  return ink === undefined ? { marks } : { ink, marks };
}

/** The color after 38 or 48: one of 256, or true color, which becomes the nearest of them; and how many codes say it. */
function extended(
  codes: readonly number[],
  at: number,
  hasColons: boolean,
): { readonly color?: number; readonly length: number } {
  const kind = codes[at];
  if (kind === 5) {
    const color = codes[at + 1] ?? -1;
    return isByte(color) ? { color, length: 2 } : { length: 2 };
  }
  if (kind !== 2) return { length: kind === undefined ? 0 : 1 };
  const hasSpace = hasColons && codes.length - at > 4; // 38:2:<color space>:r:g:b
  const first = at + (hasSpace ? 2 : 1);
  const [red = -1, green = -1, blue = -1] = codes.slice(first, first + 3);
  const length = hasSpace ? 5 : 4;
  if (![red, green, blue].every(isByte)) return { length };
  return { color: nearest([red, green, blue]), length };
}

const isByte = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 255;

/** The nearest of the cube of 6 × 6 × 6 colours and of the 24 greys. */
function nearest(rgb: readonly number[]): number {
  const cube = rgb.map((value) => {
    const distances = colorLevels.map((level) => Math.abs(level - value));
    return distances.indexOf(Math.min(...distances));
  });
  const mean = rgb.reduce((sum, value) => sum + value, 0) / 3;
  const grey = Math.min(23, Math.max(0, Math.round((mean - 8) / 10)));
  const far = (other: readonly number[]): number =>
    rgb.reduce((sum, value, at) => sum + (value - (other[at] ?? 0)) ** 2, 0);
  const inCube = cube.map((at) => colorLevels[at] ?? 0);
  const isGrey = far([0, 1, 2].map(() => greyLevel(grey))) < far(inCube);
  if (isGrey) return 232 + grey;
  return cube.reduce((sum, at) => sum * 6 + at, 0) + 16;
}

function classesOf({ ink, paper, marks }: Look): string {
  const isSwapped = marks.has("swap");
  const [front, back] = isSwapped ? [paper ?? "x", ink ?? "x"] : [ink, paper];
  const rest = [...marks].filter((mark) => mark !== "swap");
  return [
    ...(front === undefined ? [] : [`f${front}`]),
    ...(back === undefined ? [] : [`b${back}`]),
    ...rest,
  ].join(" ");
}
