import { isList, isMap, type Json, kindWords, textOf } from "../json-value.ts";
import { RenderError, type RenderWork } from "../render-work.ts";
import { fixedDigits } from "./fixed-digits.ts";
import { quoteText } from "./quote-text.ts";

type Directive = {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly verb: string;
};

const directive = /%([-+ 0]*)(\d*)(?:\.(\d*))?(.?)/gsu;
const mostWidth = 1_000;
const mostPrecision = 100;

/** Go's Sprintf for the values that JSON has; what Go writes an error for is refused. */
export function formatText(format: string, given: readonly Json[], work: RenderWork): string {
  let next = 0;
  let letters = format.length;
  const text = format.replaceAll(directive, (...groups: (string | undefined)[]) => {
    const [, flags = "", width = "", precision, verb = ""] = groups;
    if (verb === "%") return "%";
    const value = given[next++];
    if (value === undefined) throw new RenderError(`printf has no value for %${verb}`);
    const digits = precision === undefined ? undefined : Number(precision);
    const made = formatted({ flags, width: Number(width), precision: digits, verb }, value, work);
    letters += made.length;
    work.spend(1);
    if (letters > work.budget.outputBytes) work.spendText(letters);
    return made;
  });
  if (next < given.length)
    throw new RenderError(`printf has ${given.length - next} values more than its format`);
  return text;
}

function formatted(one: Directive, value: Json, work: RenderWork): string {
  const { flags, width, precision = 0, verb } = one;
  if (width > mostWidth || precision > mostPrecision)
    throw new RenderError(`printf takes a width to ${mostWidth}, a precision to ${mostPrecision}`);
  const text = writtenBy(one, value, work);
  if (text.length >= 2 * width) return text; // each letter is one or two units
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  if (flags.includes("-")) return text + " ".repeat(missing);
  const isWhole = typeof value === "number" && verb !== "f";
  if (!flags.includes("0") || (isWhole && one.precision !== undefined))
    return " ".repeat(missing) + text;
  const sign = typeof value === "number" ? (/^[-+ ]/.exec(text)?.[0] ?? "") : "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}

function writtenBy(one: Directive, value: Json, work: RenderWork): string {
  const { verb, precision } = one;
  if (verb === "s" || verb === "v" || verb === "q") {
    if (isList(value) || isMap(value)) work.spendValue(value);
    if (verb === "v" && precision !== undefined && typeof value !== "string")
      throw new RenderError("printf takes a precision for %v of texts only");
    const text = firstLetters(textOf(value), precision);
    if (verb !== "q") return text;
    if (typeof value !== "string") throw notFor(verb, value);
    work.spendLetters(text);
    return quoteText(text);
  }
  if (verb === "d") return signed(one, wholeFor(verb, value), 10);
  if (verb === "f") {
    if (typeof value !== "number") throw notFor(verb, value);
    return withSign(one, value < 0, fixedDigits(Math.abs(value), precision ?? 6));
  }
  if (verb === "t") {
    if (typeof value !== "boolean") throw notFor(verb, value);
    return String(value);
  }
  if (verb === "x" || verb === "X") {
    if (typeof value === "string") work.spendText(2 * Buffer.byteLength(value));
    return hexOf(one, value);
  }
  throw new RenderError(`printf knows no %${verb}`);
}

function hexOf(one: Directive, value: Json): string {
  const hex =
    typeof value === "string"
      ? Buffer.from(value)
          .toString("hex")
          .slice(0, one.precision && one.precision * 2)
      : signed(one, wholeFor(one.verb, value), 16);
  return one.verb === "X" ? hex.toUpperCase() : hex;
}

function signed(one: Directive, value: number, base: number): string {
  const digits = Math.abs(value)
    .toString(base)
    .padStart(one.precision ?? 0, "0");
  return withSign(one, value < 0, digits);
}

function withSign({ flags }: Directive, isNegative: boolean, digits: string): string {
  if (isNegative) return `-${digits}`;
  if (flags.includes("+")) return `+${digits}`;
  return flags.includes(" ") ? ` ${digits}` : digits;
}

function wholeFor(verb: string, value: Json): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw notFor(verb, value);
  return value;
}

const firstLetters = (text: string, most: number | undefined): string =>
  most === undefined
    ? text
    : Array.from(text.slice(0, 2 * most))
        .slice(0, most)
        .join("");

const notFor = (verb: string, value: Json): RenderError => {
  const isFraction = verb !== "f" && typeof value === "number";
  return new RenderError(
    `printf takes no ${isFraction ? "fraction" : kindWords(value).replace(/^a /, "")} for %${verb}`,
  );
};
