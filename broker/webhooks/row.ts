import { z } from "zod";

/** A row of `webhooks`. */
export const webhookRow = z.object({
  id: z.string(),
  org_id: z.string(),
  url: z.string(),
  interests: z.string(),
  match: z.string().nullable(),
  key_id: z.string().nullable(),
  secret: z.custom<Buffer>().nullable(),
  previous_key_id: z.string().nullable(),
  previous_secret: z.custom<Buffer>().nullable(),
  previous_until: z.date().nullable(),
  disabled_at: z.date().nullable(),
  disabled_reason: z.enum(["gone", "failing"]).nullable(),
  failing_since: z.date().nullable(),
  failing_events: z.number(),
  version: z.number(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type WebhookRow = z.infer<typeof webhookRow>;
