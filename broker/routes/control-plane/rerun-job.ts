import { rerunJobRoute } from "../../../shared/api/control-runner-jobs.ts";
import type { Door } from "../../http/app-types.ts";
import { takeIdempotencyKey } from "../../http/idempotency.ts";
import { setHeader } from "../../http/response-headers.ts";
import { rerunJob as enqueueAgain } from "../../jobs/rerun-job.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** POST /v1/runner-jobs/{job_id}/rerun */
export const rerunJob: Door = (app, broker) => {
  app.openapi(rerunJobRoute, async (c) => {
    const { orgId, id } = c.get("actor");
    const jobId = c.req.valid("param").job_id;
    const key = takeIdempotencyKey(c);
    const { job, isReplay } = await enqueueAgain(broker, orgId, { jobId, actorId: id, key });
    if (isReplay) setHeader(c, "idempotency-replayed", "true");
    return c.json(toRunnerJob(job), 201);
  });
};
