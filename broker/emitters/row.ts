import { z } from "zod";
import {
  emitterModes,
  emitterStatuses,
  missedPolicies,
  overlapPolicies,
} from "../../shared/queue-emitter.ts";
import { signalRuns } from "../../shared/signal-types.ts";

/** A row of `queue_emitters`, without its template. */
export const emitterRow = z.object({
  id: z.string(),
  org_id: z.string(),
  queue_id: z.string(),
  name: z.string(),
  description: z.string(),
  mode: z.enum(emitterModes),
  cron_schedule: z.string().nullable(),
  time_zone: z.string(),
  scheduled_at: z.date().nullable(),
  delay: z.number().nullable(),
  fired: z.boolean(),
  jitter_window: z.number(),
  grace: z.number(),
  missed_policy: z.enum(missedPolicies),
  missed_limit: z.number(),
  overlap_policy: z.enum(overlapPolicies),
  signal_type: z.string(),
  runs: z.enum(signalRuns),
  task: z.string().nullable(),
  owner_id: z.string(),
  owner_type: z.string(),
  dedupe_key: z.string().nullable(),
  max_executions: z.number(),
  retry_delay: z.number(),
  signal_expires_in: z.number().nullable(),
  key_id: z.string().nullable(),
  emit_count: z.number(),
  skip_count: z.number(),
  last_emitted_at: z.date().nullable(),
  last_signal_id: z.string().nullable(),
  next_tick_at: z.date().nullable(),
  next_emit_at: z.date().nullable(),
  due_at: z.date().nullable(),
  schedule_at: z.date().nullable(),
  status: z.enum(emitterStatuses),
  status_description: z.string(),
  status_at: z.date(),
  paused_until: z.date().nullable(),
  paused_note: z.string().nullable(),
  paused_by_id: z.string().nullable(),
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type EmitterRow = z.infer<typeof emitterRow>;

/** An emitter with its sealed template. */
export type EmitterWithTemplate = EmitterRow & { readonly contents: Buffer };
