import { z } from "zod";
import { isCronFault, parseCron } from "../../cron/parse-cron.ts";
import { parseDuration, secondNs } from "../../duration.ts";
import { labelKeyPattern, labelLimits } from "../../labels.ts";
import { isUrl } from "../fetched-text.ts";

export const namePattern = /^[a-z][a-z0-9_-]{0,62}$/;
const nameWords =
  "must begin with a lower-case letter and have at most 63 lower-case letters, digits, _ and -";

/** Longest texts: of one member, and of one that a file may hold. */
export const textLimits = { short: 65_536, long: 1_048_576 } as const;

/** A name that is unique among its kind, where `-` and `_` are equal. */
export const name = (description: string) =>
  z.string().regex(namePattern, { error: nameWords }).meta({ description });

/** A name that may be rendered from a template, as those of roles. */
export const renderedName = (description: string) =>
  z
    .string()
    .min(1, { error: "must not be empty" })
    .max(255, { error: "must have at most 255 characters" })
    .refine((given) => given.includes("{{") || namePattern.test(given), {
      error: `${nameWords}, or hold a template`,
    })
    .meta({ description });

/** A text. */
export const text = (description: string, most: number = textLimits.short) =>
  z
    .string()
    .max(most, { error: `must have at most ${most} characters` })
    .meta({ description });

/** A text that may be in a file of its own: `./path` stands for the file's text. */
export const fileText = (description: string) =>
  z
    .string()
    .max(textLimits.long, { error: `must have at most ${textLimits.long} characters` })
    .check(({ value, issues }) => {
      if (!isUrl(value)) return;
      const message =
        "must be the text itself or ./path of a file here, not a URL; svc app sync --fetch puts the text of a URL in its place";
      issues.push({
        code: "custom",
        input: value,
        message,
        params: { code: "remote_contents" },
      });
    })
    .meta({
      description: `${description} \`./path\` stands for that file's text.`,
      "x-file": true,
    });

/** An absolute http or https URL. */
export const url = (description: string) =>
  z
    .string()
    .max(2048, { error: "must have at most 2048 characters" })
    .regex(/^https?:\/\/[^\s/]/i, { error: "must be a URL that begins with https:// or http://" })
    .meta({ description });

/** A template of a stack: a URL, a place in a repository, or `./path` of a file, whose text stands at another member then. */
export const templateUrl = (description: string, text: string) =>
  z
    .string()
    .max(2048, { error: "must have at most 2048 characters" })
    .regex(/^(?:\.{1,2}\/|(?:git::)?(?:https?|ssh):\/\/[^\s/]|[\w.-]+\.[a-z]+\/[^\s/])/i, {
      error: "must be a URL, a place like github.com/owner/name//folder, or ./path of a file here",
    })
    .meta({ description, "x-file-at": text });

/** true or false. */
export const flag = (description: string) => z.boolean().meta({ description });

/** A whole number within bounds. */
export const whole = (description: string, [least, most]: readonly [number, number]) =>
  z
    .int()
    .min(least, { error: `must be from ${least} to ${most}` })
    .max(most, { error: `must be from ${least} to ${most}` })
    .meta({ description });

/** A duration as text or in nanoseconds; read as nanoseconds. */
export const duration = (description: string, [least, most]: readonly [string, string]) => {
  const [leastNs, mostNs] = [parseDuration(least) ?? 0, parseDuration(most) ?? 0];
  const words = "must be a duration like 15m or 1h30m, or whole nanoseconds";
  return z
    .union([z.int(), z.string()], { error: words })
    .transform((given, { issues }) => {
      const ns = typeof given === "number" ? given : parseDuration(given);
      if (ns !== undefined && ns >= leastNs && ns <= mostNs) return ns;
      const code = ns === undefined ? "bad_value" : "timeout_range";
      const message = ns === undefined ? words : `must be from ${least} to ${most}`;
      issues.push({ code: "custom", input: given, message, params: { code } });
      return secondNs;
    })
    .meta({ description });
};

/** When something is due, as crontabs say it, in UTC. */
export const cron = (description: string) =>
  z
    .string()
    .check(({ value, issues }) => {
      const read = parseCron(value);
      if (!isCronFault(read)) return;
      const message = `is no cron expression: ${read.message}`;
      issues.push({ code: "custom", input: value, message, params: { code: "bad_cron" } });
    })
    .meta({ description });

/** One of these words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(
  description: string,
  words: Words,
) => z.enum(words).meta({ description });

/** A list of at most 200 things, unless told. */
export const list = <Item extends z.ZodType>(description: string, item: Item, most = 200) =>
  z
    .array(item)
    .max(most, { error: `must have at most ${most} elements` })
    .meta({ description });

const memberKey = z
  .string()
  .min(1, { error: "must not be empty" })
  .max(255, { error: "must have at most 255 characters" });

/** Names of one's own, each with a text. */
export const texts = (description: string) => z.record(memberKey, text("")).meta({ description });

/** Environment variables. */
export const env = (description: string) =>
  z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,254}$/, {
        error: "must be a name of an environment variable: letters, digits and _",
      }),
      text(""),
    )
    .meta({ description });

/** Any value that JSON has. */
export const anyValue = (description: string) =>
  z
    .unknown()
    .refine((given) => given !== undefined, { error: "is missing" })
    .check(({ value, issues }) => {
      if (isJson(value)) return;
      const message =
        "must be a text, a number within 2^53, true or false, or lists and tables of these; write a date as a text";
      issues.push({ code: "custom", input: value, message, params: { code: "wrong_type" } });
    })
    .meta({ description });

function isJson(value: unknown): boolean {
  if (typeof value === "number")
    return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return true;
  if (value instanceof Date) return false;
  return Object.values(value).every(isJson);
}

/** Names of one's own, each with any value. */
export const values = (description: string) =>
  z.record(memberKey, anyValue("Any value.")).meta({ description });

/** Names of one's own, each true or false. */
export const flags = (description: string) =>
  z.record(memberKey, z.boolean()).meta({ description });

/** Labels: keys and values as on all records. */
export const labels = (description: string) =>
  z
    .record(
      z.string().regex(labelKeyPattern, {
        error: `must have at most 63 letters, digits and . _ / - and begin with a letter or a digit`,
      }),
      text("", labelLimits.value),
    )
    .refine((given) => Object.keys(given).length <= labelLimits.count, {
      error: `must have at most ${labelLimits.count} labels`,
    })
    .meta({ description });
