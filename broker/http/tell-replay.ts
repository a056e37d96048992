import type { AppContext } from "./app-types.ts";
import { setHeader } from "./response-headers.ts";

/** Tells in the answer's head that an earlier request with the same key had done it. */
export function tellReplay<Answer extends { readonly isReplay: boolean }>(
  c: AppContext,
  answer: Answer,
): Answer {
  if (answer.isReplay) setHeader(c, "idempotency-replayed", "true");
  return answer;
}
