import { problem } from "../../shared/problem.ts";
import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { hasRunner } from "./queries.ts";

/** Ends what waits in a runner's queues (one group, or all) as not attempted; answers how many jobs. */
export async function flushRunner(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  org: OrgId,
  flush: {
    readonly runnerId: string;
    readonly group: RunnerJobGroup | undefined;
    readonly by: string;
  },
): Promise<number> {
  if (!(await hasRunner(db, org, flush.runnerId))) throw problem.notFound("runner");
  const why = `its queue was flushed by ${flush.by}`;
  const flushed = await db`
    select job_id from flush_queues(${org}, ${flush.runnerId}, ${flush.group ?? null}, false, ${why})`;
  if (flushed.length > 0) wakes.notify([topics.org(org), topics.queue(flush.runnerId)]);
  return flushed.length;
}
