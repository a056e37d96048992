import {
  cancelJobRoute,
  flushRunnerRoute,
  rerunJobRoute,
} from "../../../shared/api/control-runner-jobs.ts";
import { getWaitingRoute, listJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { takeIdempotencyKey, tellReplay } from "../../http/gate/idempotency.ts";
import { endJob } from "../../jobs/end-job.ts";
import { flushRunner as flushQueues } from "../../jobs/flush-runner.ts";
import { toJobFilter } from "../../jobs/job-filter.ts";
import { listJobs as listPage } from "../../jobs/list-jobs.ts";
import { requireJob } from "../../jobs/read-job.ts";
import { readWaiting } from "../../jobs/read-waiting.ts";
import { requireCancelRights } from "../../jobs/require-cancel-rights.ts";
import { requireInstallRunner } from "../../jobs/require-install-rights.ts";
import { rerunJob as enqueueAgain } from "../../jobs/rerun-job.ts";
import { showJobTo } from "../../jobs/show-job-to.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** GET /v1/runner-jobs */
export const listJobs: RegisterRoutes = (app, broker) => {
  app.handle(listJobsRoute, async ({ c, actor, query }) => {
    const [page, filters] = splitQuery(query);
    const show = showJobTo(actor);
    const filter = toJobFilter(filters, actor);
    return await answerList(c, page, {
      filters,
      read: (request) => listPage(broker.db, actor.orgId, filter, request),
      toItem: (row) => show(toRunnerJob(row)),
    });
  });
};

/** GET /v1/runner-jobs/{job_id}/why */
export const getWaiting: RegisterRoutes = (app, broker) => {
  app.handle(
    getWaitingRoute,
    async ({ orgId, params: { job_id: jobId } }) => await readWaiting(broker.db, orgId, jobId),
  );
};

/** POST /v1/runner-jobs/{job_id}/cancel, …/rerun */
export const actOnJobs: RegisterRoutes = (app, broker) => {
  app.handle(cancelJobRoute, async ({ actor, params }) => {
    const { orgId, id } = actor;
    const jobId = params.job_id;
    await requireCancelRights(broker.db, actor, jobId);
    await endJob(broker, orgId, { jobId, event: "cancel", why: `cancelled by ${id}` });
    return showJobTo(actor)(toRunnerJob(await requireJob(broker.db, orgId, jobId)));
  });
  app.handle(rerunJobRoute, async ({ c, actor, params }) => {
    const jobId = params.job_id;
    const key = takeIdempotencyKey(c);
    const made = await enqueueAgain(broker, { jobId, actor, key });
    return showJobTo(actor)(toRunnerJob(tellReplay(c, made).job));
  });
};

/** POST /v1/runners/{runner_id}/flush */
export const flushRunner: RegisterRoutes = (app, broker) => {
  app.handle(
    flushRunnerRoute,
    async ({ actor, params: { runner_id: runnerId }, body: { group } }) => {
      const { orgId, id } = actor;
      await requireInstallRunner(broker.db, actor, runnerId);
      const flushed = await flushQueues(broker, orgId, { runnerId, group, by: id });
      return { flushed };
    },
  );
};
