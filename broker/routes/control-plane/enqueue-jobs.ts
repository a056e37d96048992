import { enqueueJobRoute, enqueueJobsRoute } from "../../../shared/api/enqueue-jobs.ts";
import type { Broker } from "../../broker.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { takeIdempotencyKey, tellReplay } from "../../http/gate/idempotency.ts";
import { enqueueJob as enqueueOne } from "../../jobs/enqueue-job.ts";
import { enqueueJobs } from "../../jobs/enqueue-jobs.ts";
import type { NewJob } from "../../jobs/new-job.ts";
import { requireInstallRights } from "../../jobs/require-install-rights.ts";
import { requireOrderRights } from "../../jobs/require-order-rights.ts";
import { showJobTo } from "../../jobs/show-job-to.ts";
import { toNewJob } from "../../jobs/to-new-job.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";
import { LargeText } from "../../seals/large-text.ts";

/** POST /v1/runners/{runner_id}/jobs */
export const enqueueJob: RegisterRoutes = (app, broker) => {
  app.handle(enqueueJobRoute, async ({ c, actor, body }) => {
    const job = toNewJob(body, textAt(c, "#/plan"));
    const asked = await toEnqueue(c, broker, [job]);
    const enqueued = await enqueueOne(broker, { ...asked, job, takesPermit: true });
    return showJobTo(actor)(toRunnerJob(tellReplay(c, enqueued).job));
  });
};

/** POST /v1/runners/{runner_id}/jobs/batch */
export const enqueueJobBatch: RegisterRoutes = (app, broker) => {
  app.handle(enqueueJobsRoute, async ({ c, actor, body }) => {
    const jobs = body.jobs.map((job, at) => toNewJob(job, textAt(c, `#/jobs/${at}/plan`)));
    const enqueued = await enqueueJobs(broker, { ...(await toEnqueue(c, broker, jobs)), jobs });
    const show = showJobTo(actor);
    const made = tellReplay(c, enqueued).rows.map((row) => show(toRunnerJob(row)));
    return { jobs: made };
  });
};

/** The text of a member, as it was sent. */
function textAt(c: AppContext, pointer: string): string | LargeText | undefined {
  return c.get("longTexts").get(pointer) ?? c.get("verbatim").get(pointer);
}

async function toEnqueue(c: AppContext, { db }: Pick<Broker, "db">, jobs: readonly NewJob[]) {
  const actor = c.get("actor");
  requireOrderRights(
    actor,
    jobs.map(({ type }) => type),
  );
  const runnerId = c.req.param("runner_id") ?? "";
  const names = jobs.flatMap(({ planNames = [] }) => planNames);
  await requireInstallRights(db, actor, { runnerId, names });
  const key = takeIdempotencyKey(c);
  return {
    orgId: actor.orgId,
    actorId: actor.id,
    runnerId,
    idempotency:
      key === undefined ? undefined : { key, request: await requestText(runnerId, jobs) },
  };
}

/** What must be the same for a repetition to be one. */
async function requestText(runnerId: string, jobs: readonly NewJob[]): Promise<string> {
  const told = jobs.map(async (job) => ({
    ...job,
    plan: job.plan instanceof LargeText ? (await job.plan.sha256()).toString("hex") : job.plan,
    planNames: undefined,
  }));
  return JSON.stringify([runnerId, await Promise.all(told)]);
}
