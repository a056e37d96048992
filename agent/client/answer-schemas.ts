import { z } from "zod";
import { claimedJobSchema } from "../running-job.ts";

/** The answer to a claim. Each order is parsed separately, so that an unknown one can be ignored. */
export const claimAnswerSchema = z.looseObject({
  jobs: z.array(claimedJobSchema),
  orders: z.array(z.unknown()),
  now: z.iso.datetime(),
});

/** The answer to a heartbeat. */
export const beatAnswerSchema = z.looseObject({
  id: z.string(),
  orders: z.array(z.unknown()).optional(),
  settings_version: z.int().optional(),
});

/** The answer to a registration. */
export const registrationAnswerSchema = z.looseObject({
  id: z.string(),
  secret: z.string().optional(),
  orders: z.array(z.unknown()).optional(),
});

const token = {
  runner_id: z.string().nullable(),
  expires_at: z.iso.datetime().nullable(),
  secret: z.string(),
};
const named = z.looseObject({ id: z.string() });

/**
 * What the agent needs of an answer, by operation, and no more, because brokers of other versions send more or less.
 * Routes that are not listed have a schema at their call, or use the route's own.
 */
export const neededAnswers: Readonly<Record<string, z.ZodType>> = {
  enrol: z.looseObject(token),
  getOwnToken: z.looseObject({ runner_id: token.runner_id }),
  rotateOwnToken: z.looseObject({ secret: token.secret, expires_at: token.expires_at }),
  getRunnerSettings: z.looseObject({
    version: z.int(),
    heart_beat_timeout: z.number().positive(),
    container_max_uptime: z.number(),
    job_group_parallelism: z.record(z.string(), z.string()),
    logging_level: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
    sandbox_mode: z.boolean(),
  }),
  registerProcess: z.looseObject({ id: z.string(), secret: z.string().optional() }),
  updateProcess: named,
  completeShutdown: named,
  createHealthCheck: named,
  updateExecution: named,
  getRunnerJob: z.looseObject({ status: z.string(), status_description: z.string() }),
};
