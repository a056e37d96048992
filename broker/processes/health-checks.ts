import type { HealthCheck, NewHealthCheck } from "../../shared/api/health-check.ts";
import { runnerProcessTypes } from "../../shared/process-groups.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { HealthCheckRow } from "./row.ts";

type Runner = { readonly orgId: OrgId; readonly runnerId: string };

/**
 * Stores a health check of the runner or of one of its processes; undefined when there is no such process. A
 * process has one row a minute, whose id names both; without a process, each type of process has one.
 */
export async function insertHealthCheck(
  db: Db,
  { orgId, runnerId }: Runner,
  sent: NewHealthCheck,
): Promise<HealthCheck | undefined> {
  const status = sent.status ?? (sent.status_code === 0 ? "active" : "error");
  const processId = sent.process_id === "" ? null : sent.process_id;
  const kind = runnerProcessTypes.find((type) => type === sent.process) ?? "";
  const [row] = await db<HealthCheckRow[]>`
    insert into runner_health_checks (id, org_id, runner_id, process, process_id, minute_bucket, status, status_code,
                                      created_at)
    select 'hck_' || left(md5(concat_ws(' ', u.id, ${processId ?? kind}::text, date_trunc('minute', t.now))), 26),
           u.org_id, u.id, ${sent.process}, ${processId}, date_trunc('minute', t.now), ${status}, ${sent.status_code},
           t.now
      from runners u, svc_now() t (now)
     where u.org_id = ${orgId} and u.id = ${runnerId}
       and (${processId}::text is null
            or exists (select from runner_processes p where p.id = ${processId} and p.runner_id = u.id))
    on conflict (id) do update
       set process = excluded.process, status = excluded.status, status_code = excluded.status_code
    returning *`;
  return row === undefined ? undefined : toHealthCheck(row);
}

/** The last health check of each minute and process within a window, the newest first. */
export async function listRecentHealthChecks(
  db: Db,
  { orgId, runnerId }: Runner,
  asked: {
    readonly windowNs: number;
    readonly processId: string | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<HealthCheck[]> {
  const rows = await db<HealthCheckRow[]>`
    select * from (
      select distinct on (h.minute_bucket, h.process_id) h.*
        from runner_health_checks h
       where h.org_id = ${orgId} and h.runner_id = ${runnerId} and h.created_at > svc_now() - ns(${asked.windowNs})
         and (${asked.processId === undefined} or h.process_id = ${asked.processId ?? null})
       order by h.minute_bucket desc, h.process_id, h.created_at desc, h.id desc) h
     order by h.minute_bucket desc, h.created_at desc, h.id desc
     limit ${asked.limit} offset ${asked.offset}`;
  return rows.map(toHealthCheck);
}

function toHealthCheck(row: HealthCheckRow): HealthCheck {
  return {
    id: row.id,
    runner_id: row.runner_id,
    process: row.process,
    process_id: row.process_id ?? "",
    minute_bucket: row.minute_bucket.toISOString(),
    status: row.status,
    status_code: row.status_code,
    runner_job: null,
    created_at: row.created_at.toISOString(),
  };
}
