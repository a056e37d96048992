import { z } from "zod";

/** Where a Postgres is. */
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, "must look like postgres://user@host:5432/name");
/** A whole number between the two. */
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(
      z
        .number()
        .min(min, `must be a whole number from ${min} to ${max}`)
        .max(max, `must be a whole number from ${min} to ${max}`),
    );
/** A URL without its last slash. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((url) => url.replace(/\/+$/, ""));
/** `name=value,…`, values percent-encoded, as OpenTelemetry writes headers in a variable. */
export const headers = z.string().transform((text, context): Readonly<Record<string, string>> => {
  try {
    const pairs = text.split(",").map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())] as const;
    });
    return Object.fromEntries(new Headers(pairs.map(([name, value]) => [name, value])));
  } catch {
    context.addIssue({ code: "custom", message: "must look like name=value,name=value" });
    return {};
  }
});
/** Words between commas. */
export const words = z.string().transform((text) =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== ""),
);
