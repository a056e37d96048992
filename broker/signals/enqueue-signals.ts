import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { HotPath } from "../limits/hot-path.ts";
import type { Permits, WithPermit } from "../limits/permits.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { draftSignal, type NewSignal, type SignalDraft } from "./new-signal.ts";
import { readSignalRows } from "./read-signals.ts";
import { signalRefusal } from "./signal-refusal.ts";
import type { CallbackRow, SignalRow } from "./signal-row.ts";

/** A request to enqueue signals in one queue. */
export type EnqueueSignals = {
  readonly orgId: OrgId;
  readonly actorId: string;
  readonly queueId: string;
  readonly signals: readonly NewSignal[];
  /** Set when the caller holds no permit: one is taken for statements of its own. */
  readonly takesPermit?: true;
  /** The fingerprint must be equal for a request to count as a repetition. */
  readonly idempotency?: { readonly key: string; readonly fingerprint: string } | undefined;
};

export type EnqueuedSignal = {
  readonly row: SignalRow;
  readonly callbacks: readonly CallbackRow[];
  /** A live signal with the same dedupe key was kept instead. */
  readonly isKept: boolean;
};

type Outcome = {
  readonly request: number;
  readonly outcome: string;
  readonly id: string | null;
  readonly status: string | null;
  readonly created_at: Date | null;
};
type Keyed = { readonly idempotency_key: string; readonly fingerprint: string };
type Request = {
  readonly orgId: OrgId;
  readonly drafts: readonly SignalDraft[];
  readonly keyed: Keyed | undefined;
};
export type EnqueueSignal = (request: Request) => Promise<readonly Outcome[]>;

export type SignalingBroker = {
  readonly db: Db;
  readonly seals: Seals;
  readonly wakes: Wakes;
  readonly permits: Permits;
  readonly enqueueSignal: EnqueueSignal;
};

/** About the most bytes of data in one statement that requests share. */
const mostTogether = 1024 * 1024;

/**
 * Enqueues signals, all or none, in the order given. A repetition with the same idempotency key gets the first request's signals
 * as they are now; of a signal whose dedupe key a live one has, that one. Refuses with 404, 422 or, past the queue's depth, 429.
 */
export async function enqueueSignals(
  broker: SignalingBroker,
  asked: EnqueueSignals,
): Promise<{ readonly enqueued: readonly EnqueuedSignal[]; readonly isReplay: boolean }> {
  const { orgId, idempotency } = asked;
  const drafts = asked.signals.map((signal) => draftSignal(broker.seals, asked, signal));
  const keyed = idempotency && {
    idempotency_key: idempotency.key,
    fingerprint: idempotency.fingerprint,
  };
  const withPermit: WithPermit = (act) =>
    asked.takesPermit === true ? broker.permits.run({ orgId, token: asked.actorId }, act) : act();
  const request = { orgId, drafts, keyed };
  if (drafts.length === 1 && bytesOf(request) < mostTogether) {
    const outcomes = await broker.enqueueSignal(request);
    return await tellOutcomes(broker, { asked, drafts, outcomes, withPermit });
  }
  // One permit for all: of signals that are enqueued it is not refused to tell.
  return await withPermit(async () => {
    const outcomes = await enqueueOne(broker.db, request);
    return await tellOutcomes(broker, { asked, drafts, outcomes, withPermit: (act) => act() });
  });
}

type Enqueued = {
  readonly asked: EnqueueSignals;
  readonly drafts: readonly SignalDraft[];
  readonly outcomes: readonly Outcome[];
  readonly withPermit: WithPermit;
};

async function tellOutcomes(
  broker: SignalingBroker,
  { asked, drafts, outcomes, withPermit }: Enqueued,
): ReturnType<typeof enqueueSignals> {
  const { orgId, queueId } = asked;
  const outcome = outcomes[0]?.outcome;
  if (outcome === "replay" || outcome === "replay-kept") {
    const enqueued = await withPermit(() => readReplay(broker.db, orgId, outcomes));
    return { enqueued, isReplay: true };
  }
  if (outcome !== "enqueued" && outcome !== "kept")
    throw await withPermit(() => signalRefusal(broker.db, asked, outcome ?? "lost"));
  broker.wakes.notify([topics.signals(queueId)]);
  const keptIds = outcomes.flatMap((one) => (one.outcome === "kept" ? (one.id ?? []) : []));
  const kept =
    keptIds.length === 0
      ? []
      : await withPermit(() => readSignalRows(broker.db, orgId, [...new Set(keptIds)]));
  return { enqueued: toEnqueued(drafts, outcomes, kept), isReplay: false };
}

/** What the first request was answered, with the signals as they are now; one that was deleted with age is left out. */
async function readReplay(
  db: Db,
  org: OrgId,
  outcomes: readonly Outcome[],
): Promise<EnqueuedSignal[]> {
  const ids = outcomes.flatMap(({ id }) => id ?? []);
  const found = await readSignalRows(db, org, [...new Set(ids)]);
  const byId = new Map(found.map((one) => [one.row.id, one]));
  return outcomes.flatMap(({ id, outcome }) => {
    const one = byId.get(id ?? "");
    return one === undefined ? [] : [{ ...one, isKept: outcome === "replay-kept" }];
  });
}

/** Single signals that arrive together share a statement; a batch has its own, because it succeeds or fails as a whole. */
export function makeEnqueueSignal(hotPath: HotPath): EnqueueSignal {
  return makeBatcher((requests: readonly Request[]) => enqueueNow(hotPath.db, requests), {
    max: 200,
    bytesOf,
    maxBytes: mostTogether,
    separate: hotPath.separate(enqueueNow),
  });
}

function bytesOf({ drafts }: Request): number {
  let bytes = 0;
  for (const { contents, callbacks } of drafts) {
    bytes += contents.length;
    for (const callback of callbacks) bytes += callback.contents.length;
  }
  return bytes;
}

async function enqueueOne(db: Db, request: Request): Promise<readonly Outcome[]> {
  const [outcomes = []] = await enqueueNow(db, [request]);
  return outcomes;
}

async function enqueueNow(db: Db, requests: readonly Request[]): Promise<(readonly Outcome[])[]> {
  const signals = requests.flatMap(({ drafts, keyed }, at) =>
    drafts.map((draft) => ({ ...draft, ...keyed, request: at + 1 })),
  );
  const rows = await db<Outcome[]>`
    select * from enqueue_signals(${JSON.stringify(signals)}::text::json)`;
  const byRequest = Map.groupBy(rows, ({ request }) => request);
  return requests.map((_, at) => byRequest.get(at + 1) ?? []);
}

/** The signals in the order of the request: new ones as a read would find them now, kept ones as they were found. */
function toEnqueued(
  drafts: readonly SignalDraft[],
  outcomes: readonly Outcome[],
  kept: readonly Pick<EnqueuedSignal, "row" | "callbacks">[],
): EnqueuedSignal[] {
  const madeAt = new Map(
    outcomes.flatMap(({ outcome, id, created_at: at }) =>
      outcome === "enqueued" && id !== null && at !== null ? [[id, at] as const] : [],
    ),
  );
  const byKey = new Map(kept.map((one) => [one.row.dedupe_key, one]));
  return drafts.flatMap((draft): EnqueuedSignal[] => {
    const at = madeAt.get(draft.id);
    if (at !== undefined) return [{ ...toRows(draft, at), isKept: false }];
    const found = byKey.get(draft.dedupe_key);
    return found === undefined ? [] : [{ ...found, isKept: true }];
  });
}

const nsPerMs = 1e6;

function toRows(draft: SignalDraft, at: Date): Pick<EnqueuedSignal, "row" | "callbacks"> {
  const { callbacks, expires_at, expires_in, scheduled_for } = draft;
  const expires = expires_in === null ? expires_at : at.getTime() + expires_in / nsPerMs;
  const row: SignalRow = {
    ...draft,
    scheduled_for: scheduled_for === null ? null : new Date(scheduled_for),
    expires_at: expires === null ? null : new Date(expires),
    created_at: at,
    status: "queued",
    status_description: "",
    status_at: at,
    execution_count: 0,
    worker: null,
    lease_until: null,
    started_at: null,
    finished_at: null,
    history: [],
  };
  const waiting = { status: "waiting", status_description: "", settled_at: null } as const;
  return {
    row,
    callbacks: callbacks.map(({ statuses, queue_id = null, type = null, ...one }) => ({
      ...one,
      ...waiting,
      signal_id: draft.id,
      statuses: [...statuses],
      queue_id,
      type,
    })),
  };
}
