import {
  getJobPlanRoute,
  getJobRoute,
  getRunnerJobPlanRoute,
  getRunnerJobRoute,
} from "../../../shared/api/read-runner-jobs.ts";
import type { Broker } from "../../broker.ts";
import { answerLarge } from "../../http/answer-large.ts";
import type { AppContext, Door } from "../../http/app-types.ts";
import { hasVersion } from "../../http/etag.ts";
import { findPlanToSend } from "../../jobs/queries.ts";
import { readJob, requireJob } from "../../jobs/read-job.ts";
import type { JobRow } from "../../jobs/row.ts";

type JobParams = { readonly job_id: string; readonly runner_id?: string };

/** GET of a job and of its plan, by the job's own path and by its runner's. */
export const readJobs: Door = (app, broker) => {
  app.openapi(getJobRoute, async (c) => {
    const row = await ownJob(c, broker, c.req.valid("param"));
    const withPlan = c.req.valid("query").include === "plan";
    return c.json(await readJob(broker, c.get("actor").orgId, row, { withPlan }), 200);
  });
  app.openapi(getRunnerJobRoute, async (c) => {
    const row = await ownJob(c, broker, c.req.valid("param"));
    const withPlan = c.req.valid("query").include === "plan";
    return c.json(await readJob(broker, c.get("actor").orgId, row, { withPlan }), 200);
  });
  app.openapi(getJobPlanRoute, async (c) => {
    const row = await ownJob(c, broker, c.req.valid("param"));
    if (hasVersion(c, 1)) return c.body(null, 304);
    return answerPlan(c, broker, row.id);
  });
  app.openapi(getRunnerJobPlanRoute, async (c) => {
    const row = await ownJob(c, broker, c.req.valid("param"));
    if (hasVersion(c, 1)) return c.body(null, 304);
    return answerPlan(c, broker, row.id);
  });
};

/** A long plan is sent as it is read. */
async function answerPlan(c: AppContext, broker: Broker, jobId: string): Promise<never> {
  const plan = await findPlanToSend(broker, c.get("actor").orgId, jobId);
  const type = "text/plain; charset=UTF-8";
  if (typeof plan === "object") return answerLarge(c, broker, { large: plan, type });
  return c.text(plan ?? "{}", 200) as never; // text, as the contract shows it
}

/** The job of the path; a runner that asks for its own shows by it that it has the execution. */
async function ownJob(
  c: AppContext,
  { db, confirm }: Broker,
  { job_id: jobId, runner_id: pathRunnerId }: JobParams,
): Promise<JobRow> {
  const { orgId, runnerId } = c.get("actor");
  const row = await requireJob(db, orgId, jobId, pathRunnerId ?? runnerId);
  const { status, execution_id: executionId } = row;
  if (runnerId !== null && executionId !== null && status === "in-progress") {
    confirm({ orgId, runnerId, executionId });
  }
  return row;
}
