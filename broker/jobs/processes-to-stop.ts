import type { Db } from "../database/connect.ts";
import { type Topic, topics } from "../wake/wakes.ts";

/** The processes that must stop these executions; when a wake-up is lost, the next heartbeat delivers the order. */
export async function processesToStop(db: Db, executionIds: readonly string[]): Promise<Topic[]> {
  if (executionIds.length === 0) return [];
  const rows = await db<{ process_id: string }[]>`
    select distinct s.process_id from stopping_executions s
     where s.execution_id = any(${executionIds}) and s.process_id is not null`;
  return rows.map(({ process_id: id }) => topics.process(id));
}
