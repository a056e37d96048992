import { z } from "zod";
import { runnerJobSchema } from "../../shared/api/runner-job.ts";

/**
 * What a claim hands over, as far as the agent relies on it. A newer broker may say more, and use words that this agent
 * does not know: an unknown type of job fails as such, an unknown order is passed by.
 */
const claimedJobSchema = z.looseObject({
  job: z.looseObject({
    ...runnerJobSchema.pick({ id: true, runner_id: true, metadata: true }).shape,
    type: z.string(),
    group: z.string(),
    operation: z.string(),
    log_stream_id: z.string().nullable(),
  }),
  execution: z.looseObject({ id: z.string() }),
  plan: z.record(z.string(), z.unknown()),
  token: z.string(),
  deadline: z.iso.datetime(),
});

/** The answer to a claim; each order is looked at by itself. */
export const claimAnswerSchema = z.looseObject({
  jobs: z.array(claimedJobSchema),
  orders: z.array(z.unknown()),
  now: z.iso.datetime(),
});

/** The answer to a beat. */
export const beatAnswerSchema = z.looseObject({
  id: z.string(),
  orders: z.array(z.unknown()).optional(),
  settings_version: z.int().optional(),
});
