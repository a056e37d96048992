import { appendLogsRoute, executionHeader } from "../../../shared/api/write-logs.ts";
import { Problem } from "../../../shared/problem.ts";
import { answerOtlp } from "../../http/answer/answer-otlp.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { hasBody } from "../../http/body/read-body.ts";
import { type OtlpBody, otlpRequest, readOtlp } from "../../http/body/read-otlp.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import type { LogRequest } from "../../logs/intake/log-request.ts";
import { toLogRequest } from "../../logs/intake/to-log-request.ts";
import { logsRequest } from "../../otlp/otlp-messages.ts";

const sizes = { maxBytes: 4 * 1024 * 1024, maxInflatedBytes: 32 * 1024 * 1024 };
/** What keeping a record takes besides what was sent of it. */
const recordBytes = 64;

/** POST /v1/log-streams/{log_stream_id}/logs */
export const appendLogs: RegisterRoutes = (app, { logs, decompressions }) => {
  app.handle(appendLogsRoute, async ({ c, actor, params: { log_stream_id: id } }) => {
    await logs.checkWriter(actor, id);
    const admitted = await logs.admit(actor, id, saidBytes(c));
    const reading = { ...sizes, key: id, read: readRequest };
    const { type, request } = await readOtlp(c, decompressions, reading).catch((error: unknown) => {
      // A request that is too large when decompressed is charged like the largest that is accepted.
      if (isTooLarge(error))
        logs.charge(admitted, { bytes: sizes.maxInflatedBytes, isRefused: true });
      throw error;
    });
    logs.charge(admitted, { bytes: request.bytes, isRefused: false });
    const { refused, isOver } = await logs.take(actor, id, request);
    if (isOver) setHeader(c, executionHeader, "over");
    return answerOtlp(c, type, { status: 201, refused, counted: "rejectedLogRecords" });
  });
};

/** The length that the head of the request says; without one it may be as long as any. */
function saidBytes(c: AppContext): number {
  if (!hasBody(c)) return 0;
  const said = Number(requestHeader(c, "content-length") ?? sizes.maxBytes);
  return said > sizes.maxBytes ? 0 : said; // refused for its size, unread
}

type Read = {
  readonly type: OtlpBody["type"];
  readonly request: LogRequest & { readonly bytes: number };
};

function readRequest(body: OtlpBody): Read {
  const request = toLogRequest(otlpRequest(body, logsRequest), Date.now() * 1000);
  const bytes = body.bytes.length + request.entries.length * recordBytes;
  return { type: body.type, request: { ...request, bytes } };
}

const isTooLarge = (error: unknown): boolean => error instanceof Problem && error.status === 413;
