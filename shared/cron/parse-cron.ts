import { LRUCache } from "lru-cache";
import { validateDetailed } from "node-cron";
import { type CronField, cronFields, cronMacros } from "./cron-fields.ts";
import type { Cron, CronFault } from "./cron.ts";

const mostLength = 200;

/** node-cron takes a tenth of a millisecond for a usual expression. Most emitters share a few of them; one takes 12 KB at most. */
const parsed = new LRUCache<string, Cron>({ max: 1000 });

/** A cron expression of five fields or a macro, or what is wrong with it. What it answers fires at least once in 40 years. */
export function parseCron(text: string): Cron | CronFault {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const cron = parseAnew(text);
  if (!isCronFault(cron)) parsed.set(text, cron);
  return cron;
}

/** Tells a fault from an expression. */
export function isCronFault(parsed: Cron | CronFault): parsed is CronFault {
  return "fault" in parsed;
}

function parseAnew(text: string): Cron | CronFault {
  if (text.length > mostLength) {
    const found = `${text.length} characters`;
    return faultOf("length", "expression", { found, allowed: `at most ${mostLength}` });
  }
  const words = text.split(/[ \t]+/).filter((word) => word !== "");
  if (words[0]?.startsWith("@") === true) return parseMacro(words.join(" "));
  if (words.length !== cronFields.length) {
    const names = cronFields.map(({ name }) => name).join(", ");
    const found = `${words.length} ${words.length === 1 ? "field" : "fields"}`;
    return faultOf("fields", "expression", { found, allowed: `5: ${names}` });
  }
  for (const [at, field] of cronFields.entries()) {
    const fault = findFault(field, words[at] ?? "");
    if (fault !== undefined) return fault;
  }
  return toCron(words);
}

function parseMacro(word: string): Cron | CronFault {
  const macro = word.toLowerCase();
  if (Object.hasOwn(cronMacros, macro)) return toCron(cronMacros[macro]?.split(" ") ?? [], macro);
  const allowed = Object.keys(cronMacros).join(", ");
  return faultOf("syntax", "expression", { found: quote(word), allowed });
}

/** node-cron tries no bounds before it writes a range out: `0-9999999` keeps it busy for seconds. So nothing comes to it unread. */
function findFault(field: CronField, word: string): CronFault | undefined {
  for (const item of word.split(",")) {
    const fault = findItemFault(field, item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const itemShape = /^(?:\*|(?<first>[0-9a-z]+)(?:-(?<last>[0-9a-z]+))?)(?:\/(?<step>[0-9]+))?$/i;

function findItemFault(field: CronField, item: string): CronFault | undefined {
  const { name, least, most, size } = field;
  const shape = itemShape.exec(item)?.groups;
  const { first, last, step } = shape ?? {};
  const values = [first, last].filter((word) => word !== undefined);
  if (shape === undefined || values.some((word) => !/^\d+$/.test(word) && !isName(field, word)))
    return faultOf("syntax", name, { found: quote(item), allowed: shapesOf(field) });
  const outside = values.find((word) => !isName(field, word) && isOutside(word, least, most));
  if (outside !== undefined)
    return faultOf("range", name, { found: shorten(outside), allowed: `${least}–${most}` });
  if (step === undefined) return undefined;
  if (isOutside(step, 1, size))
    return faultOf("range", name, { found: `step ${shorten(step)}`, allowed: `1–${size}` });
  if (first === undefined || last !== undefined) return undefined;
  const allowed = `a step of a range: ${first}-${most}/${step}`;
  return faultOf("syntax", name, { found: quote(item), allowed });
}

function isName(field: CronField, word: string): boolean {
  const names: readonly string[] = field.names;
  return names.includes(word.toUpperCase());
}

function isOutside(digits: string, least: number, most: number): boolean {
  return Number(digits) < least || Number(digits) > most;
}

function shapesOf({ least, most, names }: CronField): string {
  const named = names.length === 0 ? "" : `, ${names[0]}–${names.at(-1)}`;
  return `*, ${least}–${most}${named}, ranges (a-b), steps (*/n, a-b/n) and lists (a,b)`;
}

/**
 * To node-cron a day must match both day fields; here one is enough if neither begins with `*`, as crontabs mean it. So such an expression
 * is two of node-cron's, and each is asked for its day field. The one it refuses is a day that no month of it has: it has no days.
 */
function toCron(words: readonly string[], macro?: string): Cron | CronFault {
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = words;
  const text = macro ?? words.join(" ");
  const isEitherDay = !dayOfMonth.startsWith("*") && !dayOfWeek.startsWith("*");
  const rest = [minute, hour].map(withoutRepeats).join(" ");
  const days = [dayOfMonth, month, isEitherDay ? "*" : dayOfWeek].map(withoutRepeats).join(" ");
  const ofMonth = validateDetailed(`${rest} ${days}`).fields;
  const ofWeek = isEitherDay ? validateDetailed(`${rest} * ${month} ${dayOfWeek}`).fields : ofMonth;
  if (ofWeek === undefined) {
    const found = `day ${dayOfMonth} in month ${month}`;
    return faultOf("never", "day of month", { found, allowed: "a day that one of its months has" });
  }
  const minutes = inOrder(ofWeek.minute);
  const hours = inOrder(ofWeek.hour);
  return {
    text,
    minutes,
    hours,
    times: hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)),
    daysOfMonth: bitsOf(ofMonth?.dayOfMonth ?? [], 1),
    months: bitsOf(ofWeek.month, 1),
    daysOfWeek: bitsOf(ofWeek.dayOfWeek, 0),
    isEitherDay,
    isInterval: /[*/]/.test(rest),
  };
}

/** What is listed again is written out again by node-cron. */
function withoutRepeats(word: string): string {
  return [...new Set(word.split(","))].join(",");
}

function inOrder(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function bitsOf(values: readonly (number | string)[], least: number): number {
  return values.reduce<number>((bits, value) => bits | (1 << (Number(value) - least)), 0);
}

function faultOf(
  fault: CronFault["fault"],
  field: string,
  { found, allowed }: { found: string; allowed: string },
): CronFault {
  return { fault, field, found, allowed, message: messageOf[fault](field, found, allowed) };
}

const messageOf: Record<CronFault["fault"], (...all: [string, string, string]) => string> = {
  length: (_, found, allowed) => `the expression has ${found}; allowed are ${allowed}`,
  fields: (_, found, allowed) => `the expression has ${found}; it must have ${allowed}`,
  syntax: (field, found, allowed) => `${field} ${found} is not understood; allowed: ${allowed}`,
  range: (field, found, allowed) => `${field} ${found} is outside ${allowed}`,
  never: (_, found, allowed) =>
    `the expression never fires: there is no ${found}; write ${allowed}`,
};

function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
