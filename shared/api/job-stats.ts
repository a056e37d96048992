import { z } from "@hono/zod-openapi";
import { runnerJobGroups, runnerJobTypeNames } from "../runner-job-types.ts";
import { statsSteps } from "../stats-steps.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { instantInput } from "./instant.ts";
import { json } from "./response.ts";
import { asOf } from "./stats-overview.ts";

const instant = z.iso.datetime();
const count = z.int();
const counts = z.array(count.nullable());
const means = z.array(z.number().nullable());
const durations = z.array(z.int().nullable()).describe("Nanoseconds.");

const jobStatsSchema = z
  .object({
    as_of: asOf,
    from: instant,
    to: instant,
    step: z.int().describe("Nanoseconds from point to point."),
    at: z.array(instant).describe("When each point starts. All arrays have this length."),
    moves: z
      .object({
        enqueued: counts,
        finished: counts,
        failed: counts,
        timed_out: counts,
        not_attempted: counts,
        cancelled: counts,
      })
      .describe("How many jobs; null where no broker ran."),
    queue_time: z
      .object({ p50: durations, p95: durations, max: durations })
      .describe(
        "From the enqueue to the first claim, of the jobs that were claimed then. null: none was.",
      ),
    run_time: z
      .object({ p50: durations, p95: durations, max: durations })
      .describe("From the first claim to the end, of the jobs that ended then. null: none did."),
    queues: z
      .object({
        waiting: means,
        in_progress: means,
        slots_in_use: means,
        capacity: means,
        oldest_waiting: durations.describe("Nanoseconds; the age of the oldest waiting job."),
      })
      .describe("Means of samples, one a minute. null where no broker ran, and for one `type`."),
    types: z
      .array(
        z.object({
          type: z.string().describe("`other` adds up those beyond a hundred labels a day."),
          ended: counts,
          run_p50: durations,
          run_p95: durations,
        }),
      )
      .describe("Of each job type that was seen."),
  })
  .openapi("JobStats");
export type JobStats = z.infer<typeof jobStatsSchema>;

export const getJobStatsRoute = createRoute("getJobStats", {
  get: "/v1/stats/jobs",
  rule: { surface: "operator", permission: "jobs.read" },
  tags: ["Stats"],
  summary: "Read throughput, latencies and depth over time",
  description:
    "At most 500 points. Figures are kept by the minute for two days, by five minutes for two weeks, by the hour for 90 days and by the " +
    "day for three years (settings of the broker). Percentiles are computed from buckets and are at most 19 % off.",
  query: z.object({
    from: instantInput.optional().describe("Default: a day before `to`."),
    to: instantInput.optional().describe("Default: now."),
    step: z
      .enum(statsSteps)
      .optional()
      .describe("From point to point. Default: the shortest that gives 300 points at most."),
    group: z.enum(runnerJobGroups).optional().describe("Only jobs of this job group."),
    type: z.enum(runnerJobTypeNames).optional().describe("Only jobs of this type."),
    runner_group_id: idParam("runner_group_id", "rgr")
      .optional()
      .openapi({ param: { name: "runner_group_id", in: "query" } })
      .describe(
        "One of the first ten runner groups of the org; only these have figures of their own.",
      ),
  }),
  responses: { 200: json(jobStatsSchema, "The points.") },
});
