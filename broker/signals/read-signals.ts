import type { QueueSignal } from "../../shared/api/signal.ts";
import { parseExactly } from "../../shared/parse-exactly.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireQueue } from "../queues/require-queue.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { findSignal, findSignalContents, findSignals, listCallbacks } from "./queries.ts";
import type { CallbackRow, SignalContentsRow, SignalRow } from "./signal-row.ts";
import { type SignalContents, toQueueSignal } from "./to-queue-signal.ts";
import { whyQueued } from "./why-queued.ts";

/** One signal; 404 when the org has none of this id. Its data is shown to who has signals.data. */
export async function readSignal(
  { db, seals }: { readonly db: Db; readonly seals: Seals },
  { orgId, permissions }: Pick<Actor, "orgId" | "permissions">,
  id: string,
  { withData = true }: { readonly withData?: boolean } = {},
): Promise<QueueSignal> {
  const row = await findSignal(db, orgId, id);
  if (row === undefined) throw problem.notFound("signal");
  const isShown = withData && permissions.has("signals.data");
  const sealed = isShown ? await findSignalContents(db, orgId, id) : undefined;
  return toQueueSignal(row, {
    callbacks: await listCallbacks(db, orgId, [id]),
    waits: row.status === "queued" ? await whyQueued(db, orgId, id) : null,
    contents: sealed && openContents(seals, { orgId, id }, sealed),
    queue: {
      id: row.queue_id,
      name: row.queue_name,
      owner_id: row.queue_owner_id,
      owner_type: row.queue_owner_type,
    },
  });
}

/** The same of this queue; 404 when the signal is in another. */
export async function requireQueueSignal(
  parts: { readonly db: Db; readonly seals: Seals },
  actor: Pick<Actor, "orgId" | "permissions">,
  { queueId, id }: { readonly queueId: string; readonly id: string },
  how: { readonly withData?: boolean } = {},
): Promise<QueueSignal> {
  await requireQueue(parts.db, actor.orgId, queueId);
  const signal = await readSignal(parts, actor, id, how);
  if (signal.queue_id !== queueId) throw problem.notFound("signal");
  return signal;
}

/** Signals as lists show them: with what follows them, without their data. */
export async function showSignals(
  db: Db,
  org: OrgId,
  rows: readonly SignalRow[],
): Promise<QueueSignal[]> {
  const callbacks = await listCallbacks(
    db,
    org,
    rows.map(({ id }) => id),
  );
  const bySignal = Map.groupBy(callbacks, ({ signal_id }) => signal_id);
  return rows.map((row) =>
    toQueueSignal(row, { callbacks: bySignal.get(row.id) ?? [], isListed: true }),
  );
}

/** Signals and what follows them, in the order of the ids; unknown ones are left out. */
export async function readSignalRows(
  db: Db,
  org: OrgId,
  ids: readonly string[],
): Promise<{ readonly row: SignalRow; readonly callbacks: readonly CallbackRow[] }[]> {
  const [rows, callbacks] = [await findSignals(db, org, ids), await listCallbacks(db, org, ids)];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const bySignal = Map.groupBy(callbacks, ({ signal_id }) => signal_id);
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row === undefined ? [] : [{ row, callbacks: bySignal.get(id) ?? [] }];
  });
}

function openContents(
  seals: Seals,
  { orgId, id }: { readonly orgId: OrgId; readonly id: string },
  row: SignalContentsRow,
): SignalContents {
  const open = (part: string, keyId: string | null, bytes: Buffer): Record<string, unknown> =>
    parseExactly(seals.open({ orgId, id, part }, { keyId, bytes }).toString("utf8")) as Record<
      string,
      unknown
    >; // only objects are stored
  return {
    signal: open("signal", row.key_id, row.contents),
    result: row.result === null ? null : open("signal-result", row.result_key_id, row.result),
  };
}
