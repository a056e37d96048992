import { z } from "@hono/zod-openapi";
import { runnerJobGroups } from "../runner-job-types.ts";
import { runnerGroupTypes, runnerPlatforms } from "../runner-platforms.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { pauseSchema } from "./pause.ts";
import { runnerJobSchema } from "./runner-job.ts";
import { runnerSettingsSchema } from "./runner-settings.ts";
import { runnerUpdateSchema, runnerVersionsSchema } from "./runner-updates.ts";

const instant = z.iso.datetime();

export const runnerStatuses = [
  "error",
  "active",
  "pending",
  "provisioning",
  "deprovisioning",
  "deprovisioned",
  "reprovisioning",
  "offline",
  "awaiting-install-stack-run",
  "awaiting-heartbeat",
  "disabled",
  "unknown",
] as const;

export type RunnerStatus = (typeof runnerStatuses)[number];

export const runnerLifecycles = ["enabled", "disabled", "deprovisioned"] as const;

/** One job group of one runner, shown as the queue it is. */
export const runnerQueueSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    name: z.enum(runnerJobGroups).describe("The job group."),
    owner_id: z.string(),
    owner_type: z.literal("runner"),
    max_depth: z.int().describe("An enqueue is refused when this many jobs wait."),
    max_in_flight: z.int().describe("The group's parallelism."),
    idle_timeout: z.int(),
    metadata: z.record(z.string(), z.string()),
    status_v2: compositeStatusSchema,
    workflow: z.null(),
    emitters: z.array(z.unknown()).max(0),
    queue_signal: z.array(z.unknown()).max(0),
    paused: z.boolean(),
    held: z.string().nullable().describe("Why no job is started: `runner paused`, `disabled`."),
    depth: z.int().describe("Jobs that wait: queued or available."),
    in_flight: z.int().describe("Jobs in progress."),
    available: z.int().describe("Jobs that have a slot and wait for a process."),
    stopping: z.int().describe("Ended executions that may still run and hold a slot."),
    offered: z.int().describe("Slots that live processes offer."),
    slots: z
      .int()
      .describe(
        "Number of slots: the smaller of parallelism and what processes offer; 0 while held.",
      ),
    created_at: instant,
  })
  .openapi("RunnerQueue");
export type RunnerQueue = z.infer<typeof runnerQueueSchema>;

export const runnerOperationSchema = z
  .object({
    id: z.string(),
    runner_id: z.string(),
    operation_type: z.enum([
      "provision",
      "provision_service_account",
      "reprovision",
      "deprovision",
    ]),
    status: z.string(),
    status_description: z.string(),
    status_v2: compositeStatusSchema,
    log_stream: z.null().describe("An operation ends when it starts: it has no log."),
    created_at: instant,
    created_by_id: z.string(),
  })
  .openapi("RunnerOperation");
export type RunnerOperation = z.infer<typeof runnerOperationSchema>;

const installId = z
  .string()
  .nullable()
  .describe(
    "The install that has the group: what is done with its runners needs installs.operate.",
  );

const groupMembers = {
  id: z.string(),
  org_id: z.string(),
  name: z.string(),
  owner_id: z.string(),
  owner_type: z.string().openapi({ example: "install" }),
  type: z.enum(runnerGroupTypes),
  platform: z.enum(runnerPlatforms),
  install_id: installId,
  pause: z.union([pauseSchema, z.null()]),
  version: z.int(),
  created_at: instant,
  updated_at: instant,
  created_by_id: z.string(),
};

const runnerMembers = {
  id: z.string(),
  org_id: z.string(),
  name: z.string().openapi({ example: "acme-production" }),
  display_name: z.string(),
  runner_group_id: z.string(),
  runner_group_name: z.string().describe("Empty: its group was made along with it."),
  install_id: installId,
  lifecycle: z.enum(runnerLifecycles).describe("Set by operators. The status follows from it."),
  status: z.enum(runnerStatuses),
  status_description: z.string(),
  status_v2: compositeStatusSchema,
  restart_requested: z.boolean().describe("A process of it is to restart."),
  process_summary: z
    .object({
      live: z.int().describe("How many have sent a heartbeat within the last minute."),
      versions: z.array(z.string()).describe("The versions of these; five at most."),
      last_seen_at: instant.nullable().describe("null: it never had a process."),
    })
    .describe("Its processes, in short."),
  versions: runnerVersionsSchema,
  warnings: z.array(z.string()),
  pause: z.union([pauseSchema, z.null()]),
  operations: z.array(runnerOperationSchema).describe("The latest ten, newest first."),
  queues: z.array(runnerQueueSchema).describe("One for each job group."),
  version: z.int(),
  created_at: instant,
  updated_at: instant,
  created_by_id: z.string(),
};

/** One place in a customer account: what it is, how it is, and its queues. */
export const runnerSchema = z
  .object({
    ...runnerMembers,
    runner_group: z
      .object({ ...groupMembers, settings: runnerSettingsSchema.optional() })
      .optional()
      .describe("Only when one runner is read."),
    jobs: z
      .array(runnerJobSchema)
      .optional()
      .describe("Its latest ten jobs, newest first; only when one runner is read."),
    runner_job: z
      .union([runnerJobSchema, z.null()])
      .optional()
      .describe("The newest of these jobs that is in progress; only when one runner is read."),
    updates: z
      .array(runnerUpdateSchema)
      .optional()
      .describe("The latest ten orders to update it, newest first; only when one runner is read."),
  })
  .openapi("Runner");
export type Runner = z.infer<typeof runnerSchema>;

/** Runners that share settings. */
export const runnerGroupSchema = z
  .object({
    ...groupMembers,
    settings: runnerSettingsSchema.optional().describe("Only when one group is read."),
    capacity: z
      .object({
        runners: z.int(),
        slots: z.int().describe("How many jobs its runners can work on at once."),
        in_use: z.int().describe("Slots that jobs hold: in progress, offered, or still stopping."),
        waiting: z.int().describe("Jobs that wait for a slot."),
      })
      .optional()
      .describe("Of all its runners together; only in lists."),
    runners: z
      .array(z.object(runnerMembers))
      .optional()
      .describe("Its latest 100 runners; only when one group is read."),
  })
  .openapi("RunnerGroup");
export type RunnerGroup = z.infer<typeof runnerGroupSchema>;
