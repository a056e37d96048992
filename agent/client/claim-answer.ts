import { z } from "zod";
import { claimedJobSchema } from "../running-job.ts";

/** The answer to a claim; each order is looked at by itself, so that an unknown one is passed by. */
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

/** The answer to a registration. */
export const registrationAnswerSchema = z.looseObject({
  id: z.string(),
  secret: z.string().optional(),
  orders: z.array(z.unknown()).optional(),
});
