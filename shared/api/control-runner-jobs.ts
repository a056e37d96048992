import { z } from "@hono/zod-openapi";
import { runnerJobGroups } from "../runner-job-types.ts";
import { runnerJobStatuses } from "../runner-job.ts";
import { createRoute } from "./create-route.ts";
import { cutText, mostStatusDescription } from "./cut-text.ts";
import { idParam } from "./ids.ts";
import { jobParams } from "./read-runner-jobs.ts";
import { json, jsonBody } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";

const tags = ["Jobs"];

export const cancelJobRoute = createRoute({
  operationId: "cancelJob",
  rule: { surface: "control-plane", permission: "jobs.cancel" },
  method: "post",
  path: "/v1/runner-jobs/{job_id}/cancel",
  tags,
  summary: "Cancel a job",
  description: "A cancelled job stays so: 202 again. 409 for a job that ended otherwise.",
  request: { params: jobParams },
  responses: { 202: json(runnerJobSchema, "The job, which is cancelled.") },
});

export const rerunJobRoute = createRoute({
  operationId: "rerunJob",
  rule: { surface: "control-plane", permission: "jobs.write", idempotent: "job" },
  method: "post",
  path: "/v1/runner-jobs/{job_id}/rerun",
  tags,
  summary: "Enqueue a job once more",
  description:
    "A new job with the same plan, timeouts and owner, whose `rerun_of` names the old one. The old one stays as it is, " +
    "whatever its status. With an `Idempotency-Key`, a repetition within a day answers the first one's job.",
  request: { params: jobParams },
  responses: { 201: json(runnerJobSchema, "The new job.") },
});

export const setJobStatusRoute = createRoute({
  operationId: "setJobStatus",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true, ownPermit: true },
  method: "patch",
  path: "/v1/runner-jobs/{job_id}",
  tags,
  summary: "Move a job, as its runner",
  description:
    "The present status changes nothing. Of a job in progress, a final status ends the current execution so, and " +
    "`queued` gives the job back before work began. A job that waits can be made `cancelled` or `not-attempted`. " +
    "409 for any other move.",
  request: {
    params: jobParams,
    body: jsonBody(
      z.object({
        status: z.enum(runnerJobStatuses),
        status_description: cutText(mostStatusDescription).optional(),
      }),
    ),
  },
  responses: { 200: json(runnerJobSchema, "The job.") },
});

export const flushRunnerRoute = createRoute({
  operationId: "flushRunner",
  rule: { surface: "control-plane", permission: "jobs.cancel" },
  method: "post",
  path: "/v1/runners/{runner_id}/flush",
  tags,
  summary: "End what waits in a runner's queues",
  description: "Jobs that are queued or available become `not-attempted`; running ones go on.",
  request: {
    params: z.object({ runner_id: idParam("runner_id", "run") }),
    body: jsonBody(
      z.strictObject({
        group: z.enum(runnerJobGroups).optional().describe("Absent: all groups."),
      }),
    ),
  },
  responses: {
    200: json(z.object({ flushed: z.int() }), "How many jobs were ended."),
  },
});
