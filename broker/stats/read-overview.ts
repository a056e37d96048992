import {
  type ProblemKind,
  problemKinds,
  type StatsOverview,
} from "../../shared/api/stats-overview.ts";
import type { Permission } from "../../shared/permissions.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { findOverview, listLatestFailures, type Moves, type OrgStats } from "./queries.ts";

/** Who may read of what a problem of this kind names. */
const neededFor: Record<ProblemKind, Permission> = {
  "jobs-failed": "jobs.read",
  "jobs-without-taker": "runners.read",
  "queue-paused": "queues.read",
  "runner-offline": "runners.read",
  "runner-paused": "runners.read",
  "shutdown-stuck": "runners.read",
  "signals-dead": "queues.read",
  "webhook-disabled": "webhooks.read",
  "webhook-failing": "webhooks.read",
  "workflow-waiting": "workflows.read",
  "workspace-blocked": "state.read",
};

/** The overview of the caller's org, from the latest sample and the rollups of the last hour. */
export async function readOverview(
  db: Db,
  { orgId, permissions }: Pick<Actor, "orgId" | "permissions">,
): Promise<StatsOverview> {
  const stats = await findOverview(db, orgId);
  const problems = [...stats.problems, ...(await failures(db, orgId, stats))];
  const { enqueued, finished, failed, timed_out, not_attempted, cancelled } = stats;
  return {
    as_of: stats.as_of?.toISOString() ?? null,
    jobs: {
      queued: stats.queued,
      in_progress: stats.in_progress,
      oldest_waiting_at: stats.oldest_waiting_at?.toISOString() ?? null,
    },
    slots: { in_use: stats.in_use, capacity: stats.capacity },
    last_hour: { enqueued, finished, failed, timed_out, not_attempted, cancelled },
    runners: {
      online: stats.runners_online,
      busy: stats.runners_busy,
      offline: stats.runners_offline,
      other: stats.runners_other,
    },
    signals: { waiting: stats.signals_waiting, in_flight: stats.signals_in_flight },
    problems: problemKinds
      .filter((kind) => permissions.has(neededFor[kind]))
      .flatMap((kind) =>
        problems
          .filter((row) => row.kind === kind)
          .map(({ count, items }) => ({ kind, count, items: items.map(toItem) })),
      ),
  };
}

/** Jobs that did not succeed in the last hour, as one problem; none where all did. */
async function failures(
  db: Db,
  org: OrgId,
  { failed, timed_out, not_attempted }: Moves,
): Promise<OrgStats["problems"][number][]> {
  const count = failed + timed_out + not_attempted;
  if (count === 0) return [];
  return [{ kind: "jobs-failed", count, items: await listLatestFailures(db, org) }];
}

/** The database writes instants into JSON in its own way. */
function toItem(item: OrgStats["problems"][number]["items"][number]) {
  return { ...item, since: item.since === null ? null : new Date(item.since).toISOString() };
}
