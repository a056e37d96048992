import type { Problem } from "../../../shared/problem.ts";
import type { TurnOutcome } from "./turn.ts";

const briefMs = 5000;

/** What a refusal means for an execution: what is passing is put off or tried again, what stays is given up. */
export function afterRefusal({ status, code, message }: Problem): TurnOutcome {
  const description = `${code}: ${message}`;
  if (status === 429 && code !== "queue_full") return { event: "put-off", afterMs: briefMs };
  const isFinal = status === 404 || status === 422 || status === 403;
  return { event: isFinal ? "give-up" : "fail", description };
}
