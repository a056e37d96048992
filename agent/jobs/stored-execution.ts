import { z } from "zod";
import type { PendingResult } from "../spool/result-outbox.ts";

/** What is to be reported, and the same in words for the log. */
export type JobOutcome = Omit<PendingResult["finish"], "last_record"> & { readonly words: string };

const commandEnd = z.object({
  /** As a shell tells it: 128 and the signal's number after one. Nothing where nobody knows it. */
  code: z.int().nullable(),
  why: z.enum(["exited", "killed", "out-of-memory", "disk-full", "lost", "timed-out", "stopped"]),
  /** For people, redacted: "exited with code 3". */
  words: z.string(),
  tookMs: z.number(),
  /** What the renderer of its output knew in the end. */
  kept: z.string().optional(),
});
/** How a child of a job ended. */
export type CommandEnd = z.infer<typeof commandEnd>;

const child = z.object({
  /** Which of the execution's children: its marker, and its folder in the run directory. */
  number: z.int(),
  startedAtMs: z.number(),
  timeoutMs: z.number().optional(),
  /** The start of the machine in which it was started. */
  bootId: z.string(),
  /** Absent while it may or may not have been born, and while it runs. */
  end: commandEnd.optional(),
});
export type StoredChild = z.infer<typeof child>;

/**
 * What an execution's folder holds, so that another process of the agent can resume the execution. There is
 * no plan in it and no secret: the plan is fetched anew.
 */
export const storedExecution = z.object({
  version: z.literal(1),
  execution_id: z.string(),
  /** The job as it was claimed. */
  job: z.looseObject({
    id: z.string(),
    runner_id: z.string(),
    type: z.string(),
    group: z.string(),
    operation: z.string(),
    log_stream_id: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    execution_count: z.int(),
  }),
  /** By this host's clock. */
  deadline_at_ms: z.number(),
  started_at_ms: z.number(),
  /** Its group was in sandbox mode when it was claimed; what is under way does not change with the settings. */
  is_simulated: z.boolean().optional(),
  /** The plan's own bound of the whole job, once it is known. */
  timeout_ms: z.number().optional(),
  /** The last status that was reported or is about to be. */
  reported: z.enum(["pending", "initializing", "in-progress", "cleaning-up"]),
  /** The user that its children run as; absent: the agent's own. */
  job_user: z.int().optional(),
  /** The cgroup that its children are in; absent: the agent's own. */
  cgroup: z.string().optional(),
  /** By its key. */
  children: z.record(z.string(), child),
  /** What was done once, by its key, with the answer. */
  done: z.record(z.string(), z.unknown()),
  /** What is to be reported, once that is known; written by this program. */
  outcome: z.custom<JobOutcome>((value) => typeof value === "object").optional(),
});
export type StoredExecution = z.infer<typeof storedExecution>;
