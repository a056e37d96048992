import { z } from "zod";

const child = z.object({
  /** Which of the execution's children: its marker, and its folder in the run directory. */
  number: z.int(),
  /** `starting`: it may or may not have been born. */
  state: z.enum(["starting", "ended"]),
  end: z
    .object({
      code: z.int().nullable(),
      why: z.enum([
        "exited",
        "killed",
        "out-of-memory",
        "disk-full",
        "lost",
        "timed-out",
        "stopped",
      ]),
      words: z.string(),
      tookMs: z.number(),
    })
    .optional(),
  started_at_ms: z.number(),
});

/**
 * What an execution's folder holds, so that another process of the agent can take the execution up. There is
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
  deadline: z.iso.datetime(),
  started_at_ms: z.number(),
  /** The last status that the broker was told. */
  reported: z.enum(["pending", "initializing", "in-progress", "cleaning-up"]),
  /** Why it is being stopped, if it is. */
  stop: z.object({ kind: z.string(), words: z.string().optional() }).optional(),
  children: z.record(z.string(), child),
  /** What was done once, by key, with its answer. */
  done: z.record(z.string(), z.unknown()),
});
export type StoredExecution = z.infer<typeof storedExecution>;
