import { z } from "@hono/zod-openapi";
import { runnerJobGroups, runnerJobTypeNames } from "../runner-job-types.ts";
import { type RunnerJobEvent, runnerJobStatuses, runnerJobTransitions } from "../runner-job.ts";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { jobOwner } from "./job-owner.ts";
import { json } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";

const tags = ["Jobs"];
const moves = Object.keys(runnerJobTransitions) as RunnerJobEvent[]; // its own keys
const wait = z.string().max(40).optional().describe("At most and by default 25s.");

/** One move of one job. */
export const jobEventSchema = z
  .object({
    id: z.string().describe("A permanent id of this event."),
    org_id: z.string(),
    runner_job_id: z.string(),
    runner_id: z.string(),
    owner_id: z.string(),
    owner_type: z.string(),
    type: z.enum(runnerJobTypeNames),
    group: z.enum(runnerJobGroups),
    event: z.enum(["enqueue", ...moves]),
    from_status: z.enum(runnerJobStatuses).nullable().describe("Null for `enqueue`."),
    to_status: z.enum(runnerJobStatuses),
    runner_job_execution_id: z.string().nullable(),
    description: z.string(),
    at: z.iso.datetime(),
  })
  .openapi("RunnerJobEvent");
export type JobEvent = z.infer<typeof jobEventSchema>;

export const followJobsRoute = createRoute("followJobs", {
  get: "/v1/job-events",
  rule: { surface: "control-plane", permission: "jobs.read", unmetered: true, ownPermit: true },
  tags,
  summary: "Follow the status changes of all jobs of an org",
  description:
    "Returns each status change once, in order for each job. Without `cursor` it starts now; with an empty `cursor`, at the oldest event that is kept. Continue with `next_cursor`. The request waits while there is nothing new and returns an empty page " +
    "when `wait` is over. An event is returned once no older transaction can still add one before it.",
  query: z.object({
    cursor: z
      .string()
      .max(200)
      .optional()
      .describe("`next_cursor` of the answer before. Default: from now on."),
    wait,
    limit: digits(1, 1000).default(500).describe("How many events an answer has at most."),
    runner_id: z.string().max(64).optional().describe("Only events of jobs of this runner."),
    owner_id: jobOwner.optional().describe("Only events of jobs of this owner."),
  }),
  responses: {
    200: json(
      z.object({ items: z.array(jobEventSchema), next_cursor: z.string() }),
      "The events since the cursor.",
    ),
  },
});

export const waitForJobRoute = createRoute("waitForJob", {
  get: "/v1/runner-jobs/{job_id}/wait",
  rule: { surface: "control-plane", permission: "jobs.read", unmetered: true, ownPermit: true },
  tags,
  summary: "Wait until a job is final",
  description: "Returns the job as soon as it is final, or its current state when `wait` is over.",
  query: z.object({ wait }),
  responses: { 200: json(runnerJobSchema, "The job.") },
});
