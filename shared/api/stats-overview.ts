import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

const tags = ["Stats"];
const instant = z.iso.datetime();
const count = z.int();

/** What operators should look at. */
export const problemKinds = [
  "jobs-failed",
  "jobs-without-taker",
  "queue-paused",
  "runner-offline",
  "runner-paused",
  "shutdown-stuck",
  "signals-dead",
  "webhook-disabled",
  "webhook-failing",
  "workflow-waiting",
  "workspace-blocked",
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** Of the dead signals of a queue so many are counted. */
const mostDead = 100;

/** What waits for one of a kind, as it is shown: with a plus where no more of it were counted. */
export function waitingText(kind: ProblemKind, waiting: number): string {
  return kind === "signals-dead" && waiting >= mostDead ? `${mostDead}+` : String(waiting);
}

/** When figures were taken. */
export const asOf = instant
  .nullable()
  .describe("When the figures were taken, every ten seconds or so; null: not yet.");

const movesOf = {
  enqueued: count,
  finished: count,
  failed: count,
  timed_out: count,
  not_attempted: count,
  cancelled: count,
};

const overviewSchema = z
  .object({
    as_of: asOf,
    jobs: z.object({
      queued: count.describe("Jobs that no process has claimed."),
      in_progress: count,
      oldest_waiting_at: instant
        .nullable()
        .describe("When the oldest of the queued ones was enqueued."),
    }),
    slots: z.object({ in_use: count, capacity: count }),
    last_hour: z.object(movesOf),
    runners: z.object({
      online: count,
      busy: count.describe("Those of the online ones that have a job in progress."),
      offline: count,
      other: count.describe("Disabled, deprovisioned, or never seen."),
    }),
    signals: z.object({ waiting: count, in_flight: count }),
    problems: z
      .array(
        z.object({
          kind: z.enum(problemKinds),
          count: count.describe("How many there are."),
          items: z
            .array(
              z.object({
                id: z
                  .string()
                  .describe("Of the job, runner, queue, webhook, workflow or workspace."),
                name: z.string(),
                since: instant.nullable(),
                waiting: count
                  .nullable()
                  .describe(
                    "Jobs or signals that wait for it; for signals-dead, its dead signals, of which 100 are counted; for webhooks, events that did not arrive when they were sent first.",
                  ),
              }),
            )
            .describe("The ten that last longest; of jobs-failed, the newest of the last hour."),
        }),
      )
      .describe("Only what the caller may read."),
  })
  .openapi("StatsOverview");
export type StatsOverview = z.infer<typeof overviewSchema>;

export const getStatsOverviewRoute = createRoute("getStatsOverview", {
  get: "/v1/stats/overview",
  rule: { surface: "operator", permission: "jobs.read" },
  tags,
  summary: "Read the overview of an org",
  description: "What waits, what runs, what failed in the last hour, and what needs a look.",
  responses: { 200: json(overviewSchema, "The overview.") },
});
