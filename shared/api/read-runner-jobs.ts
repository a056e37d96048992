import { z } from "@hono/zod-openapi";
import { planMembers } from "../plans/plan-member-for.ts";
import { runnerJobTypeNames } from "../runner-job-types.ts";
import { runnerJobStatuses } from "../runner-job.ts";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { idParam } from "./id-param.ts";
import { instantInput } from "./instant.ts";
import { jobGroupQuery } from "./job-group.ts";
import { jobOwner } from "./job-owner.ts";
import { mostOffset, pageOf, pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { someWords } from "./some-words.ts";
import { waitingSchema } from "./why-waiting.ts";

const tags = ["Jobs"];
const statusWord = z.enum(runnerJobStatuses).openapi("RunnerJobStatus");

/** What a list of jobs can be narrowed to; `status` may be given several times. */
export const jobFilterQuery = {
  status: z
    .union([statusWord, z.array(statusWord)])
    .transform((given) => [given].flat())
    .optional()
    .describe("Only jobs in this status; it may be given several times."),
  group: jobGroupQuery.optional().describe("Only jobs of this job group."),
  type: z.enum(runnerJobTypeNames).optional().describe("Only jobs of this type."),
  owner_id: jobOwner.optional().describe("Only jobs of this owner."),
  owner_type: jobOwner.optional().describe("Only jobs of owners of this type."),
  created_after: instantInput.optional().describe("Only jobs enqueued after this instant."),
  created_before: instantInput.optional().describe("Only jobs enqueued before this instant."),
};

/** The same of lists of jobs, as other clients say it. */
const jobsQuery = {
  ...jobFilterQuery,
  statuses: someWords("Only jobs in these statuses"),
  groups: someWords("Only jobs of these job groups"),
  executor: z.string().optional().describe("Only jobs of this `executor`, which none has."),
};

/** The same of the org's whole list. */
export const jobListQuery = {
  ...jobFilterQuery,
  runner_id: z.string().max(100).optional().describe("Only jobs of this runner."),
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

export const listJobsRoute = createRoute("listJobs", {
  get: "/v1/runner-jobs",
  rule: { surface: "control-plane", permission: "jobs.read", bound: true },
  tags,
  summary: "List the org's jobs",
  description: "Newest first, in all statuses unless `status` narrows them.",
  query: z.object({ ...jobsQuery, ...jobListQuery, ...pageQuery }),
  responses: { 200: json(pageOrArrayOf(runnerJobSchema), "A page of jobs.") },
});

export const listRunnerJobsRoute = createRoute("listRunnerJobs", {
  get: "/v1/runners/{runner_id}/jobs",
  rule: { surface: "runner", permission: "jobs.read", unmetered: true },
  tags,
  summary: "List a runner's jobs",
  description:
    "Without `cursor`: an array as runners read it, oldest first, `status` being `available` unless given; available " +
    "jobs are those that can be claimed now. With `cursor` (empty for the first page): pages of jobs, newest first, in " +
    "all statuses unless `status` narrows them.",
  query: z.object({
    ...jobsQuery,
    cursor: pageQuery.cursor,
    limit: digits(0).optional().describe("100 at most; 60 unless given."),
    offset: digits(0, mostOffset).optional().describe("Without cursor."),
    page: pageQuery.page.describe("Which part of `limit` jobs, from 0. Without cursor."),
  }),
  responses: { 200: json(z.union([z.array(runnerJobSchema), jobPage]), "Jobs.") },
});

export const getJobRoute = createRoute("getJob", {
  get: "/v1/runner-jobs/{job_id}",
  rule: { surface: "runner", permission: "jobs.read", ownRunner: true },
  tags,
  summary: "Read a job",
  description: "With its history, executions and outputs and, while it waits, the reasons.",
  query: includeQuery,
  responses: { 200: json(runnerJobSchema, "The job.") },
});

export const getRunnerJobRoute = createRoute("getRunnerJob", {
  get: "/v1/runners/{runner_id}/jobs/{job_id}",
  rule: { surface: "runner", permission: "jobs.read" },
  tags,
  summary: "Read a runner's job",
  query: includeQuery,
  responses: { 200: json(runnerJobSchema, "The job.") },
});

const plan = {
  200: {
    description:
      "The plan's JSON as it was enqueued, byte for byte; `{}` when there is none. Without the permission `plans.secrets`, secrets are left out and the header says `x-svc-plan: masked`.",
    content: { "text/plain": { schema: z.string() } },
  },
  304: { description: "A plan never changes: the caller has it." },
};

export const getJobPlanRoute = createRoute("getJobPlan", {
  get: "/v1/runner-jobs/{job_id}/plan",
  rule: { surface: "runner", permission: "plans.read", ownRunner: true },
  tags,
  summary: "Read the plan of a job",
  responses: plan,
});

const compositePlanSchema = z
  .object(
    Object.fromEntries(
      planMembers.map((member) => [member, z.record(z.string(), z.unknown()).optional()]),
    ),
  )
  .openapi("CompositePlan");

export const getCompositePlanRoute = createRoute("getCompositePlan", {
  get: "/v1/runner-jobs/{job_id}/composite-plan",
  rule: { surface: "runner", permission: "plans.read", ownRunner: true },
  tags,
  summary: "Read the plan of a job under the name of its kind",
  description:
    "The same plan as `/plan`, with the same secrets left out, under the one member that says its kind. Without a member where the job has no plan, or its type's plan may be any object.",
  responses: {
    200: json(compositePlanSchema, "The plan, as the value of one member."),
    304: plan[304],
  },
});

export const getRunnerJobPlanRoute = createRoute("getRunnerJobPlan", {
  get: "/v1/runners/{runner_id}/jobs/{job_id}/plan",
  rule: { surface: "runner", permission: "plans.read" },
  tags,
  summary: "Read the plan of a runner's job",
  responses: plan,
});

export const getWaitingRoute = createRoute("getWaiting", {
  get: "/v1/runner-jobs/{job_id}/why",
  rule: { surface: "control-plane", permission: "jobs.read" },
  tags,
  summary: "Explain why a job waits",
  description:
    "Computed from the same facts that decide releases and claims. A job that does not wait has no reasons.",
  responses: {
    200: json(
      z.object({ runner_job_id: z.string(), status: statusWord, ...waitingSchema.shape }),
      "Why.",
    ),
  },
});
