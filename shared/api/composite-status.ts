import { z } from "@hono/zod-openapi";

const entry = {
  status: z.string().openapi({ example: "active" }),
  status_human_description: z.string().openapi({ example: "1 process serves" }),
  created_at_ts: z.int().openapi({
    description: "Start of this status, in milliseconds since 1970.",
    example: 1_795_255_200_000,
  }),
  metadata: z.record(z.string(), z.unknown()),
};

const statusEntrySchema = z.object(entry).openapi("CompositeStatusEntry");

/** A status, why it is so, since when, and what it was before: oldest first, the last twenty. */
export const compositeStatusSchema = z
  .object({ ...entry, history: z.array(statusEntrySchema) })
  .openapi("CompositeStatus");
export type CompositeStatus = z.infer<typeof compositeStatusSchema>;
