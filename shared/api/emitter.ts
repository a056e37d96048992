import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import {
  emitterModes,
  emitterStatuses,
  missedPolicies,
  overlapPolicies,
} from "../queue-emitter.ts";
import { signalTypeNames } from "../signal-types.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { durationInput } from "./duration.ts";
import { instantInput } from "./instant.ts";
import { jobOwner } from "./job-owner.ts";
import { pauseSchema } from "./pause.ts";

const dayNs = 86_400 * secondNs;
/** In nanoseconds, and still exact. */
const longestNs = 90 * dayNs;

const text = "nanoseconds, or text like `15m`";

const members = {
  name: z.string().trim().min(1).max(200).describe("Unique in its queue."),
  description: z.string().max(1000),
  signal_type: z.string().max(100).describe(signalTypeNames),
  signal_template: z
    .record(z.string(), z.unknown())
    .describe("The data of its signals: what their type takes. At most 256 KiB as text."),
  signal_expires_in: durationInput({ minNs: secondNs, maxNs: longestNs }).openapi({
    type: "integer",
    description: `How long each signal may wait to be executed: ${text}.`,
  }),
  dedupe_key: z
    .string()
    .min(1)
    .max(255)
    .describe("Of each signal: while a live signal of the queue has it, ticks are skipped."),
  max_executions: z.int().min(1).max(100).describe("Of each signal."),
  retry_delay: durationInput({ minNs: secondNs, maxNs: 3600 * secondNs }).openapi({
    type: "integer",
    description: `Of each signal: the back-off after a failed execution, doubled each time: ${text}.`,
  }),
  owner_id: jobOwner.describe("Of each signal."),
  owner_type: jobOwner.describe("Of each signal."),
};

/** When it emits. Which of these a mode takes: `broker/emitters/read-schedule.ts`. */
const schedule = {
  cron_schedule: z
    .string()
    .min(1)
    .max(1000)
    .describe(
      "cron: five fields (minute, hour, day of month, month, day of week), or a macro like @daily.",
    )
    .openapi({ example: "30 2 * * MON-FRI" }),
  time_zone: z
    .string()
    .min(1)
    .max(100)
    .describe("cron: its time zone, from the IANA database. Default: UTC.")
    .openapi({ example: "Europe/Berlin" }),
  jitter_window: durationInput({ minNs: 0, maxNs: longestNs }).openapi({
    type: "integer",
    description: `cron: each tick is delayed by a fixed part of this, which differs between emitters, to spread load; must be shorter than the time between two ticks: ${text}; 0 (the default): none.`,
  }),
  missed_policy: z
    .enum(missedPolicies)
    .describe(
      "cron: what is emitted for ticks missed while no broker ran or the queue was full: nothing, one signal for all (the default), or one for each of the newest `missed_limit`.",
    ),
  missed_limit: z.int().min(1).max(100).describe("cron: default 10."),
  overlap_policy: z
    .enum(overlapPolicies)
    .describe(
      "cron: `skip` (the default): ticks are skipped while its last signal is in the queue.",
    ),
  scheduled_at: instantInput.describe("scheduled: the instant, in the future."),
  delay: durationInput({ minNs: 0, maxNs: longestNs }).openapi({
    type: "integer",
    description: `fire_once: how long from now: ${text}.`,
  }),
};

export const newEmitterSchema = z
  .strictObject({
    name: members.name,
    description: members.description.default(""),
    mode: z.enum(emitterModes),
    ...z.strictObject(schedule).partial().shape,
    signal_type: members.signal_type,
    signal_template: members.signal_template.default({}),
    signal_expires_in: members.signal_expires_in.optional(),
    dedupe_key: members.dedupe_key.optional(),
    max_executions: members.max_executions.default(3),
    retry_delay: members.retry_delay.default(10 * secondNs),
    owner_id: members.owner_id.default(""),
    owner_type: members.owner_type.default(""),
  })
  .openapi("NewQueueEmitter", {
    example: {
      name: "nightly drift",
      mode: "cron",
      cron_schedule: "30 2 * * *",
      time_zone: "Europe/Berlin",
      jitter_window: 1_200_000_000_000,
      signal_type: "detect-drift",
      signal_template: { install_id: "ins_1" },
    },
  });
export type NewEmitter = z.infer<typeof newEmitterSchema>;

export const emitterChangesSchema = z
  .strictObject({
    ...schedule,
    ...members,
    signal_expires_in: members.signal_expires_in.nullable(),
    dedupe_key: members.dedupe_key.nullable(),
  })
  .partial()
  .openapi("QueueEmitterChanges");
export type EmitterChanges = z.infer<typeof emitterChangesSchema>;

const instant = z.iso.datetime();

/** What emits signals into a queue, and when. */
export const emitterSchema = z
  .object({
    id: z.string().openapi({ example: "emt_01k9zq5v3t8w2x4y6z8a0b2c4d" }),
    org_id: z.string(),
    queue_id: z.string(),
    name: z.string(),
    description: z.string(),
    mode: z.enum(emitterModes),
    cron_schedule: z.string().nullable(),
    time_zone: z.string(),
    schedule_description: z.string().openapi({ example: "at 02:30 every day, Europe/Berlin" }),
    scheduled_at: instant.nullable().describe("The instant of scheduled, and of fire_once."),
    delay: z.int().nullable().describe("Nanoseconds."),
    fired: z.boolean().describe("Whether the only tick of scheduled or fire_once was emitted."),
    jitter_window: z.int().describe("Nanoseconds."),
    missed_policy: z.enum(missedPolicies),
    missed_limit: z.int(),
    overlap_policy: z.enum(overlapPolicies),
    signal_type: z.string(),
    signal_template: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .describe("null for a token without the permission signals.data; not in lists."),
    signal_template_hidden: z.boolean(),
    signal_expires_in: z.int().nullable().describe("Nanoseconds."),
    dedupe_key: z.string().nullable(),
    max_executions: z.int(),
    retry_delay: z.int().describe("Nanoseconds."),
    owner_id: z.string(),
    owner_type: z.string(),
    emit_count: z.int().describe("Signals that it enqueued."),
    skip_count: z.int().describe("Ticks for which it enqueued none."),
    last_emitted_at: instant.nullable(),
    last_signal_id: z.string().nullable(),
    next_tick_at: instant.nullable().describe("By its schedule, without jitter."),
    next_emit_at: instant.nullable().describe("With jitter."),
    status: compositeStatusSchema,
    pause: z.union([pauseSchema, z.null()]),
    version: z.int(),
    created_at: instant,
    updated_at: instant,
    created_by_id: z.string(),
  })
  .openapi("QueueEmitter");
export type Emitter = z.infer<typeof emitterSchema>;

/** What lists of emitters are narrowed to. */
export const emitterFilters = {
  name: z.string().max(200).optional().describe("Exactly this name."),
  mode: z.enum(emitterModes).optional().describe("Only emitters of this mode."),
  status: z.enum(emitterStatuses).optional().describe("Only emitters in this status."),
  signal_type: z.string().max(100).optional().describe("Only those that emit this type."),
};

export const emitterTicksSchema = z
  .object({
    description: z.string().openapi({ example: "at 02:30 every day, Europe/Berlin" }),
    time_zone: z.string(),
    ticks: z.array(
      z.object({
        scheduled_for: instant,
        local: z
          .string()
          .describe("`scheduled_for` as the clocks of `time_zone` show it.")
          .openapi({ example: "2026-01-31T02:30:00+01:00" }),
        emit_at: instant.describe("With jitter."),
      }),
    ),
  })
  .openapi("QueueEmitterTicks");
export type EmitterTicks = z.infer<typeof emitterTicksSchema>;
