import { z } from "@hono/zod-openapi";
import { runnerJobTypeNames } from "../runner-job-types.ts";
import { runnerJobStatuses } from "../runner-job.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { instantInput } from "./instant.ts";
import { jobGroupQuery } from "./job-group.ts";
import { jobOwner } from "./job-owner.ts";
import { pageOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { waitingSchema } from "./why-waiting.ts";

const tags = ["Jobs"];
const statusWord = z.enum(runnerJobStatuses);

/** What a list of jobs can be narrowed to; `status` may be given several times. */
export const jobFilterQuery = {
  status: z
    .union([statusWord, z.array(statusWord)])
    .transform((given) => [given].flat())
    .optional(),
  group: jobGroupQuery.optional(),
  type: z.enum(runnerJobTypeNames).optional(),
  owner_id: jobOwner.optional(),
  owner_type: jobOwner.optional(),
  created_after: instantInput.optional(),
  created_before: instantInput.optional(),
};

export const jobParams = z.object({ job_id: idParam("job_id", "job") });
export const runnerJobParams = z.object({
  runner_id: idParam("runner_id", "run"),
  job_id: idParam("job_id", "job"),
});
const jobPage = pageOf(runnerJobSchema);
const includeQuery = z.object({
  include: z
    .enum(["plan"])
    .optional()
    .describe("`plan` shows the plan in the member `json`; it takes the permission `plans.read`."),
});

export const listJobsRoute = createRoute({
  operationId: "listJobs",
  rule: { surface: "control-plane", permission: "jobs.read" },
  method: "get",
  path: "/v1/runner-jobs",
  tags,
  summary: "List the org's jobs",
  description: "Newest first, in all statuses unless `status` narrows them.",
  request: { query: z.object({ ...jobFilterQuery, ...pageQuery }) },
  responses: { 200: json(jobPage, "A page of jobs.") },
});

export const listRunnerJobsRoute = createRoute({
  operationId: "listRunnerJobs",
  rule: { surface: "runner", permission: "jobs.read", unmetered: true },
  method: "get",
  path: "/v1/runners/{runner_id}/jobs",
  tags,
  summary: "List a runner's jobs",
  description:
    "Without `cursor`: an array as runners read it, oldest first, `status` being `available` unless given; available " +
    "jobs are those that can be claimed now. With `cursor` (empty for the first page): pages of jobs, newest first, in " +
    "all statuses unless `status` narrows them.",
  request: {
    params: z.object({ runner_id: idParam("runner_id", "run") }),
    query: z.object({
      ...jobFilterQuery,
      cursor: pageQuery.cursor,
      limit: z.coerce.number().int().min(0).optional().describe("100 at most; 60 unless given."),
      offset: z.coerce.number().int().min(0).max(1_000_000).optional().describe("Without cursor."),
    }),
  },
  responses: { 200: json(z.union([z.array(runnerJobSchema), jobPage]), "Jobs.") },
});

export const getJobRoute = createRoute({
  operationId: "getJob",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  method: "get",
  path: "/v1/runner-jobs/{job_id}",
  tags,
  summary: "Read a job",
  description: "With its history, executions and outputs and, while it waits, the reasons.",
  request: { params: jobParams, query: includeQuery },
  responses: { 200: json(runnerJobSchema, "The job.") },
});

export const getRunnerJobRoute = createRoute({
  operationId: "getRunnerJob",
  rule: { surface: "runner", permission: "jobs.read" },
  method: "get",
  path: "/v1/runners/{runner_id}/jobs/{job_id}",
  tags,
  summary: "Read a runner's job",
  request: { params: runnerJobParams, query: includeQuery },
  responses: { 200: json(runnerJobSchema, "The job.") },
});

const plan = {
  200: {
    description:
      "The plan's JSON as it was enqueued, byte for byte; `{}` when there is none. Who lacks `plans.secrets` gets it without them, and `x-svc-plan: masked`.",
    content: { "text/plain": { schema: z.string() } },
  },
  304: { description: "A plan never changes: the caller has it." },
};

export const getJobPlanRoute = createRoute({
  operationId: "getJobPlan",
  rule: { surface: "runner", permission: "plans.read", ownRunner: true },
  method: "get",
  path: "/v1/runner-jobs/{job_id}/plan",
  tags,
  summary: "Read the plan of a job",
  request: { params: jobParams },
  responses: plan,
});

export const getRunnerJobPlanRoute = createRoute({
  operationId: "getRunnerJobPlan",
  rule: { surface: "runner", permission: "plans.read" },
  method: "get",
  path: "/v1/runners/{runner_id}/jobs/{job_id}/plan",
  tags,
  summary: "Read the plan of a runner's job",
  request: { params: runnerJobParams },
  responses: plan,
});

export const getWaitingRoute = createRoute({
  operationId: "getWaiting",
  rule: { surface: "control-plane", permission: "jobs.read" },
  method: "get",
  path: "/v1/runner-jobs/{job_id}/why",
  tags,
  summary: "Explain why a job waits",
  description:
    "Computed from the same facts that decide releases and claims. A job that does not wait has no reasons.",
  request: { params: jobParams },
  responses: {
    200: json(
      z.object({ runner_job_id: z.string(), status: statusWord, ...waitingSchema.shape }),
      "Why.",
    ),
  },
});
