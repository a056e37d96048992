import type { RunnerGroup } from "../../shared/api/runner.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listRunners } from "../runners/queries.ts";
import { prepareToShow } from "../runners/show-runner.ts";
import { findGroupSettings, findRunnerGroup, listCapacities } from "./queries.ts";
import type { RunnerGroupRow } from "./row.ts";
import { toRunnerSettings } from "./settings.ts";
import { toGroupMembers } from "./to-group-members.ts";

/** One group with its settings and its latest 100 runners; 404 when there is none. */
export async function showRunnerGroup(db: Db, org: OrgId, id: string): Promise<RunnerGroup> {
  const [group, settings, rows] = await Promise.all([
    findRunnerGroup(db, org, id),
    findGroupSettings(db, org, id),
    listRunners(db, org, {
      filters: { runner_group_id: id },
      after: undefined,
      limit: 100,
      offset: 0,
    }),
  ]);
  if (group === undefined || settings === undefined) throw problem.notFound("runner group");
  const show = await prepareToShow(db, org, rows);
  return {
    ...toGroupMembers(group),
    settings: toRunnerSettings(settings),
    runners: rows.map(show),
  };
}

/** Groups as a list shows them: each with the capacity of its runners. */
export async function prepareToList(
  db: Db,
  org: OrgId,
  rows: readonly RunnerGroupRow[],
): Promise<(row: RunnerGroupRow) => RunnerGroup> {
  const found = await listCapacities(
    db,
    org,
    rows.map(({ id }) => id),
  );
  const byId = new Map(found.map(({ id, ...capacity }) => [id, capacity]));
  const none = { runners: 0, slots: 0, in_use: 0, waiting: 0 };
  return (row) => ({ ...toGroupMembers(row), capacity: byId.get(row.id) ?? none });
}
