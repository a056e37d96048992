import type { z } from "zod";
import type { httpCallSchema } from "../../../shared/signal-types.ts";
import type { CallOutcome } from "../../egress/egress.ts";
import type { RunTurn, TurnOutcome, TurnParts } from "./turn.ts";

type HttpCall = z.infer<typeof httpCallSchema>;

const defaultTimeoutMs = 30_000;
const mostKeptBytes = 4096;
const putOffMs = 5000;
const shortestRetryMs = 1000;

/** Calls once. 2xx finishes; an answer that another call cannot better is not tried again. */
export const runHttpCall: RunTurn<HttpCall> = async (parts, turn, call) => {
  const outcome = await makeCall(parts, turn, { id: turn.signalId, call, ...bodyOf(call.body) });
  return toOutcome(outcome);
};

/** One signed call for an org; the id is that of the message, the same at each try. */
export async function makeCall(
  { egress }: Pick<TurnParts, "egress">,
  { orgId, signal }: Pick<Parameters<typeof runHttpCall>[1], "orgId" | "signal">,
  { id, call, text, type }: { id: string; call: HttpCall } & ReturnType<typeof bodyOf>,
): Promise<CallOutcome> {
  const names = new Set(Object.keys(call.headers ?? {}).map((name) => name.toLowerCase()));
  return await egress.callOut(orgId, {
    url: call.url,
    method: call.method,
    headers: {
      ...(text !== undefined && !names.has("content-type") && { "content-type": type }),
      ...call.headers,
    },
    ...(text !== undefined && { body: text }),
    signing: { id, secret: call.secret },
    timeoutMs: (call.timeout ?? 0) / 1e6 || defaultTimeoutMs,
    maxAnswerBytes: mostKeptBytes,
    signal,
  });
}

function bodyOf(body: HttpCall["body"]): { text?: string; type: string } {
  if (body === undefined) return { type: "" };
  if (typeof body === "string") return { text: body, type: "text/plain; charset=utf-8" };
  return { text: JSON.stringify(body), type: "application/json" };
}

/** Answers that ask to come again. */
const passing = new Set([408, 425, 429]);

/** What an answer, or the lack of one, means for an execution. */
export function toOutcome(call: CallOutcome): TurnOutcome {
  if (call.kind === "deferred") {
    // Whoever waited for a turn in vain need not wait any more.
    return { event: "put-off", afterMs: call.reason === "too_many_calls" ? putOffMs : 0 };
  }
  if (call.kind === "failed") {
    if (call.reason === "aborted") return { event: "left" };
    const isFinal = call.reason === "invalid_url" || call.reason === "invalid_request";
    return { event: isFinal ? "give-up" : "fail", description: call.detail };
  }
  const { status, body, isWhole, retryAfterMs } = call;
  const result = { status, body, is_whole: isWhole };
  if (status >= 200 && status < 300) return { event: "finish", result };
  const isFinal = status < 500 && !passing.has(status);
  return {
    event: isFinal ? "give-up" : "fail",
    description: `it was answered with status ${status}`,
    retryInMs: retryAfterMs === undefined ? undefined : Math.max(retryAfterMs, shortestRetryMs),
    result,
  };
}
