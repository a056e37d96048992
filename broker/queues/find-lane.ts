import { LRUCache } from "lru-cache";
import type { LaneOwner } from "../../shared/queue-acts.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Whose lane a queue is, by who keeps it and not by the owner that a caller gave it. */
export type Lane = { readonly owner: LaneOwner; readonly id: string };

/** A queue, by its own id or by that of a signal or an emitter in it. */
export type InQueue = {
  readonly queue_id?: string;
  readonly signal_id?: string;
  readonly emitter_id?: string;
};

/** What a queue's row says of whose lane it is; null: of nobody. It never changes, and workers name their queue with each report. */
type LaneRow = { readonly install_id: string | null; readonly app_id: string | null };
const known = new LRUCache<string, LaneRow>({ max: 10_000 });
const idForm = /^(que|sig|emt)_[0-9a-z]{26}$/;

/** Whose lane it is; null where it is nobody's, undefined where there is no such thing in the org. */
export async function findLane(db: Db, org: OrgId, at: InQueue): Promise<Lane | null | undefined> {
  const id = at.queue_id ?? at.emitter_id ?? at.signal_id ?? "";
  if (!idForm.test(id)) return undefined;
  const name = `${org} ${id}`;
  const found = known.get(name) ?? (await findOwner(db, org, id));
  if (found === undefined) return undefined;
  if (at.queue_id !== undefined) known.set(name, found);
  return toLane(found);
}

/** Whose lane it is, by a queue's row. */
export function toLane({ install_id: install, app_id: app }: LaneRow): Lane | null {
  if (install !== null) return { owner: "installs", id: install };
  return app === null ? null : { owner: "apps", id: app };
}

async function findOwner(db: Db, org: OrgId, id: string): Promise<LaneRow | undefined> {
  const queueId = id.startsWith("que_")
    ? db`${id}`
    : id.startsWith("emt_")
      ? db`(select e.queue_id from queue_emitters e where e.org_id = ${org} and e.id = ${id})`
      : db`(select f.queue_id from queue_signals f where f.org_id = ${org} and f.id = ${id})`;
  const [row] = await db<LaneRow[]>`
    select q.install_id, q.app_id from queues q where q.org_id = ${org} and q.id = ${queueId}`;
  return row;
}
