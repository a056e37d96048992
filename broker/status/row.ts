import { z } from "zod";

/** A row of `status_history`: one entry of the history that runners, processes and shutdown records share. */
export const statusHistoryRow = z.object({
  owner_id: z.string(),
  seq: z.number(),
  org_id: z.string(),
  status: z.string(),
  description: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  at: z.date(),
});
export type StatusHistoryRow = z.infer<typeof statusHistoryRow>;
