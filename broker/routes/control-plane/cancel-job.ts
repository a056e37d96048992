import { cancelJobRoute } from "../../../shared/api/control-runner-jobs.ts";
import type { Door } from "../../http/app-types.ts";
import { endJob } from "../../jobs/end-job.ts";
import { requireJob } from "../../jobs/read-job.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** POST /v1/runner-jobs/{job_id}/cancel */
export const cancelJob: Door = (app, broker) => {
  app.openapi(cancelJobRoute, async (c) => {
    const { orgId, id } = c.get("actor");
    const jobId = c.req.valid("param").job_id;
    await endJob(broker, orgId, { jobId, event: "cancel", why: `cancelled by ${id}` });
    return c.json(toRunnerJob(await requireJob(broker.db, orgId, jobId)), 202);
  });
};
