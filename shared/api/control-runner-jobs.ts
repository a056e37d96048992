import { z } from "@hono/zod-openapi";
import { runnerJobGroups } from "../runner-job-types.ts";
import { runnerJobStatuses } from "../runner-job.ts";
import { createRoute } from "./create-route.ts";
import { cutText, mostStatusDescription } from "./cut-text.ts";
import { json } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";

const tags = ["Jobs"];

export const cancelJobRoute = createRoute("cancelJob", {
  post: "/v1/runner-jobs/{job_id}/cancel",
  rule: { surface: "control-plane", permission: "jobs.cancel" },
  tags,
  summary: "Cancel a job",
  description: "Cancelling a cancelled job answers 202 again. 409 if the job ended in another way.",
  responses: { 202: json(runnerJobSchema, "The cancelled job.") },
});

export const rerunJobRoute = createRoute("rerunJob", {
  post: "/v1/runner-jobs/{job_id}/rerun",
  rule: { surface: "control-plane", permission: "jobs.write", idempotent: "job" },
  tags,
  summary: "Run a job again",
  description:
    "Creates a new job with the same plan, timeouts and owner. Its `rerun_of` names the old job, which does not change, " +
    "whatever its status. Repeating the request with the same `Idempotency-Key` within a day returns the same job.",
  responses: { 201: json(runnerJobSchema, "The new job.") },
});

export const setJobStatusRoute = createRoute("setJobStatus", {
  patch: "/v1/runner-jobs/{job_id}",
  rule: { surface: "runner", permission: "runner.execution", ownRunner: true, ownPermit: true },
  tags,
  summary: "Set a job's status, as its runner",
  description:
    "The present status changes nothing. For a job in progress, a final status ends the current execution with it, and `queued` returns the job before work has started. A job that waits can be made `cancelled` or `not-attempted`. " +
    "409 for any other move.",
  body: z.object({
    status: z.enum(runnerJobStatuses),
    status_description: cutText(mostStatusDescription).optional(),
  }),
  responses: { 200: json(runnerJobSchema, "The job.") },
});

export const flushRunnerRoute = createRoute("flushRunner", {
  post: "/v1/runners/{runner_id}/flush",
  rule: { surface: "control-plane", permission: "jobs.cancel" },
  tags,
  summary: "Remove waiting jobs from a runner's queues",
  description: "Jobs that are queued or available end as `not-attempted`. Running jobs continue.",
  body: z.strictObject({
    group: z.enum(runnerJobGroups).optional().describe("Absent: all groups."),
  }),
  responses: {
    200: json(z.object({ flushed: z.int() }), "Number of jobs that were ended."),
  },
});
