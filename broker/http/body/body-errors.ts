import { Problem, problem } from "../../../shared/problem.ts";

/** A body without progress for this long is given up. */
export const bodyIdleMs = 15_000;

/** The client hung up within its body. */
export const bodyTruncated = (): Problem =>
  problem.malformed("body_truncated", "The connection was closed before the whole body arrived.");

/** The client sends no more of its body; the connection is of no use after that. */
export const bodyStalled = (): Problem =>
  new Problem({
    status: 408,
    code: "body_timeout",
    detail: `Timed out: no data of the body arrived for ${bodyIdleMs / 1000} s.`,
    headers: { connection: "close" },
  });
