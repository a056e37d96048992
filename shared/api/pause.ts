import { z } from "@hono/zod-openapi";
import { parseDurationMs } from "../duration.ts";
import { instantInput } from "./instant.ts";

const maxLength = 1000;

export const pauseSchema = z
  .object({
    at: z.iso.datetime(),
    until: z.iso.datetime().nullable().describe("null: until it is resumed."),
    note: z.string(),
    by_id: z.string().describe("Who paused it."),
  })
  .openapi("Pause");

/** When a pause ends: an instant, or a duration from now. */
export type PauseEnd = { readonly until: string } | { readonly lasting_ms: number };

const pauseEnd = z
  .string()
  .max(40)
  .transform((given, ctx): PauseEnd => {
    const lastingMs = parseDurationMs(given);
    if (lastingMs !== undefined) return { lasting_ms: lastingMs };
    const ms = instantInput.safeParse(given).success ? Date.parse(given) : Number.NaN;
    if (!Number.isNaN(ms)) return { until: new Date(ms).toISOString() };
    const message = 'Give an instant like "2027-01-31T18:00:00Z" or a duration like "15m".';
    ctx.addIssue({ code: "custom", params: { code: "invalid_until" }, message });
    return z.NEVER;
  })
  .openapi({
    type: "string",
    description: "An instant, or a duration from now; at most 366 days.",
    example: "15m",
  });

export const pauseBody = z.strictObject({
  note: z.string().max(maxLength).default(""),
  until: pauseEnd.optional(),
});

export const resumeBody = z.strictObject({ note: z.string().max(maxLength).default("") });

export const pausing =
  "While paused, no job is started. Running jobs continue; new jobs are accepted and wait. Pausing again " +
  "replaces the note and the end.";
