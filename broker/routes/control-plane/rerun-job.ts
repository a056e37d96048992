import { rerunJobRoute } from "../../../shared/api/control-runner-jobs.ts";
import type { Door } from "../../http/app-types.ts";
import { takeIdempotencyKey, tellReplay } from "../../http/gate/idempotency.ts";
import { rerunJob as enqueueAgain } from "../../jobs/rerun-job.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** POST /v1/runner-jobs/{job_id}/rerun */
export const rerunJob: Door = (app, broker) => {
  app.openapi(rerunJobRoute, async (c) => {
    const jobId = c.req.valid("param").job_id;
    const key = takeIdempotencyKey(c);
    const made = await enqueueAgain(broker, { jobId, actor: c.get("actor"), key });
    return c.json(toRunnerJob(tellReplay(c, made).job), 201);
  });
};
