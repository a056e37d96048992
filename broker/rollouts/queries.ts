import type { ShutdownType } from "../../shared/api/runner-process-shutdown.ts";
import type { Db } from "../database/connect.ts";
import type { ListRequest } from "../database/page-request.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { RolloutTargetRow } from "./row.ts";

export type LiveProcess = { readonly id: string; readonly runner_id: string };

/**
 * The live processes of a group, or of all, in the order in which a rollout asks them: the first of each runner, then the
 * second. Those that manage a host are left out: they are not the ones that take jobs.
 */
export async function listLiveProcesses(
  db: Db,
  org: OrgId,
  { groupId, most }: { readonly groupId: string | undefined; readonly most: number },
): Promise<LiveProcess[]> {
  return db<LiveProcess[]>`
    select p.id, p.runner_id
      from runners r
      join runner_processes p on p.org_id = r.org_id and p.runner_id = r.id
     where r.org_id = ${org} and (${groupId === undefined} or r.runner_group_id = ${groupId ?? null})
       and p.deadline_at is not null and p.type <> 'mng'
     order by row_number() over (partition by p.runner_id order by p.created_at, p.id), p.runner_id
     limit ${most}`;
}

export type NewRollout = {
  readonly id: string;
  readonly groupId: string | undefined;
  readonly type: ShutdownType;
  readonly reason: string;
  readonly maxAtOnce: number;
  readonly includeLast: boolean;
  readonly cutAfterNs: number;
  readonly createdById: string;
};

/** Creates it over these processes; its id, or a word of `create_rollout`. */
export async function insertRollout(
  db: Db,
  org: OrgId,
  rollout: NewRollout,
  targets: readonly (LiveProcess & { readonly shutdownId: string })[],
): Promise<string> {
  const [row] = await db<{ outcome: string }[]>`
    select create_rollout(
      jsonb_populate_record(null::runner_rollouts, ${db.json({
        id: rollout.id,
        org_id: org,
        runner_group_id: rollout.groupId ?? null,
        type: rollout.type,
        reason: rollout.reason,
        max_at_once: rollout.maxAtOnce,
        include_last: rollout.includeLast,
        cut_after: `${rollout.cutAfterNs / 1000} microseconds`,
        created_by_id: rollout.createdById,
      })}),
      ${targets.map((target) => target.runner_id)}::text[],
      ${targets.map(({ id }) => id)}::text[],
      ${targets.map(({ shutdownId }) => shutdownId)}::text[]) as outcome`;
  return row?.outcome ?? "";
}

/** Its processes in their order. Cursors hold instants: here that of so many seconds as the place. */
export async function listRolloutTargets(
  db: Db,
  org: OrgId,
  { rolloutId, status }: { readonly rolloutId: string; readonly status?: string | undefined },
  page: ListRequest,
): Promise<(RolloutTargetRow & { id: string; sort_key: string })[]> {
  return db<(RolloutTargetRow & { id: string; sort_key: string })[]>`
    select g.*, g.process_id as id, (timestamptz 'epoch' + make_interval(secs => g.position))::text as sort_key
      from runner_rollout_targets g
     where g.org_id = ${org} and g.rollout_id = ${rolloutId}
       and (${status === undefined} or g.status = ${status ?? null})
       and g.position > extract(epoch from ${page.after?.sortKey ?? "epoch"}::text::timestamptz)::float8
     order by g.position
     limit ${page.limit} offset ${page.offset}`;
}

/** Calls it off; a word of `cancel_rollout`. */
export async function cancelRolloutRow(
  db: Db,
  org: OrgId,
  id: string,
  actorId: string,
): Promise<string> {
  const [row] = await db<{ outcome: string }[]>`
    select cancel_rollout(${org}, ${id}, ${actorId}) as outcome`;
  return row?.outcome ?? "";
}
