import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findWebhook, type StoredWebhook } from "./queries.ts";

/** The webhook; 404 when there is none. */
export async function requireWebhook(db: Db, org: OrgId, id: string): Promise<StoredWebhook> {
  const row = await findWebhook(db, org, id);
  if (row === undefined) throw problem.notFound("webhook");
  return row;
}
