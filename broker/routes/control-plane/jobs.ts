import {
  cancelJobRoute,
  flushRunnerRoute,
  rerunJobRoute,
} from "../../../shared/api/control-runner-jobs.ts";
import { getWaitingRoute, listJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
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
  app.openapi(listJobsRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit }, filters);
    const actor = c.get("actor");
    const show = showJobTo(actor);
    const rows = await listPage(broker.db, actor.orgId, toJobFilter(filters, actor), page);
    return c.json(
      toPage(c, rows, { limit, filters, toItem: (row) => show(toRunnerJob(row)) }),
      200,
    );
  });
};

/** GET /v1/runner-jobs/{job_id}/why */
export const getWaiting: RegisterRoutes = (app, broker) => {
  app.openapi(getWaitingRoute, async (c) => {
    const { job_id: jobId } = c.req.valid("param");
    return c.json(await readWaiting(broker.db, c.get("actor").orgId, jobId), 200);
  });
};

/** POST /v1/runner-jobs/{job_id}/cancel, …/rerun */
export const actOnJobs: RegisterRoutes = (app, broker) => {
  app.openapi(cancelJobRoute, async (c) => {
    const { orgId, id } = c.get("actor");
    const jobId = c.req.valid("param").job_id;
    await requireCancelRights(broker.db, c.get("actor"), jobId);
    await endJob(broker, orgId, { jobId, event: "cancel", why: `cancelled by ${id}` });
    return c.json(
      showJobTo(c.get("actor"))(toRunnerJob(await requireJob(broker.db, orgId, jobId))),
      202,
    );
  });
  app.openapi(rerunJobRoute, async (c) => {
    const jobId = c.req.valid("param").job_id;
    const key = takeIdempotencyKey(c);
    const made = await enqueueAgain(broker, { jobId, actor: c.get("actor"), key });
    return c.json(showJobTo(c.get("actor"))(toRunnerJob(tellReplay(c, made).job)), 201);
  });
};

/** POST /v1/runners/{runner_id}/flush */
export const flushRunner: RegisterRoutes = (app, broker) => {
  app.openapi(flushRunnerRoute, async (c) => {
    const { orgId, id } = c.get("actor");
    const { runner_id: runnerId } = c.req.valid("param");
    const { group } = c.req.valid("json");
    await requireInstallRunner(broker.db, c.get("actor"), runnerId);
    const flushed = await flushQueues(broker, orgId, { runnerId, group, by: id });
    return c.json({ flushed }, 200);
  });
};
