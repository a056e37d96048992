import { z } from "@hono/zod-openapi";
import { isFinal, runnerJobStatuses } from "../runner-job.ts";
import { createRoute } from "./create-route.ts";
import { jobFilterQuery, jobListQuery } from "./read-runner-jobs.ts";
import { json } from "./response.ts";

const tags = ["Jobs"];

/** What one request cancels, or counts, at most. */
export const mostCancelled = 1_000;
export const mostCounted = 10_000;
/** Each of these is a job enqueued by itself. */
export const mostRerun = 100;

export const openStatuses = runnerJobStatuses.filter((status) => !isFinal(status));
export const finalStatuses = runnerJobStatuses.filter(isFinal);

const { status: _, ...sameFilters } = jobFilterQuery;
const openWord = z.enum(openStatuses).openapi("OpenRunnerJobStatus");
const finalWord = z.enum(finalStatuses).openapi("FinalRunnerJobStatus");
const matching = (word: typeof openWord) => {
  return {
    ...sameFilters,
    status: z
      .union([word, z.array(word).min(1)])
      .transform((given) => [given].flat())
      .optional(),
    runner_id: jobListQuery.runner_id,
    all: z
      .literal(true)
      .optional()
      .describe("Required to act on every job, which is when no filter is given."),
  };
};

export const countJobsRoute = createRoute("countJobs", {
  get: "/v1/runner-jobs/count",
  rule: { surface: "control-plane", permission: "jobs.read", bound: true },
  tags,
  summary: "Count the org's jobs",
  description: "With the filters of the list. Counts no further than 10,000.",
  query: z.object(jobListQuery),
  responses: {
    200: json(
      z.object({
        count: z.int(),
        has_more: z.boolean().describe("There are more than counted."),
        counted_at: z.iso
          .datetime()
          .describe("Sent as `created_before`, it leaves out what is enqueued later."),
      }),
      "How many.",
    ),
  },
});

export const cancelJobsRoute = createRoute("cancelJobs", {
  post: "/v1/runner-jobs/cancel",
  rule: { surface: "control-plane", permission: "jobs.cancel", bound: true },
  tags,
  summary: "Cancel all jobs that match",
  description:
    "Takes the filters of the list, at least one, or `all`. Open jobs end as `cancelled`; those in progress are asked to stop. " +
    "A job whose status has changed by then is not cancelled, nor is a job of a workflow unless the caller has `installs.operate`. This cannot be undone: a cancelled job can only be run again.",
  body: z.strictObject({
    ...matching(openWord),
    limit: z.int().min(1).max(mostCancelled).default(mostCancelled),
  }),
  responses: {
    200: json(
      z.object({
        cancelled: z.int(),
        told_to_stop: z.int().describe("Of these, how many were in progress."),
        has_more: z.boolean().describe("Others match: repeat the request."),
      }),
      "How many were cancelled.",
    ),
  },
});

export const rerunJobsRoute = createRoute("rerunJobs", {
  post: "/v1/runner-jobs/rerun",
  rule: { surface: "control-plane", permission: "jobs.write", idempotent: "job", bound: true },
  tags,
  summary: "Run all ended jobs that match again",
  description:
    "Takes the filters of the list, at least one, or `all`. Enqueues each again for the same runner, from the newest to the oldest. The old jobs do not change, so they still match. Repeating the request with the same `Idempotency-Key` " +
    "within a day makes no job twice.",
  body: z.strictObject({
    ...matching(finalWord),
    limit: z.int().min(1).max(mostRerun).default(mostRerun),
    cursor: z
      .string()
      .regex(/^job_\w{26}$/, "Must be `next_cursor` of an answer of this route.")
      .optional()
      .describe("`next_cursor` of the previous answer: continue from there."),
  }),
  responses: {
    200: json(
      z.object({
        enqueued: z.int(),
        refused: z
          .array(z.object({ runner_job_id: z.string(), code: z.string(), detail: z.string() }))
          .describe("Jobs that could not be enqueued again, and why."),
        next_cursor: z.string().nullable().describe("Others match; null when there are none."),
      }),
      "How many were enqueued.",
    ),
  },
});
