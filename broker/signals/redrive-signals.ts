import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { requireQueue } from "../queues/require-queue.ts";
import { topics } from "../wake/wakes.ts";
import { fullQueue } from "./full-queue.ts";
import { findSignal, hasRedrivable, redriveRows, type RedriveRow } from "./queries.ts";

const batch = 1_000;
/** After so long a request answers what it has done. */
const enoughMs = 10_000;

type Parts = Pick<Broker, "db" | "wakes">;
type Told = { readonly signalId: string; readonly outcome: string };
type Redriven = {
  readonly redriven: number;
  /** What came of each that was named. */
  readonly told: readonly Told[];
  /** Others can be redriven: by another request, or once there is room. */
  readonly hasMore: boolean;
};

/** Puts dead signals of a queue back in line: those named, or all, oldest first, as many as there is room and time for. */
export async function redriveSignals(
  parts: Parts,
  org: OrgId,
  { queueId, ids }: { readonly queueId: string; readonly ids: readonly string[] | undefined },
): Promise<Redriven> {
  await requireQueue(parts.db, org, queueId);
  const untilMs = performance.now() + enoughMs;
  let [redriven, isDone] = [0, ids !== undefined];
  const told = ids && (await redriveSome(parts, org, { queueId, ids: [...new Set(ids)] }));
  while (!isDone && performance.now() < untilMs) {
    const some = await redriveSome(parts, org, { queueId, ids: null });
    redriven += some.length;
    isDone = some.length === 0;
  }
  return {
    redriven: redriven + (told ?? []).filter(({ outcome }) => outcome === "redriven").length,
    told: told ?? [],
    hasMore: await hasRedrivable(parts.db, org, queueId),
  };
}

/** Puts one dead signal back in line; 404, 409 `signal_not_dead` or `dedupe_key_taken`, 429 `queue_full` or `org_queues_full`. */
export async function redriveSignal(parts: Parts, org: OrgId, id: string): Promise<void> {
  const found = await findSignal(parts.db, org, id);
  if (found === undefined) throw problem.notFound("signal");
  const [told] = await redriveSome(parts, org, { queueId: found.queue_id, ids: [id] });
  switch (told?.outcome) {
    case "redriven":
      return;
    case "not-dead":
      throw problem.conflict("signal_not_dead", `Only a dead signal can be redriven.`);
    case "kept":
      throw problem.conflict(
        "dedupe_key_taken",
        "A live signal of the queue has the same dedupe_key.",
      );
    case "full":
      throw await fullQueue(parts.db, org);
    default:
      throw problem.notFound("queue"); // it was deleted
  }
}

async function redriveSome(
  { db, wakes }: Parts,
  org: OrgId,
  { queueId, ids }: { readonly queueId: string; readonly ids: readonly string[] | null },
): Promise<Told[]> {
  const rows = await redriveRows(db, org, { queueId, ids, batch });
  wakes.notify(rows.flatMap(({ wake }) => (wake === null ? [] : [topics.signals(wake)])));
  return rows.flatMap(toRedriven);
}

function toRedriven({ signal_id: signalId, outcome }: RedriveRow): Told[] {
  return signalId === null || outcome === null ? [] : [{ signalId, outcome }];
}
