import { setTimeout as pause } from "node:timers/promises";
import { type Retained, retainedKinds } from "../../shared/retention.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listOrgsWithRetention } from "../orgs/queries.ts";
import type { OrgRow } from "../orgs/row.ts";
import type { Batches } from "./delete-in-batches.ts";

/** What deletes things of an org, in order, and how many at once (migrations/functions/org-retention.sql). */
const deletions = {
  jobs: [
    { by: "delete_jobs_of_org", most: 200 },
    { by: "delete_workflows_of_org", most: 100 },
  ],
  logs: [{ by: "delete_logs_of_org", most: 50 }],
  heart_beats: [
    { by: "delete_beat_minutes_of_org", most: 5000 },
    { by: "delete_processes_of_org", most: 200 },
  ],
  health_checks: [{ by: "delete_health_checks_of_org", most: 5000 }],
  audit: [{ by: "delete_audit_of_org", most: 1000 }],
} as const satisfies Record<Retained, readonly { readonly by: string; readonly most: number }[]>;

const mostOrgs = 10_000;

type Work = {
  readonly orgId: OrgId;
  readonly kind: Retained;
  /** The deletion that is under way. */
  step: number;
  /** How far it has come. */
  after: string;
};

/**
 * Deletes what orgs keep for a shorter time than the broker does; answers how many of each kind. Orgs and kinds take turns, a batch
 * each, so that one with much to delete does not hold up the others. Each batch is one call, followed by a pause as long as itself.
 */
export async function deleteByOrg(
  db: Db,
  { signal, batch }: Pick<Batches, "signal"> & Partial<Batches>,
): Promise<Partial<Record<Retained, number>>> {
  const total: Partial<Record<Retained, number>> = {};
  let work = (await listOrgsWithRetention(db, mostOrgs)).flatMap(workOf);
  while (work.length > 0) {
    const unfinished: Work[] = [];
    for (const one of work) {
      if (signal.aborted) return total;
      const startedAtMs = performance.now();
      const deleted = await deleteSome(db, one, batch);
      if (deleted > 0) total[one.kind] = (total[one.kind] ?? 0) + deleted;
      if (one.step < deletions[one.kind].length) unfinished.push(one);
      await pause(performance.now() - startedAtMs, undefined, { signal }).catch(() => {}); // aborted: see above
    }
    work = unfinished;
  }
  return total;
}

function workOf(org: OrgRow): Work[] {
  return retainedKinds
    .filter((kind) => org[`retain_${kind}_days`] !== null)
    .map((kind) => ({ orgId: org.id, kind, step: 0, after: "" }));
}

/** Does one batch and notes where the next begins. */
async function deleteSome(db: Db, work: Work, batch: number | undefined): Promise<number> {
  const deletion = deletions[work.kind][work.step];
  if (deletion === undefined) return 0;
  const most = batch ?? deletion.most;
  const [row] = await db<{ deleted: number; next: string | null }[]>`
    select d.deleted, d.next from ${db(deletion.by)}(${work.orgId}, ${work.after}, ${most}) d`;
  const next = row?.next ?? null;
  if (next === null) work.step += 1;
  work.after = next ?? "";
  return row?.deleted ?? 0;
}
