import { z } from "zod";
import { accountTypes } from "../../shared/api/account-types.ts";

/** A row of `accounts`. */
export const accountRow = z.object({
  id: z.string(),
  account_type: z.enum(accountTypes),
  name: z.string(),
  email: z.string(),
  subject: z.string(),
  created_at: z.date(),
  updated_at: z.date(),
  created_by_id: z.string(),
});
export type AccountRow = z.infer<typeof accountRow>;

/** An account with what it has in one org. */
export type Member = AccountRow & {
  readonly role_ids: string[];
  readonly org_ids: string[];
  readonly sort_key: string;
};
