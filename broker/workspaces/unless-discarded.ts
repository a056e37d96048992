import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { discardUpload } from "./queries.ts";

/** What was sent for nothing is taken away at once; what a kill leaves behind, by a task. */
export async function unlessDiscarded<Result>(
  { db }: { readonly db: Db },
  { orgId, id }: { readonly orgId: OrgId; readonly id: string },
  store: () => Promise<Result>,
): Promise<Result> {
  try {
    return await store();
  } catch (error) {
    await discardUpload(db, orgId, id).catch(() => {}); // the task will
    throw error;
  }
}
