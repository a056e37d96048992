import { z } from "zod";
import type { PendingResult } from "../spool/result-outbox.ts";

/** What to report, and the same as text for the log. */
export type JobOutcome = Omit<PendingResult["finish"], "last_record"> & { readonly words: string };

const commandEnd = z.object({
  /** The exit code as a shell reports it: 128 plus the signal's number. Null when it is unknown. */
  code: z.int().nullable(),
  why: z.enum(["exited", "killed", "out-of-memory", "disk-full", "lost", "timed-out", "stopped"]),
  /** For people, redacted: "exited with code 3". */
  words: z.string(),
  tookMs: z.number(),
  /** What the renderer of its output knew at the end. */
  kept: z.string().optional(),
});
/** How a child of a job ended. */
export type CommandEnd = z.infer<typeof commandEnd>;

const child = z.object({
  /** The number of the child: in its marker, and in the name of its folder in the run directory. */
  number: z.int(),
  startedAtMs: z.number(),
  timeoutMs: z.number().optional(),
  /** The boot of the machine that it was started in. */
  bootId: z.string(),
  /** Absent until it has ended; it may not have been started. */
  end: commandEnd.optional(),
});
export type StoredChild = z.infer<typeof child>;

/**
 * The stored state of an execution, with which another process of the agent resumes it. It holds no plan and no
 * secret: the plan is fetched again.
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
  /** Whether its group was in sandbox mode when it was claimed; a later change does not affect it. */
  is_simulated: z.boolean().optional(),
  /** The timeout of the whole job, once the plan is known. */
  timeout_ms: z.number().optional(),
  /** The last status that was reported or is about to be. */
  reported: z.enum(["pending", "initializing", "in-progress", "cleaning-up"]),
  /** The user that its children run as; absent: the agent's own. */
  job_user: z.int().optional(),
  /** The cgroup that its children are in; absent: the agent's own. */
  cgroup: z.string().optional(),
  /** Children by their keys. */
  children: z.record(z.string(), child),
  /** Answers of `job.once`, by key. */
  done: z.record(z.string(), z.unknown()),
  /** The outcome to report, once it is known; written by this program. */
  outcome: z.custom<JobOutcome>((value) => typeof value === "object").optional(),
});
export type StoredExecution = z.infer<typeof storedExecution>;
