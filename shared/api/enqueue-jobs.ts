import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import { mostEntries } from "../most-entries.ts";
import { checkPlan } from "../plans/check-plan.ts";
import { runnerJobGroups, runnerJobOperations, runnerJobTypeNames } from "../runner-job-types.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { jobOwner } from "./job-owner.ts";
import { json } from "./response.ts";
import { runnerJobSchema } from "./runner-job.ts";

const longestNs = 30 * 86_400 * secondNs;
const timeout = durationInput({ minNs: 0, maxNs: longestNs })
  .refine((ns) => ns === 0 || ns >= secondNs, {
    params: { code: "invalid_duration" },
    message: 'Give 0 for the default, or 1s to 30d, in nanoseconds or as text like "15m".',
  })
  .openapi({ type: "integer", description: "Nanoseconds, or text like `15m`; 0: the default." })
  .optional();
const maxMetadata = 100;
const mostExecutions = 100;
const mostJobs = 1_000;

/** A job as a control plane asks for it. Absent timeouts, or 0, are the defaults of its type. */
export const newRunnerJobSchema = z
  .strictObject({
    type: z.enum(runnerJobTypeNames),
    operation: z.enum(runnerJobOperations).optional().describe("Absent: exec."),
    group: z.enum(runnerJobGroups).optional().describe("Absent: the group of its type."),
    owner_id: jobOwner.optional(),
    owner_type: jobOwner.optional(),
    plan: z
      .record(z.string(), z.unknown())
      .nullish()
      .describe("The runner receives it byte for byte."),
    metadata: z
      .record(z.string().min(1).max(256), z.string().max(4096))
      .check(mostEntries(maxMetadata, `At most ${maxMetadata} entries are allowed.`))
      .optional(),
    queue_timeout: timeout,
    available_timeout: timeout,
    execution_timeout: timeout,
    overall_timeout: timeout,
    max_executions: z.int().min(0).max(mostExecutions).optional().describe("Absent or 0: one."),
  })
  .superRefine(({ type, plan }, ctx) => {
    for (const { path, code, message } of checkPlan(type, plan ?? {})) {
      ctx.addIssue({ code: "custom", path: ["plan", ...path], message, params: { code } });
    }
  })
  .openapi("NewRunnerJob");
export type NewRunnerJob = z.infer<typeof newRunnerJobSchema>;

export const enqueueJobRoute = createRoute("enqueueJob", {
  post: "/v1/runners/{runner_id}/jobs",
  rule: {
    surface: "control-plane",
    permission: "jobs.write",
    maxBody: "16 MiB",
    verbatim: ["plan"],
    idempotent: "job",
    audit: "tally",
    ownPermit: true,
  },
  tags: ["Jobs"],
  summary: "Enqueue a job for a runner",
  description:
    "Repeating the request with the same `Idempotency-Key` within a day returns the same job. 429 if the queue is full.",
  body: newRunnerJobSchema,
  responses: { 201: json(runnerJobSchema, "The job.") },
});

export const enqueueJobsRoute = createRoute("enqueueJobs", {
  post: "/v1/runners/{runner_id}/jobs/batch",
  rule: {
    surface: "control-plane",
    permission: "jobs.write",
    maxBody: "16 MiB",
    verbatim: ["jobs.*.plan"],
    idempotent: "job",
    audit: "tally",
  },
  tags: ["Jobs"],
  summary: "Enqueue many jobs, all or none",
  body: z.strictObject({ jobs: z.array(newRunnerJobSchema).min(1).max(mostJobs) }),
  responses: {
    201: json(
      z.object({ jobs: z.array(runnerJobSchema) }),
      "The jobs, in the order of the request.",
    ),
  },
});
