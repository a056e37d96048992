import { z } from "zod";

/** A row of `dashboard_sessions`. */
export const sessionRow = z.object({
  id: z.string(),
  org_id: z.string(),
  token_id: z.string(),
  purpose: z.enum(["link", "session"]),
  digest: z.instanceof(Uint8Array),
  shown_org_id: z.string(),
  user_agent_digest: z.instanceof(Uint8Array).nullable(),
  user_agent: z.string(),
  address: z.string(),
  created_at: z.date(),
  expires_at: z.date(),
});
export type SessionRow = z.infer<typeof sessionRow>;

/** Who opens the dashboard, and from where. */
export type Browser = { readonly userAgent: string; readonly address: string };
