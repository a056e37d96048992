import { hash } from "node:crypto";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import type { JobRow } from "./row.ts";

/** A caller, and the secret of a process by which it may be more than its token says. */
export type PlanReader = Pick<Actor, "orgId" | "runnerId" | "executionId"> & {
  readonly processSecret?: string | undefined;
};

type HoldRow = { is_bound: boolean };

/**
 * Refuses a job's plan to a caller with only a runner's token when processes of that runner bind their plans:
 * the plan of a job that one of them has or had needs the execution's own token or that process's secret; the plan of a
 * job that is not claimed yet is refused. For other callers only permissions count.
 */
export async function requireOwnPlan(
  db: Db,
  reader: PlanReader,
  job: Pick<JobRow, "runner_id" | "execution_id">,
): Promise<void> {
  const { orgId, runnerId, executionId } = reader;
  if (runnerId === null || (executionId !== null && executionId === job.execution_id)) return;
  if (executionId !== null) throw notItsOwn();
  const [hold] =
    job.execution_id === null
      ? await db<HoldRow[]>`select is_bound(${job.runner_id}) as is_bound`
      : await db<HoldRow[]>`
          select not is_open_to_runner(e.is_ours, e.process_id, ${secretDigest(reader)}) as is_bound
            from runner_job_executions e
           where e.org_id = ${orgId} and e.id = ${job.execution_id}`;
  if (hold?.is_bound === true) throw notItsOwn();
}

/** Refuses a claim by id when all live processes of the runner bind their plans. */
export async function requireClaimByName(
  db: Db,
  { runnerId }: Pick<Actor, "runnerId">,
): Promise<void> {
  if (runnerId === null) return;
  const [hold] = await db<HoldRow[]>`select is_bound(${runnerId}) as is_bound`;
  if (hold?.is_bound !== true) return;
  throw problem.forbidden(
    "claims_bound",
    "All live processes of this runner claim jobs with POST /v1/runners/{runner_id}/jobs/claim, so jobs cannot be claimed by id. Register a process first.",
  );
}

/** The stored digest of a secret; without a secret, a digest that no process has. */
export function secretDigest({ processSecret }: Pick<PlanReader, "processSecret">): Buffer {
  return hash("sha256", processSecret ?? "", "buffer");
}

const notItsOwn = (): Error =>
  problem.forbidden(
    "plan_bound",
    "The plan is bound to the process that runs the job. Use the execution's own token, or send the process's secret in the header Svc-Process-Secret.",
  );
