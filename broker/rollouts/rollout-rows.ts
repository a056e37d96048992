import { rollouts } from "../../shared/api/rollouts.ts";
import type { RowOf } from "../../shared/resources/members.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Rollouts, each with the counts of its processes. */
export const rolloutRows = rowsOf(rollouts, {
  from: ["runner_rollouts r", "r"],
  newestBy: "created_at",
  besides: {
    deadline: "(extract(epoch from r.cut_after) * 1e9)::float8",
    counts: `
      (select jsonb_build_object('waiting', count(*) filter (where g.status = 'waiting'),
                                 'ordered', count(*) filter (where g.status = 'ordered'),
                                 'done', count(*) filter (where g.status = 'done'),
                                 'skipped', count(*) filter (where g.status = 'skipped'),
                                 'failed', count(*) filter (where g.status = 'failed'))
         from runner_rollout_targets g where g.rollout_id = r.id)`,
  },
});
export type RolloutRow = RowOf<typeof rollouts.members>;

/** The rollout. */
export const findRollout = (db: Db, org: OrgId, id: string): Promise<RolloutRow | undefined> =>
  rolloutRows.find(db, org, { rollout_id: id });
