import type { ProcessOrder } from "../../shared/api/process-order.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** Orders to stop those of these executions that have ended although the process says that it runs them. */
export async function findEndedExecutions(
  db: Db,
  org: OrgId,
  processId: string,
  executions: readonly string[],
): Promise<ProcessOrder[]> {
  const rows = await db<{ told: ProcessOrder }[]>`
    select o.told
      from held_though_over(array_fill(${processId}::text, array[${executions.length}::int]), ${[...executions]}::text[]) o
      join runner_processes p on p.id = o.process_id and p.org_id = ${org}
     order by o.told ->> 'execution_id'`;
  return rows.map(({ told }) => told);
}
