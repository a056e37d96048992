import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import { growingCache } from "../growing-cache.ts";
import type { Log } from "../log.ts";
import type { OrgId } from "../orgs/org-id.ts";

/** What a runner's request named: an execution, or a job, which stands for its current execution. */
export type NamedByRunner = { readonly orgId: OrgId; readonly runnerId: string } & (
  | { readonly executionId: string; readonly jobId?: undefined }
  | { readonly jobId: string; readonly executionId?: undefined }
);

/**
 * Takes a request as the sign that a third-party runner received an execution; callers do not wait for the write. Returns whether the
 * named execution is one of our agents' and known here to be over.
 */
export type ConfirmExecution = (named: NamedByRunner) => boolean;

/** Runners ask about the same execution every second; it is confirmed once in this time. */
const rememberedMs = 10_000;
const mostRemembered = 20_000;

/** Confirmations that arrive together are written together; after a failure the next request confirms again. */
export function makeConfirmExecution(db: Db, log: Log): ConfirmExecution {
  const remembered = growingCache<string, true>(mostRemembered, { ttl: rememberedMs });
  const over = growingCache<string, true>(mostRemembered);
  const write = makeBatcher((named: readonly NamedByRunner[]) => confirm(db, named), { max: 500 });

  return (named) => {
    const name = nameOf(named);
    const isOver = over.has(name);
    // A job's current execution changes: only executions are remembered.
    if (named.executionId !== undefined && isRemembered(name)) return isOver;
    void write(named).then(
      (isSo) => isSo && over.set(name, true),
      (error: unknown) => {
        remembered.delete(name);
        log.warn({ err: error }, "could not confirm an execution; the next request will retry");
      },
    );
    return isOver;
  };

  /** True when it was written a moment ago; otherwise remembers it. */
  function isRemembered(name: string): boolean {
    if (remembered.has(name)) return true;
    remembered.set(name, true);
    return false;
  }
}

/** The key includes the caller: another runner's request confirms nothing. */
const nameOf = ({ orgId, runnerId, executionId = "" }: NamedByRunner): string =>
  `${orgId} ${runnerId} ${executionId}`;

/** A locked row is skipped: its execution is being changed, so it is alive. */
async function confirm(db: Db, named: readonly NamedByRunner[]): Promise<boolean[]> {
  const rows = await db<{ id: string }[]>`
    with seen as (
      select n.org_id, coalesce(nullif(n.execution_id, ''), l.execution_id) as execution_id, n.runner_id
        from unnest(${named.map(({ orgId }) => orgId as string)}::text[],
                    ${named.map(({ runnerId }) => runnerId)}::text[],
                    ${named.map(({ jobId }) => jobId ?? "")}::text[],
                    ${named.map(({ executionId }) => executionId ?? "")}::text[])
             n (org_id, runner_id, job_id, execution_id)
        left join runner_job_live l on l.org_id = n.org_id and l.id = n.job_id
    ), free as (
      select e.org_id, e.id
        from seen s
        join runner_job_executions e on e.org_id = s.org_id and e.id = s.execution_id and e.runner_id = s.runner_id
       where not e.is_ours and e.confirmed_at is null and e.finished_at is null
         for no key update of e skip locked
    ), confirmed as (
      update runner_job_executions e set confirmed_at = svc_now()
        from free f where e.org_id = f.org_id and e.id = f.id
    )
    select e.id
      from seen s
      join runner_job_executions e on e.org_id = s.org_id and e.id = s.execution_id and e.runner_id = s.runner_id
     where e.is_ours and e.finished_at is not null`;
  const over = new Set(rows.map(({ id }) => id));
  return named.map(({ executionId = "" }) => over.has(executionId));
}
