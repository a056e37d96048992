import { setJobStatusRoute } from "../../../shared/api/control-runner-jobs.ts";
import type { Door } from "../../http/app-types.ts";
import { setJobStatus as moveJob } from "../../jobs/set-job-status.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** PATCH /v1/runner-jobs/{job_id} */
export const setJobStatus: Door = (app, broker) => {
  app.openapi(setJobStatusRoute, async (c) => {
    const { status, status_description: description } = c.req.valid("json");
    const jobId = c.req.valid("param").job_id;
    const job = await moveJob(broker, c.get("actor"), { jobId, status, description });
    return c.json(toRunnerJob(job), 200);
  });
};
