import { listLogsRoute } from "../../../shared/api/log-streams.ts";
import type { Broker } from "../../broker.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import { streamAnswer } from "../../http/answer/stream-answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { fromCursor, toCursor } from "../../logs/read/log-cursor.ts";
import { type LogFilter, toLogFilter } from "../../logs/read/log-filter.ts";
import { toNdjson, toPlainText } from "../../logs/read/log-text.ts";
import { otelPart } from "../../logs/read/otel-part.ts";
import { type LogPage, readPageAfter, readPageBefore } from "../../logs/read/read-log-page.ts";
import { readRecords } from "../../logs/read/read-records.ts";
import { toLogRecord } from "../../logs/read/to-log-record.ts";
import { requireLogStream } from "../../logs/store/log-streams.ts";
import type { LogStream } from "../../logs/store/row.ts";

const pageRecords = { usual: 100, most: 1000 } as const;

/** Who gives one of these reads pages. */
const pageWords = ["cursor", "limit", "direction"];

/** GET /v1/log-streams/{log_stream_id}/logs */
export const readLogs: RegisterRoutes = (app, broker) => {
  app.handle(
    listLogsRoute,
    async ({ c, actor: { orgId, runnerId }, params: { log_stream_id: id }, query }) => {
      const { cursor, limit, direction, order, timestamps, ...filters } = query;
      const filter = toLogFilter(filters);
      const isBackward = direction === "backward";
      const hasCursor = cursor !== undefined && cursor !== "";
      const from = fromCursor(cursor);
      const stream = await requireLogStream(broker.db, orgId, id, runnerId);
      const form = formOf(c);
      if (form === "json" && pageWords.every((name) => c.req.query(name) === undefined))
        return await readPart(c, broker, stream, { filter, isNewestFirst: order === "desc" });
      if (form === "json" || isBackward) {
        const most = Math.min(limit ?? pageRecords.usual, pageRecords.most);
        const before = hasCursor ? Math.min(from, stream.next_position) : stream.next_position;
        const page = isBackward
          ? await readPageBefore(broker.db, orgId, stream, { before, limit: most, filter })
          : await readPageAfter(broker.db, orgId, stream, { from, limit: most, filter });
        if (form === "json") return toAnswer(stream, page);
        return answerText(c, broker, { form, timestamps, batches: once(page.records) });
      }
      const batches = readRecords(broker.db, orgId, stream, { from, limit, filter });
      return answerText(c, broker, { form, timestamps, batches });
    },
  );
};

type Part = { readonly filter: LogFilter; readonly isNewestFirst: boolean };

/** An array of records, and in a header where the next one begins. */
async function readPart(
  c: AppContext,
  broker: Broker,
  stream: LogStream,
  { filter, isNewestFirst }: Part,
): Promise<never> {
  const { db } = broker;
  const { orgId } = c.get("actor");
  const offset = (requestHeader(c, "x-svc-api-offset") ?? "").replace(/^0$/, "");
  const from = fromCursor(offset, "header:X-Svc-API-Offset");
  const limit = pageRecords.most;
  const end = stream.next_position;
  if (isNewestFirst) {
    const before = offset === "" ? end : Math.min(from, end);
    const page = await readPageBefore(db, orgId, stream, { before, limit, filter });
    const records = page.records.toReversed();
    const { text, rest } = otelPart(stream, records);
    const last = rest === undefined ? page.previous : rest.position + 1;
    if (last > 1) setHeader(c, "x-svc-api-next", toCursor(last));
    return answerFinished(c, broker, [text]);
  }
  const page = await readPageAfter(db, orgId, stream, { from, limit, filter });
  const { text, rest } = otelPart(stream, page.records);
  const next = rest?.position ?? page.next;
  if (!isOver(stream, next)) setHeader(c, "x-svc-api-next", toCursor(next));
  return answerFinished(c, broker, [text]);
}

const isOver = (stream: LogStream, next: number): boolean =>
  !stream.is_open && next >= stream.next_position;

type Records = LogPage["records"];
type Form = "json" | "ndjson" | "text";

function toAnswer(stream: LogStream, { records, next, previous }: LogPage) {
  return {
    items: records.map(toLogRecord),
    next_cursor: isOver(stream, next) ? null : toCursor(next),
    previous_cursor: previous <= 1 ? null : toCursor(previous),
  };
}

function answerText(
  c: AppContext,
  broker: Broker,
  {
    form,
    timestamps,
    batches,
  }: {
    readonly form: Form;
    readonly timestamps: "true" | "false";
    readonly batches: AsyncIterable<Records>;
  },
): ReturnType<typeof streamAnswer> {
  const encode = (records: Records): string =>
    form === "ndjson" ? toNdjson(records) : toPlainText(records, timestamps === "true");
  const type = form === "ndjson" ? "application/x-ndjson" : "text/plain; charset=utf-8";
  return streamAnswer(c, broker, { type, parts: encoded(batches, encode) });
}

async function* encoded(
  batches: AsyncIterable<Records>,
  encode: (records: Records) => string,
): AsyncGenerator<Uint8Array> {
  for await (const records of batches) if (records.length > 0) yield Buffer.from(encode(records));
}

async function* once(records: Records): AsyncGenerator<Records> {
  yield await Promise.resolve(records);
}

/** The first supported type that the client accepts; by default JSON. */
function formOf(c: AppContext): Form {
  for (const one of (requestHeader(c, "accept") ?? "").split(",")) {
    const type = one.split(";")[0]?.trim().toLowerCase();
    if (type === "application/json") return "json";
    if (type === "application/x-ndjson") return "ndjson";
    if (type === "text/plain") return "text";
  }
  return "json";
}
