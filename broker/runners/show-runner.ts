import type { Runner } from "../../shared/api/runner.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { listJobs } from "../jobs/list-jobs.ts";
import { isRunner, showJobTo } from "../jobs/show-job-to.ts";
import { toRunnerJob } from "../jobs/to-runner-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findGroupSettings, findRunnerGroup } from "../runner-groups/queries.ts";
import { toRunnerSettings } from "../runner-groups/settings.ts";
import { toGroupMembers } from "../runner-groups/to-group-members.ts";
import { listStatusHistories } from "../status/queries.ts";
import type { Actor } from "../tokens/actor.ts";
import {
  findRunner,
  listRunnerOperations,
  listRunnerQueues,
  summarizeProcesses,
  type LivingRunner,
} from "./queries.ts";
import { toRunnerUpdate } from "./to-runner-update.ts";
import { toRunner } from "./to-runner.ts";
import { listUpdates, listWantedVersions } from "./update-queries.ts";

const shownJobs = 10;
const shownUpdates = 10;
const nothing = { binary_version: "", container_image_url: "", container_image_tag: "" };

type ShowRunner = (row: LivingRunner) => Runner;

/** Loads the queues, processes, operations and histories of these runners; answers what shows each of them. */
export async function prepareToShow(
  db: Db,
  org: OrgId,
  rows: readonly LivingRunner[],
): Promise<ShowRunner> {
  const ids = rows.map(({ id }) => id);
  const [queues, processes, operations, histories, wanted] = await Promise.all([
    listRunnerQueues(db, org, ids),
    summarizeProcesses(db, org, ids),
    listRunnerOperations(db, org, ids),
    listStatusHistories(db, org, ids),
    listWantedVersions(db, org, ids),
  ]);
  const wantedOf = new Map(wanted.map((wish) => [wish.runner_id, wish]));
  const queuesOf = Map.groupBy(queues, (queue) => queue.runner_id);
  const processesOf = new Map(processes.map((summary) => [summary.runner_id, summary]));
  const operationsOf = Map.groupBy(operations, (operation) => operation.runner_id);
  return (row) =>
    toRunner(row, {
      history: histories.get(row.id),
      queues: queuesOf.get(row.id) ?? [],
      operations: operationsOf.get(row.id) ?? [],
      processes: processesOf.get(row.id),
      wanted: wantedOf.get(row.id) ?? nothing,
    });
}

type Asking = Pick<Actor, "orgId" | "runnerId" | "roleType">;

/** One runner with its group, settings and latest jobs; 404 when there is none. */
export async function showRunner(db: Db, actor: Asking, id: string): Promise<Runner> {
  const { orgId: org } = actor;
  const row = await findRunner(db, org, id);
  if (row === undefined) throw problem.notFound("runner");
  const [show, group, settings, rows, updates] = await Promise.all([
    prepareToShow(db, org, [row]),
    findRunnerGroup(db, org, row.runner_group_id),
    findGroupSettings(db, org, row.runner_group_id),
    listJobs(db, org, { runnerId: id }, { after: undefined, limit: shownJobs, offset: 0 }),
    listUpdates(db, org, id, shownUpdates),
  ]);
  if (group === undefined || settings === undefined) {
    throw problem.notFound("runner"); // deleted between the two reads
  }
  const jobs = rows.map((one) => showJobTo(actor)(toRunnerJob(one)));
  const current = jobs.find(({ status }) => status === "in-progress");
  return {
    ...show(row),
    jobs,
    updates: updates.map(toRunnerUpdate),
    ...((current || isRunner(actor)) && { runner_job: current ?? null }),
    runner_group: { ...toGroupMembers(group), settings: toRunnerSettings(settings) },
  };
}
