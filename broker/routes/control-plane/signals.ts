import type { NewSignalBody } from "../../../shared/api/new-signal.ts";
import {
  cancelSignalRoute,
  enqueueSignalRoute,
  enqueueSignalsRoute,
  getQueueSignalRoute,
  getSignalRoute,
  listSignalsRoute,
  redriveOutcomes,
  redriveSignalRoute,
  redriveSignalsRoute,
} from "../../../shared/api/signals.ts";
import { parseExactly } from "../../../shared/parse-exactly.ts";
import type { Pointer } from "../../../shared/problem.ts";
import type { Broker } from "../../broker.ts";
import { answerJson } from "../../http/answer/answer-json.ts";
import { enterDownloads } from "../../http/answer/answer-large.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import { answer } from "../../http/answer/answer.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { tellSecrets } from "../../http/gate/audit-gate.ts";
import { takeIdempotencyKey, tellReplay } from "../../http/gate/idempotency.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { requireOwnQueue, requireQueue } from "../../queues/require-queue.ts";
import { JsonPlaceholders } from "../../seals/json-placeholders.ts";
import type { LargeText } from "../../seals/large-text.ts";
import type { Opened } from "../../seals/open-large.ts";
import { cancelSignal as cancel } from "../../signals/cancel-signal.ts";
import { type EnqueuedSignal, enqueueSignals as enqueue } from "../../signals/enqueue-signals.ts";
import { listSignals as listPage } from "../../signals/list-signals.ts";
import type { NewSignal } from "../../signals/new-signal.ts";
import { readSignal, requireQueueSignal, showSignals } from "../../signals/read-signals.ts";
import {
  redriveSignal as redriveOne,
  redriveSignals as redriveMany,
} from "../../signals/redrive-signals.ts";
import { requireFileable } from "../../signals/require-fileable.ts";
import { callbacksOf } from "../../signals/signal-callbacks.ts";
import { requestFingerprint } from "../../signals/signal-data.ts";
import { toQueueSignal } from "../../signals/to-queue-signal.ts";

/** POST /v1/queues/{queue_id}/signals, …/batch */
export const enqueueSignals: RegisterRoutes = (app, broker) => {
  app.handle(enqueueSignalRoute, async ({ c, body }) => {
    const asked = await toEnqueue(c, broker, [{ body, pointer: "#" }]);
    const { enqueued } = tellReplay(c, await enqueue(broker, asked));
    const [first] = enqueued;
    if (first === undefined) throw new Error("one signal was enqueued and none came back");
    return answer(first.isKept ? 200 : 201, shown(c, first, asked.signals[0]));
  });
  app.handle(enqueueSignalsRoute, async ({ c, params, body: { signals } }) => {
    const given = signals.map((body, at) => ({ body, pointer: `#/signals/${at}` as const }));
    requireOwnQueue(params.queue_id);
    const placeholders = new JsonPlaceholders();
    const leave = await roomForAnswer(c, broker, given); // what is stored must be told
    try {
      const asked = await toEnqueue(c, broker, given);
      const { enqueued } = tellReplay(c, await enqueue(broker, asked));
      const told = enqueued.map((one, at) => shown(c, one, asked.signals[at], placeholders));
      const answer = { value: { signals: told }, placeholders, status: 201, leave } as const;
      return await answerJson(c, broker, answer);
    } catch (error) {
      leave?.();
      throw error;
    }
  });
};

type Given = { readonly body: NewSignalBody; readonly pointer: Pointer };

async function toEnqueue(c: AppContext, broker: Broker, given: readonly Given[]) {
  const actor = c.get("actor");
  const queueId = c.req.param("queue_id") ?? "";
  requireOwnQueue(queueId);
  const signals = given.map(({ body, pointer }) => ({
    body,
    pointer,
    textOf: (inner: string) => textAt(c, `${pointer}${inner}`),
  }));
  await requireFileable({ ...broker, withPermit: permitFor(c, broker) }, actor, signals);
  const key = takeIdempotencyKey(c);
  const fingerprint = (): string =>
    c.get("fingerprint") ??
    requestFingerprint(
      queueId,
      given.map(({ body }) => body),
    );
  return {
    orgId: actor.orgId,
    actorId: actor.id,
    queueId,
    signals,
    takesPermit: true,
    idempotency: key === undefined ? undefined : { key, fingerprint: fingerprint() },
  } as const;
}

/** The text of a member, as it was sent. */
function textAt(c: AppContext, pointer: string): string | undefined {
  return c.get("longTexts").get(pointer)?.toString() ?? c.get("verbatim").get(pointer);
}

/** What is told of a signal or a callback besides what was sent. */
const rowBytes = 1024;

/** The memory for what a large batch keeps until its answer is sent; a small one's is not counted. */
async function roomForAnswer(
  c: AppContext,
  broker: Broker,
  given: readonly Given[],
): Promise<(() => void) | undefined> {
  const heldBytes = c.get("heldBytes");
  if (heldBytes === undefined) return undefined;
  const rows = given.reduce((sum, { body }) => sum + 1 + callbacksOf(body).length, 0);
  return await enterDownloads(c, broker, heldBytes + rows * rowBytes);
}

const showsData = (c: AppContext): boolean => c.get("actor").permissions.has("signals.data");

type Sent = NewSignal & Given;

function shown(
  c: AppContext,
  { row, callbacks, isKept }: EnqueuedSignal,
  sent?: Sent,
  placeholders?: JsonPlaceholders,
) {
  const isOwn = !isKept && sent !== undefined && showsData(c);
  const contents = isOwn ? { signal: dataOf(c, sent, placeholders), result: null } : undefined;
  return { ...toQueueSignal(row, { callbacks, contents }), deduplicated: isKept };
}

/** As a read shows it, with all digits; of a large batch its text, which nobody parses again. */
function dataOf(
  c: AppContext,
  { body, pointer, textOf }: Sent,
  placeholders: JsonPlaceholders | undefined,
): Record<string, unknown> {
  const long = c.get("longTexts").get(`${pointer}/signal`);
  const isLeftOut = long !== undefined && placeholders !== undefined;
  if (isLeftOut) return placeholders.json(inPieces(long)) as never; // until it is sent
  const text = textOf?.("/signal");
  return text === undefined ? body.signal : (parseExactly(text) as Record<string, unknown>); // its schema asks for an object
}

const inPieces = (text: LargeText): Opened => ({
  sizeBytes: text.sizeBytes,
  async *pieces() {
    for (const slice of text.slices())
      yield Buffer.from(slice.buffer, slice.byteOffset, slice.length);
  },
});

/** GET /v1/queues/{queue_id}/signals, …/{signal_id}, GET /v1/signals/{signal_id} */
export const readSignals: RegisterRoutes = (app, broker) => {
  app.handle(listSignalsRoute, async ({ c, orgId, params: { queue_id: queueId }, query }) => {
    const [page, filter] = splitQuery(query);
    await requireQueue(broker.db, orgId, queueId);
    const isByOffset = (page.offset ?? page.page) !== undefined;
    return await answerList(c, page, {
      filters: { ...filter, queueId },
      read: (request) => listPage(broker.db, orgId, queueId, { filter, isByOffset, ...request }),
      toItems: (rows) =>
        showSignals(
          broker.db,
          orgId,
          rows.map(({ row }) => row),
        ),
    });
  });
  app.handle(getSignalRoute, async ({ c, actor, params: { signal_id: id }, query }) => {
    const withData = query.data !== "false";
    if (withData && actor.permissions.has("signals.data")) tellSecrets(c);
    return await readSignal(broker, actor, id, { withData });
  });
  app.handle(getQueueSignalRoute, async ({ c, actor, params, query }) => {
    const { queue_id: queueId, signal_id: id } = params;
    const withData = query.data !== "false";
    const signal = await requireQueueSignal(broker, actor, { queueId, id }, { withData });
    if (withData && actor.permissions.has("signals.data")) tellSecrets(c);
    return signal;
  });
};

/** POST /v1/signals/{signal_id}/cancel, …/redrive, POST /v1/queues/{queue_id}/signals/redrive */
export const operateSignals: RegisterRoutes = (app, broker) => {
  app.handle(cancelSignalRoute, async ({ actor, params: { signal_id: id } }) => {
    await cancel(broker, actor, id);
    return await readSignal(broker, actor, id);
  });
  app.handle(redriveSignalRoute, async ({ actor, params: { signal_id: id } }) => {
    await redriveOne(broker, actor, id);
    return await readSignal(broker, actor, id);
  });
  app.handle(
    redriveSignalsRoute,
    async ({ actor, params: { queue_id: queueId }, body: { signal_ids: ids } }) => {
      const { told, hasMore, ...counts } = await redriveMany(broker, actor, {
        queueId,
        ids,
      });
      return { ...counts, signals: told.map(toOutcome), has_more: hasMore };
    },
  );
};

function toOutcome({ signalId, outcome }: { signalId: string; outcome: string }) {
  const known = redriveOutcomes.find((one) => one === outcome);
  if (known === undefined) throw new Error(`redrive_signals answered ${outcome}`);
  return { signal_id: signalId, outcome: known };
}
