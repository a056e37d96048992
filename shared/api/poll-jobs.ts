import { z } from "@hono/zod-openapi";
import { runnerJobGroups } from "../runner-job-types.ts";
import { createRoute } from "./create-route.ts";
import { jobGroupQuery } from "./job-group.ts";
import { processOrderSchema } from "./process-order.ts";
import { json } from "./response.ts";
import { runnerJobExecutionSchema } from "./runner-job-execution.ts";
import { runnerJobSchema } from "./runner-job.ts";

const mostSlots = 100;
/** An answer tells no more; each of tens of thousands would cost the broker's other callers their turn. */
const mostUnknownTold = 100;

/** Group → free slots. */
const freeSlotsInput = z
  .record(z.string(), z.int().min(0).max(mostSlots))
  .superRefine((slots, ctx) => {
    const unknown = Object.keys(slots).filter((group) => !isGroup(group));
    for (const group of unknown.slice(0, mostUnknownTold)) {
      const message = `Unknown group. The groups are: ${runnerJobGroups.join(", ")}`;
      ctx.addIssue({ code: "custom", path: [group], params: { code: "unknown_group" }, message });
    }
  });
const isGroup = (word: string): boolean => runnerJobGroups.some((group) => group === word);

export const claimedJobSchema = z
  .object({
    job: runnerJobSchema,
    execution: runnerJobExecutionSchema,
    plan: z.record(z.string(), z.unknown()).describe("The plan, byte for byte as it was enqueued."),
    token: z
      .string()
      .describe(
        "Gives access to this execution, its log stream and its workspace while the execution is alive.",
      ),
    deadline: z.iso.datetime().describe("The earlier of the execution's and the job's deadline."),
  })
  .openapi("ClaimedJob");

/** What a process says with each poll. */
export const pollInput = z.object({
  poll_id: z.string().min(1).max(128).optional(),
  groups: freeSlotsInput.optional().describe("Free slots by group; `{}` waits for orders only."),
  wait: z.string().optional().describe("At most and by default 25s."),
  known_orders: z
    .array(z.string().max(128))
    .max(1_000)
    .optional()
    .describe(
      "Orders that are already known; they alone do not end the wait. An order's name is its " +
        "execution_id, its shutdown_id, or its type.",
    ),
  settings_version: z
    .int()
    .optional()
    .describe("The version of the settings that the process uses."),
  executions: z
    .array(z.string().max(64))
    .max(1_000)
    .optional()
    .describe(
      "Executions that it holds and has not heard about for a while: the orders name those that are over; if there are any, the answer does not wait.",
    ),
});

export const claimJobsRoute = createRoute("claimJobs", {
  post: "/v1/runners/{runner_id}/jobs/claim",
  rule: { surface: "runner", permission: "runner.protocol", unmetered: true, ownPermit: true },
  tags: ["Runner protocol"],
  summary: "Claim jobs of many groups in one parked request",
  description:
    "Waits until a job of a named group is available, there is an order, or `wait` is over. A process has one parked " +
    "claim: a newer one ends the older. The same `poll_id` within 30 s answers the same executions with fresh tokens.",
  body: z.object({ process_id: z.string().min(1).max(64), ...pollInput.shape }),
  responses: {
    200: json(
      z.object({
        jobs: z.array(claimedJobSchema),
        orders: z.array(processOrderSchema),
        now: z.iso.datetime(),
      }),
      "The claimed jobs and the orders for the process.",
    ),
  },
});

export const tailJobsRoute = createRoute("tailJobs", {
  get: "/v1/runners/{runner_id}/jobs/tail",
  rule: { surface: "runner", permission: "runner.protocol", unmetered: true, ownPermit: true },
  tags: ["Runner protocol"],
  summary: "Wait for a job to be available",
  description:
    "Returns a job without claiming it. The job is offered to one waiting poll for 2 s, then to the next. An empty array before " +
    "`wait` is over means that this broker is shutting down.",
  query: z.object({
    group: jobGroupQuery.optional().describe("Absent or any: all groups."),
    wait: z.string().optional().describe("At most and by default 25s."),
  }),
  responses: { 200: json(z.array(runnerJobSchema).max(1), "The job, or nothing.") },
});

export const createExecutionRoute = createRoute("createExecution", {
  post: "/v1/runner-jobs/{job_id}/executions",
  rule: { surface: "runner", permission: "runner.protocol", ownRunner: true },
  tags: ["Runner protocol"],
  summary: "Claim an available job by id",
  description: "409 when the job is not available any more.",
  body: z.object({}),
  responses: { 201: json(runnerJobExecutionSchema, "The new execution of the job.") },
});
