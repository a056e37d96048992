import { tailLogsRoute } from "../../../shared/api/log-streams.ts";
import { problem } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answer } from "../../http/answer/answer.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import { streamAnswer } from "../../http/answer/stream-answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { fromCursor, toCursor } from "../../logs/read/log-cursor.ts";
import { type LogFilter, toLogFilter } from "../../logs/read/log-filter.ts";
import { eventsBegin, toEvents } from "../../logs/read/log-text.ts";
import { otelPart } from "../../logs/read/otel-part.ts";
import { readPageBefore } from "../../logs/read/read-log-page.ts";
import { requireLogStream } from "../../logs/store/log-streams.ts";
import type { LogStream } from "../../logs/store/row.ts";
import { nextRecords } from "../../logs/tail/next-records.ts";
import { tailLog } from "../../logs/tail/tail-log.ts";
import { waitMs } from "../../polls/park-poll.ts";

const mostFollowers = 10_000;
const mostAtOnce = 1000;

/** GET /v1/log-streams/{log_stream_id}/logs/tail */
export const tailLogs: RegisterRoutes = (app, broker) => {
  const { db, logFeed } = broker;
  app.handle(
    tailLogsRoute,
    async ({ c, actor: { orgId, runnerId }, params: { log_stream_id: id }, query, withPermit }) => {
      const { cursor, last, wait, since = "", ...filters } = query;
      const isPosition = /^\d+$/.test(since);
      const filter = toLogFilter({
        ...filters,
        since: isPosition ? undefined : since || undefined,
      });
      const resumed = requestHeader(c, "last-event-id");
      const asked =
        resumed === undefined
          ? fromCursor(isPosition ? since : cursor)
          : fromCursor(resumed, "header:Last-Event-ID");
      const found = await withPermit(() => requireLogStream(db, orgId, id, runnerId));
      // By the rules of server-sent events, 204 keeps a browser from reconnecting.
      const isOver = !found.is_open && asked >= found.next_position;
      if (resumed !== undefined && isOver) return answer(204);
      if (logFeed.followers() >= mostFollowers || logFeed.draining.aborted) {
        throw problem.unavailable(
          "This broker cannot take more log followers. Try again later.",
          2,
        );
      }
      const isOnce = wait !== undefined || wantsOnce(c);
      if (isOnce) meter(c, broker);
      limitConcurrency(c, broker, "followers_of_token"); // until its answer is sent, whole or not
      const isLast =
        last !== undefined && resumed === undefined && cursor === undefined && !isPosition;
      const { signal } = c.req.raw;
      const from = isLast
        ? await withPermit(() => lastFrom(broker, found, { last, filter, signal }))
        : asked;
      const tail = { db, feed: logFeed };
      if (isOnce) {
        const asking = { from, filter, signal, waitMs: waitMs(wait), most: mostAtOnce };
        const { records, next, hasMore } = await nextRecords(tail, orgId, found, asking);
        if (next === from || !(await isWelcome(c, broker))) return answer(204);
        const { text, rest } = otelPart(found, records);
        const after = {
          next: toCursor(rest?.position ?? next),
          has_more: hasMore || rest !== undefined,
        };
        return answerFinished(c, broker, [`{"logs":${text},${JSON.stringify(after).slice(1)}`]);
      }
      setHeader(c, "x-accel-buffering", "no");
      const steps = tailLog(tail, orgId, found, { from, filter, signal });
      const parts = events(steps, async () => await isWelcome(c, broker));
      return streamAnswer(c, broker, { type: "text/event-stream", parts });
    },
  );
};

/** An answer of its own counts as a request, where a connection that is followed does not. */
function meter(c: AppContext, { rateLimiter }: Broker): void {
  for (const [name, value] of rateLimiter.take(c.get("actor"))) setHeader(c, name, value);
}

/** Whether the caller reads JSON and no events: programs do that name what they accept. */
function wantsOnce(c: AppContext): boolean {
  const accepted = (requestHeader(c, "accept") ?? "").toLowerCase();
  return accepted.includes("application/json") && !accepted.includes("text/event-stream");
}

/** A token may be revoked while it follows a log: it is checked before anything is sent. */
async function* events(
  steps: ReturnType<typeof tailLog>,
  isStillWelcome: () => Promise<boolean>,
): AsyncGenerator<Uint8Array> {
  yield eventsBegin;
  for await (const step of steps) {
    if (!(await isStillWelcome())) return;
    yield toEvents(step);
  }
}

/** Whether the request would be admitted now. */
async function isWelcome(c: AppContext, { authenticator }: Broker): Promise<boolean> {
  const org = c.get("actor").orgId;
  try {
    const actor = await authenticator.identify(requestHeader(c, "authorization"), org);
    return actor.permissions.has("logs.read");
  } catch {
    return false;
  }
}

type Ending = {
  readonly last: number;
  readonly filter: LogFilter;
  readonly signal: AbortSignal;
};

/** The position of the first of the last matching records. */
async function lastFrom(
  { db }: Broker,
  found: LogStream,
  { last, filter, signal }: Ending,
): Promise<number> {
  const org = found.org_id as Parameters<typeof readPageBefore>[1]; // the org it was found in
  let from = found.next_position;
  let before = from;
  for (let left = last; left > 0 && before > 1 && !signal.aborted;) {
    const page = await readPageBefore(db, org, found, { before, limit: left, filter });
    left -= page.records.length;
    from = page.records[0]?.position ?? from;
    before = page.previous;
  }
  return from;
}
