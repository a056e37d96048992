import { z } from "@hono/zod-openapi";

const earliestMs = Date.UTC(1970, 0, 1);
const latestMs = Date.UTC(10_000, 0, 1) - 1;

/** An instant in a request; from 1970 to 9999, which every database can tell. */
export const instantInput = z.iso.datetime({ offset: true }).refine(
  (text) => {
    const ms = Date.parse(text);
    return Number.isNaN(ms) || (ms >= earliestMs && ms <= latestMs); // NaN is told already
  },
  { params: { code: "invalid_instant" }, message: "Send a time between 1970 and 9999." },
);
