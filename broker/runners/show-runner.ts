import type { Runner } from "../../shared/api/runner.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { listJobs } from "../jobs/list-jobs.ts";
import { toRunnerJob } from "../jobs/to-runner-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findGroupSettings, findRunnerGroup } from "../runner-groups/queries.ts";
import { toRunnerSettings } from "../runner-groups/settings.ts";
import { toGroupMembers } from "../runner-groups/to-group-members.ts";
import { listStatusHistories } from "../status/queries.ts";
import {
  findRunner,
  listRunnerOperations,
  listRunnerQueues,
  type LivingRunner,
} from "./queries.ts";
import { toRunner } from "./to-runner.ts";

const shownJobs = 10;

type ShowRunner = (row: LivingRunner) => Runner;

/** Loads the queues, operations and histories of these runners; answers what shows each of them. */
export async function prepareToShow(
  db: Db,
  org: OrgId,
  rows: readonly LivingRunner[],
): Promise<ShowRunner> {
  const ids = rows.map(({ id }) => id);
  const [queues, operations, histories] = await Promise.all([
    listRunnerQueues(db, org, ids),
    listRunnerOperations(db, org, ids),
    listStatusHistories(db, org, ids),
  ]);
  const queuesOf = Map.groupBy(queues, (queue) => queue.runner_id);
  const operationsOf = Map.groupBy(operations, (operation) => operation.runner_id);
  return (row) =>
    toRunner(row, {
      history: histories.get(row.id),
      queues: queuesOf.get(row.id) ?? [],
      operations: operationsOf.get(row.id) ?? [],
    });
}

/** One runner with its group, settings and latest jobs; 404 when there is none. */
export async function showRunner(db: Db, org: OrgId, id: string): Promise<Runner> {
  const row = await findRunner(db, org, id);
  if (row === undefined) throw problem.notFound("runner");
  const [show, group, settings, rows] = await Promise.all([
    prepareToShow(db, org, [row]),
    findRunnerGroup(db, org, row.runner_group_id),
    findGroupSettings(db, org, row.runner_group_id),
    listJobs(db, org, { runnerId: id }, { after: undefined, limit: shownJobs }),
  ]);
  if (group === undefined || settings === undefined) {
    throw problem.notFound("runner"); // deleted between the two reads
  }
  const jobs = rows.slice(0, shownJobs).map(toRunnerJob);
  return {
    ...show(row),
    jobs,
    runner_job: jobs.find(({ status }) => status === "in-progress") ?? null,
    runner_group: { ...toGroupMembers(group), settings: toRunnerSettings(settings) },
  };
}
