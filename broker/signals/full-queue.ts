import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

const againAfterS = 5;
/** About as long as it takes until it is seen that signals have ended. */
const orgAgainAfterS = 10;

/** The refusal of a signal for which there is no room: in its queue, or in all queues of its org together. */
export async function fullQueue(db: Db, org: OrgId): Promise<Error> {
  const [mark] = await db`select from full_orgs where org_id = ${org}`;
  if (mark !== undefined) {
    return problem.tooMany(
      "The queues of this org hold more signals than they may (SVC_SIGNALS_ORG_MIB). Try again when some have ended, or cancel some.",
      orgAgainAfterS,
      "org_queues_full",
    );
  }
  return problem.tooMany(
    "This queue is full: max_depth signals wait, or their data has 256 MiB.",
    againAfterS,
    "queue_full",
  );
}
