import { appendLogsRoute, executionHeader } from "../../shared/api/write-logs.ts";
import type { BrokerClient } from "../client/broker-client.ts";
import { Refused, SlowedDown, Unanswered } from "../client/broker-errors.ts";
import type { LogAnswer, SendLogs } from "./log-request.ts";

const type = "application/x-protobuf";
const headers = { "content-type": type, "content-encoding": "gzip", accept: `${type}, */*;q=0.1` };
const overStatuses: readonly number[] = [404, 409, 410];

/** Sends logs with the runner's own token: they are on their way for longer than a job's lives. */
export function makeSendLogs(client: BrokerClient): SendLogs {
  return async ({ streamId, body }, signal) => {
    try {
      const answer = await client.call(
        appendLogsRoute,
        { params: { log_stream_id: streamId }, body: {}, headers },
        { scope: "job", signal, isOnce: true, bytes: body, answerType: type },
      );
      const isOver = answer.headers[executionHeader] === "over";
      return answer.text === "" ? { kind: "stored", isOver } : partly(answer.text);
    } catch (error) {
      return answerOf(error);
    }
  };
}

/** An ExportLogsServiceResponse that is not empty reports a partial success: a number and a message. */
function partly(text: string): LogAnswer {
  const why = /[\x20-\x7e]{4,}/.exec(text)?.[0] ?? "no reason given";
  return { kind: "stored", why };
}

function answerOf(error: unknown): LogAnswer {
  if (error instanceof SlowedDown) return { kind: "slower", afterMs: error.retryAfterMs };
  if (error instanceof Unanswered) return { kind: "later", afterMs: error.retryAfterMs };
  if (!(error instanceof Refused)) throw error;
  if (overStatuses.includes(error.status)) return { kind: "over" };
  if (error.status === 413) return { kind: "too-large" };
  // A refused token is left to the other loops, which end the agent or read a new one.
  if (error.what === "unauthorized" || error.status === 403) return { kind: "later" };
  return error.what === "refused" ? { kind: "refused", why: error.message } : { kind: "later" };
}
