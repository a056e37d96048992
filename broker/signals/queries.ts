import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** The org of a queue, when it is this one and the queue was not deleted. */
export async function findQueueOrg(
  db: Db,
  org: OrgId,
  queueId: string,
): Promise<OrgId | undefined> {
  const [row] = await db<{ org_id: OrgId }[]>`
    select org_id from queues where org_id = ${org} and id = ${queueId} and deleted_at is null`;
  return row?.org_id;
}
