import { getJobSourceRoute } from "../../../shared/api/get-job-source.ts";
import {
  getCompositePlanRoute,
  getJobPlanRoute,
  getJobRoute,
  getRunnerJobPlanRoute,
  getRunnerJobRoute,
} from "../../../shared/api/read-runner-jobs.ts";
import { processSecretHeader } from "../../../shared/api/runner-process.ts";
import { planMemberFor } from "../../../shared/plans/plan-member-for.ts";
import type { Broker } from "../../broker.ts";
import { readSourcePart } from "../../config-sources/read-source-part.ts";
import { answerFinished } from "../../http/answer/answer-finished.ts";
import { answerJson } from "../../http/answer/answer-json.ts";
import { answerLarge, answerText } from "../../http/answer/answer-large.ts";
import { answer } from "../../http/answer/answer.ts";
import { hasVersion } from "../../http/answer/etag.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { tellSecrets } from "../../http/gate/audit-gate.ts";
import { requirePermission } from "../../http/gate/authorize.ts";
import { requestHeader } from "../../http/gate/request-header.ts";
import { requireOwnPlan } from "../../jobs/guard-plans.ts";
import { findPlanToSend } from "../../jobs/queries.ts";
import { readJob, requireJob } from "../../jobs/read-job.ts";
import type { JobRow } from "../../jobs/row.ts";
import { isRunner, showJobTo } from "../../jobs/show-job-to.ts";
import {
  seesMaskedPlans,
  showLargePlan,
  showPlan,
  showRenderedPlan,
} from "../../jobs/show-plan.ts";
import { JsonPlaceholders } from "../../seals/json-placeholders.ts";

type JobParams = { readonly job_id: string; readonly runner_id?: string };

/** GET of a job, of its plan and of what it builds from, by the job's own path and by its runner's. */
export const readJobs: RegisterRoutes = (app, broker) => {
  app.handle(getJobRoute, async ({ c, params, query }) => {
    const row = await ownJob(c, broker, params);
    return readFor(c, broker, row, query.include === "plan");
  });
  app.handle(getRunnerJobRoute, async ({ c, params, query }) => {
    const row = await ownJob(c, broker, params);
    return readFor(c, broker, row, query.include === "plan");
  });
  app.handle(getJobPlanRoute, async ({ c, params }) => {
    const row = await ownJob(c, broker, params);
    await requireOwn(c, broker, row);
    return hasPlan(c) ? answer(304) : answerPlan(c, broker, row);
  });
  app.handle(getCompositePlanRoute, async ({ c, params }) => {
    const row = await ownJob(c, broker, params);
    await requireOwn(c, broker, row);
    return hasPlan(c) ? answer(304) : answerCompositePlan(c, broker, row);
  });
  app.handle(getRunnerJobPlanRoute, async ({ c, params }) => {
    const row = await ownJob(c, broker, params);
    await requireOwn(c, broker, row);
    return hasPlan(c) ? answer(304) : answerPlan(c, broker, row);
  });
  app.handle(getJobSourceRoute, async ({ c, orgId, params, query: { part = 0 } }) => {
    const job = await ownJob(c, broker, params);
    await requireOwn(c, broker, job);
    tellSecrets(c);
    return await readSourcePart(broker, orgId, { job, part });
  });
};

async function readFor(c: AppContext, broker: Broker, row: JobRow, withPlan: boolean) {
  const actor = c.get("actor");
  if (withPlan) {
    requirePermission(actor, "plans.read");
    await requireOwn(c, broker, row);
    if (!seesMaskedPlans(actor)) tellSecrets(c);
  }
  const withProgress = actor.runnerId === null; // runners ask often, and know
  const placeholders = new JsonPlaceholders();
  const withRole = !isRunner(actor);
  const asked = { planFor: withPlan ? actor : undefined, withProgress, withRole };
  const value = await readJob({ ...broker, placeholders }, actor.orgId, row, asked);
  return answerJson(c, broker, { value: showJobTo(actor)(value), placeholders });
}

/** A plan never changes; the masked one has another ETag. */
function hasPlan(c: AppContext): boolean {
  const isMasked = seesMaskedPlans(c.get("actor"));
  if (isMasked) setHeader(c, "x-svc-plan", "masked");
  return hasVersion(c, isMasked ? 2 : 1);
}

/** A long plan is sent as it is read; a masked one is made in another process, when there is memory for it. */
async function answerPlan(c: AppContext, broker: Broker, row: JobRow): Promise<never> {
  const actor = c.get("actor");
  if (!seesMaskedPlans(actor)) tellSecrets(c);
  const rendered = await showRenderedPlan(broker, actor, row);
  const type = "text/plain; charset=UTF-8";
  if (rendered !== undefined) return answerFinished(c, broker, [rendered], { type });
  const plan = await findPlanToSend(broker, actor.orgId, row.id);
  if (typeof plan !== "object") return c.text(showPlan(actor, row, plan ?? "{}"), 200) as never; // text, as the contract shows it
  if (!seesMaskedPlans(actor)) return answerLarge(c, broker, { large: plan, type });
  const text = await showLargePlan(broker, actor, {
    orgId: actor.orgId,
    type: row.type,
    large: plan,
  });
  return answerText(c, broker, { text, type });
}

/** The same plan as the value of one member, its text as it is. */
async function answerCompositePlan(c: AppContext, broker: Broker, row: JobRow): Promise<never> {
  const actor = c.get("actor");
  const plan = await findPlanToSend(broker, actor.orgId, row.id);
  const member = planMemberFor(row.type);
  if (plan === undefined || member === undefined) return answerFinished(c, broker, ["{}"]);
  if (!seesMaskedPlans(actor)) tellSecrets(c);
  const [before, after] = [`{"${member}":`, "}"];
  const rendered = await showRenderedPlan(broker, actor, row);
  if (rendered !== undefined) return answerFinished(c, broker, [before, rendered, after]);
  if (typeof plan !== "object")
    return answerFinished(c, broker, [before, showPlan(actor, row, plan), after]);
  const shown = { orgId: actor.orgId, type: row.type, large: plan };
  const { pieces, heldBytes = 0 } = await showLargePlan(broker, actor, shown);
  async function* around(): AsyncGenerator<Buffer> {
    yield Buffer.from(before);
    yield* pieces();
    yield Buffer.from(after);
  }
  return answerText(c, broker, { text: { pieces: around, heldBytes }, type: "application/json" });
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

/** A runner's token alone does not read what a process of ours holds. */
async function requireOwn(c: AppContext, { db }: Broker, row: JobRow): Promise<void> {
  const processSecret = requestHeader(c, processSecretHeader);
  await requireOwnPlan(db, { ...c.get("actor"), processSecret }, row);
}
