import { z } from "@hono/zod-openapi";
import { formatDuration, parseDuration, parseDurationMs } from "../duration.ts";

type Bounds = { readonly minNs: number; readonly maxNs: number };

const unread = { code: "invalid_duration" };

/** A duration in a request: integer nanoseconds, or text like "15m"; read as nanoseconds. */
export function durationInput({ minNs, maxNs }: Bounds): z.ZodType<number, number | string> {
  return z
    .union([z.int(), z.string().max(40)])
    .transform((given, ctx) => {
      const ns = typeof given === "string" ? parseDuration(given) : given;
      if (ns !== undefined && ns >= minNs && ns <= maxNs) return ns;
      ctx.addIssue({ code: "custom", params: unread, message: bounded(minNs, maxNs) });
      return z.NEVER;
    })
    .openapi({ type: "integer", description: "Nanoseconds, or text like `15m`." });
}

/** The same where the wire has whole seconds; 0 means none. */
export function secondsInput(maxS: number): z.ZodType<number, number | string> {
  return z
    .union([z.int(), z.string().max(40)])
    .transform((given, ctx) => {
      const seconds = typeof given === "string" ? (parseDurationMs(given) ?? -1) / 1000 : given;
      if (Number.isInteger(seconds) && seconds >= 0 && seconds <= maxS) return seconds;
      const message = `Give whole seconds, 0 to ${maxS}, or text like "24h".`;
      ctx.addIssue({ code: "custom", params: unread, message });
      return z.NEVER;
    })
    .openapi({ type: "integer", description: "Seconds, or text like `24h`; 0 means no limit." });
}

const bounded = (minNs: number, maxNs: number): string =>
  `Give ${formatDuration(minNs)} to ${formatDuration(maxNs)}, in nanoseconds or as text like "15m".`;
