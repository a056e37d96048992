import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { CompositeFault, Workflow } from "./machine/workflow-rows.ts";

const mostFaults = 10;

/** Whether the broker failed so often in a row that the workflow is only to be ended, whatever it takes. */
export const isGivenUp = ({ faults, is_cancelling }: Pick<Workflow, "faults" | "is_cancelling">) =>
  is_cancelling && faults >= mostFaults;

/** Counts a fault of the broker's own; after ten in a row the workflow is cancelled, and says so. */
export async function countFault(db: Db, org: OrgId, id: string): Promise<void> {
  const error: CompositeFault = {
    code: "internal",
    severity: "fatal",
    title: "Internal error",
    detail: `The broker failed ${mostFaults} times in a row on this workflow. See its log.`,
    retryable: true,
  };
  await db`
    update workflows w
       set faults = w.faults + 1, version = w.version + 1,
           is_cancelling = w.is_cancelling or w.faults + 1 >= ${mostFaults},
           error = case when w.faults + 1 >= ${mostFaults} then ${JSON.stringify(error)}::text::jsonb else w.error end
     where w.org_id = ${org} and w.id = ${id}`;
}
