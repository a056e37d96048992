import { type Json, kindWords } from "../json-value.ts";
import { RenderError } from "../render-work.ts";
import { numberOf } from "./arguments.ts";
import type { TemplateFunction } from "./template-function.ts";

/** Functions of whole numbers. */
export const numberFunctions: readonly TemplateFunction[] = [
  {
    name: "int",
    values: "A",
    takes: [1, 1],
    is: "A number, or a text that is one, without its fraction; true is 1; what is empty is 0.",
    compute: ([value = null]) => wholeOf("int", value),
  },
  {
    name: "int64",
    values: "A",
    takes: [1, 1],
    is: "What `int` gives: numbers are of one kind.",
    compute: ([value = null]) => wholeOf("int64", value),
  },
  {
    name: "div",
    values: "A B",
    takes: [2, 2],
    is: "A by B, both as `int` takes them, without the fraction; B is not 0.",
    compute: ([a = null, b = null]) => {
      const by = wholeOf("div", b);
      if (by === 0) throw new RenderError("div does not divide by 0");
      return Math.trunc(wholeOf("div", a) / by) + 0;
    },
  },
  {
    name: "duration",
    values: "SECONDS",
    takes: [1, 1],
    is: "SECONDS as hours, minutes and seconds: `1h0m5s`.",
    compute: ([seconds = null]) => durationOf(wholeOf("duration", seconds)),
  },
];

/** The whole number that a value is or has as its text. Throws RenderError. */
export function wholeOf(name: string, value: Json): number {
  if (value === null || value === "") return 0;
  if (typeof value === "boolean") return value ? 1 : 0;
  const isNumeric = typeof value === "string" && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value);
  const number = isNumeric ? Number(value) : numberOf(value);
  if (number === undefined)
    throw new RenderError(`${name} takes a number, not ${otherWords(value)}`);
  const whole = Math.trunc(number);
  if (!Number.isSafeInteger(whole)) throw new RenderError(`${name} takes no number beyond 2^53`);
  return whole + 0; // no -0
}

const otherWords = (value: Json): string =>
  typeof value === "string" ? "a text that is none" : kindWords(value);

/** Of Go's durations, which are nanoseconds in 64 bits. */
const mostSeconds = 9_223_372_036;

function durationOf(seconds: number): string {
  const all = Math.abs(seconds);
  if (all > mostSeconds) throw new RenderError(`duration takes at most ${mostSeconds} seconds`);
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor(all / 60) % 60];
  const ofHours = hours > 0 ? `${hours}h` : "";
  const ofMinutes = all >= 60 ? `${minutes}m` : "";
  return `${seconds < 0 ? "-" : ""}${ofHours}${ofMinutes}${all % 60}s`;
}
