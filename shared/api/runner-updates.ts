import { z } from "@hono/zod-openapi";
import { shutdownStatuses } from "../runner-process.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { json } from "./response.ts";
import { orderReason } from "./runner-process-shutdown.ts";

const instant = z.iso.datetime();
const minuteNs = 60e9;

/** An order to run another version of the agent, and its course; the job of the same id carries it out. */
export const runnerUpdateSchema = z
  .object({
    job_id: z.string().describe("The management job; cancel the order by it."),
    runner_id: z.string(),
    version: z.string().describe("The version that was asked for; empty for none."),
    image: z.string().describe("The same as an image, for hosts that run the agent so."),
    status: z
      .enum(shutdownStatuses)
      .describe("failed: it is not done, and the agent runs as before if that was possible."),
    status_description: z.string().describe("What became of it, in words."),
    reason: z.string().describe("Why, in the operator's words."),
    deadline_at: instant.nullable().describe("When it is given up; null once it is over."),
    created_at: instant,
    updated_at: instant,
    created_by_id: z.string(),
  })
  .openapi("RunnerUpdate");
export type RunnerUpdate = z.infer<typeof runnerUpdateSchema>;

/** The versions of a runner's agents against the one that its settings ask for. */
export const runnerVersionsSchema = z
  .object({
    running: z.array(z.string()).describe("Those of live processes that take jobs; five at most."),
    wanted: z.string().describe("`binary_version` of its settings; empty for none."),
    wanted_image: z.string().describe("The image of its settings; empty for none."),
    is_behind: z.boolean().describe("A live process runs another version than the wanted one."),
    summary: z.string().openapi({ example: "runs 1.2.0, wants 1.3.0" }),
  })
  .openapi("RunnerVersions");
export type RunnerVersions = z.infer<typeof runnerVersionsSchema>;

const target = z.string().trim().max(512).default("");

export const updateRunnerVersionRoute = createRoute("updateRunnerVersion", {
  post: "/v1/runners/{runner_id}/update-version",
  rule: {
    surface: "operator",
    permission: "runners.operate",
    idempotent: "replay",
    operatesRunner: true,
  },
  tags: ["Runners"],
  summary: "Order a runner to run another version",
  description:
    "Its management process (`svc-agent mng`) switches the agent once running jobs have ended, and goes back when the new version does not work. " +
    "Without a version or image it is what the settings ask for. 409 when the settings ask for another one, when no management process is alive, " +
    "or when another update is under way.",
  body: z.strictObject({
    version: target.describe("Such as 1.3.0."),
    image: target.describe("With a tag or digest."),
    deadline: durationInput({ minNs: 5 * minuteNs, maxNs: 24 * 60 * minuteNs })
      .optional()
      .describe("When the order is given up. Default: an hour."),
    reason: orderReason,
  }),
  responses: { 201: json(runnerUpdateSchema, "The order.") },
});
