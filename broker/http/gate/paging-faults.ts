import { mostOffset } from "../../../shared/api/page.ts";
import type { ProblemError } from "../../../shared/problem.ts";

/** What is wrong with a `page` beside the other words that choose a part of a list. Generated clients send 0 for what they do not set. */
export function pagingFaults(
  sent: Readonly<Record<string, readonly string[]>>,
  { page, limit }: Readonly<Record<string, unknown>>,
): ProblemError[] {
  if (typeof page !== "number") return [];
  if (sent["cursor"] !== undefined)
    return fault("not_allowed", "Give either page or cursor, not both.");
  if (page > 0 && sent["offset"]?.some((given) => /[1-9]/.test(given)) === true)
    return fault("not_allowed", "Give either page or offset, not both.");
  return typeof limit === "number" && page * limit > mostOffset
    ? fault("too_big", `Page times limit must be at most ${mostOffset}.`)
    : [];
}

const fault = (code: string, detail: string): ProblemError[] => [
  { pointer: "?page", code, detail },
];
