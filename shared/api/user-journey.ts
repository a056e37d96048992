import { z } from "@hono/zod-openapi";

/** Steps that a dashboard leads a person through. */
export const userJourneySchema = z
  .object({
    name: z.string(),
    title: z.string(),
    steps: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        complete: z.boolean(),
        completed_at: z.iso.datetime().optional(),
        completion_method: z.string().optional().describe("`manual`: somebody said so."),
        completion_source: z.string().optional().describe("`api`: by this API."),
        metadata: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .openapi("UserJourney");
export type UserJourney = z.infer<typeof userJourneySchema>;
