import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { json } from "./response.ts";

const tags = ["Stats"];
const instant = z.iso.datetime();
const hourNs = 3600e9;

export const availabilityStates = [
  "active",
  "degraded",
  "offline",
  "shut-down",
  "no-data",
] as const;
export type AvailabilityState = (typeof availabilityStates)[number];

const periodSchema = z.object({
  state: z
    .enum(availabilityStates)
    .describe(
      "`degraded`: it serves, but a process of it fell silent. `shut-down`: by order (also while it drains), disabled or deprovisioned. `no-data`: no broker ran, " +
        "or no process had registered yet.",
    ),
  paused: z.boolean(),
  draining: z.boolean(),
  from: instant,
  to: instant,
});
export type AvailabilityPeriod = z.infer<typeof periodSchema>;

const availability = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe(
    "The share of the time in which it served: active or degraded. Time without data and time shut down do not count. null: no time is left.",
  );

const stripsSchema = z
  .object({
    as_of: instant,
    from: instant,
    to: instant,
    bucket: z.int().describe("Nanoseconds. Periods start and end with a bucket."),
    items: z
      .array(z.object({ runner_id: z.string(), availability, periods: z.array(periodSchema) }))
      .describe("In the order of `ids`; without those that do not exist."),
  })
  .openapi("RunnerStrips");
export type RunnerStrips = z.infer<typeof stripsSchema>;

const mostRunners = 100;

export const getRunnerStripsRoute = createRoute("getRunnerStrips", {
  get: "/v1/stats/runners",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Read the availability of runners in the last 24 hours",
  description: "By quarters of an hour; each has the worst state that was seen in it.",
  query: z.object({
    ids: z
      .string()
      .max(mostRunners * 32)
      .transform((text) => text.split(",").filter((id) => id !== ""))
      .pipe(z.array(z.string()).min(1).max(mostRunners))
      .openapi({ type: "string", description: "Up to 100 ids of runners, with commas." }),
  }),
  responses: { 200: json(stripsSchema, "A strip for each runner.") },
});

const availabilitySchema = z
  .object({
    as_of: instant,
    runner_id: z.string(),
    from: instant,
    to: instant,
    availability,
    time_in: z
      .object({
        active: z.int(),
        degraded: z.int(),
        offline: z.int(),
        "shut-down": z.int(),
        "no-data": z.int(),
      })
      .describe("Nanoseconds in each state."),
    periods: z.array(periodSchema).describe("The latest 500, exact."),
  })
  .openapi("RunnerAvailability");
export type RunnerAvailability = z.infer<typeof availabilitySchema>;

export const getRunnerAvailabilityRoute = createRoute("getRunnerAvailability", {
  get: "/v1/runners/{runner_id}/availability",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Read a runner's availability",
  query: z.object({
    window: durationInput({ minNs: hourNs, maxNs: 30 * 24 * hourNs })
      .default(24 * hourNs)
      .describe("How far back: 1h to 30d, default 24h."),
  }),
  responses: { 200: json(availabilitySchema, "Its availability.") },
});
