import { z } from "@hono/zod-openapi";

/** A whole number in a query or a path: decimal digits alone, so neither `0x10` nor `1e3`, `5.0`, `+5` or nothing. */
export function digits(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  const number = z.number().int().min(least);
  return z.preprocess(
    (given) =>
      typeof given === "string" ? (/^-?\d{1,16}$/.test(given) ? Number(given) : Number.NaN) : given,
    most === Number.MAX_SAFE_INTEGER ? number : number.max(most),
  );
}
