import { appendLogsRoute } from "../../../shared/api/write-logs.ts";
import { Problem } from "../../../shared/problem.ts";
import type { AppContext, Door } from "../../http/app-types.ts";
import { parseJson } from "../../http/read-json.ts";
import { type OtlpBody, readOtlp } from "../../http/read-otlp.ts";
import { requireFewJsonParts } from "../../http/require-few-json-parts.ts";
import type { LogRequest, Refused } from "../../logs/log-request.ts";
import { mostParts } from "../../logs/protobuf-reader.ts";
import { readJsonLogs } from "../../logs/read-json-logs.ts";
import { readProtobufLogs } from "../../logs/read-protobuf-logs.ts";
import { protobufOf } from "../../telemetry/partial-success.ts";

const sizes = { maxBytes: 4 * 1024 * 1024, maxInflatedBytes: 32 * 1024 * 1024 };
/** What keeping a record takes besides what was sent of it. */
const recordBytes = 64;

/** POST /v1/log-streams/{log_stream_id}/logs */
export const appendLogs: Door = (app, { logs }) => {
  app.openapi(appendLogsRoute, async (c) => {
    const { log_stream_id: id } = c.req.valid("param");
    const actor = c.get("actor");
    await logs.checkWriter(actor, id);
    logs.admit(actor, id);
    const { body, request } = await readRequest(c).catch((error: unknown) => {
      // What is too large when it is unpacked cost as much as what is just not.
      if (isTooLarge(error)) logs.charge(actor, id, sizes.maxInflatedBytes);
      throw error;
    });
    const bytes = body.bytes.length + request.entries.length * recordBytes;
    logs.charge(actor, id, bytes);
    const refused = await logs.take(actor, id, { ...request, bytes });
    return answer(c, body, refused);
  });
};

async function readRequest(c: AppContext): Promise<{ body: OtlpBody; request: LogRequest }> {
  const body = await readOtlp(c, sizes);
  return { body, request: read(body) };
}

/** Broken UTF-8 is no reason to lose a log: it is shown as U+FFFD. */
function read({ type, bytes }: OtlpBody): LogRequest {
  const nowUs = Date.now() * 1000;
  if (type === "application/x-protobuf") return readProtobufLogs(bytes, nowUs);
  requireFewJsonParts(bytes, mostParts);
  return readJsonLogs(bytes.length === 0 ? {} : parseJson(bytes.toString("utf8")), nowUs);
}

const isTooLarge = (error: unknown): boolean => error instanceof Problem && error.status === 413;

/** In the encoding of the request, as the protocol asks. */
function answer(c: AppContext, { type }: OtlpBody, refused: Refused) {
  if (type === "application/x-protobuf") {
    // The contract documents the JSON form alone.
    const bytes = new Uint8Array(protobufOf(refused));
    return c.body(bytes, 201, { "content-type": type }) as never;
  }
  const { count, reason } = refused;
  if (count === 0) return c.json({}, 201);
  const partialSuccess = { rejectedLogRecords: String(count), errorMessage: reason };
  return c.json({ partialSuccess }, 201);
}
