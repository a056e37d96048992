import { problem } from "../../shared/problem.ts";
import type { DepartingStatus } from "../../shared/runner-process.ts";
import type { Broker } from "../broker.ts";
import { notifyQueues } from "../queues/queue-keys.ts";
import type { NamedProcess } from "./beat-processes.ts";

type LeavingRow = { status: string; woken: string[] | null };

/**
 * Stores the status of a process that is shutting down. `shut-down` ends whatever it still ran and is final: 409 for
 * another status after it; the same again changes nothing.
 */
export async function leaveProcess(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  { orgId, runnerId, processId }: NamedProcess,
  { status, description }: { readonly status: DepartingStatus; readonly description: string },
): Promise<void> {
  const [row] = await db<LeavingRow[]>`
    select p.status,
           case when p.status not in ('shut-down', ${status})
                then process_goes_down(p.id, ${status}, ${description}) end as woken
      from runner_processes p
     where p.org_id = ${orgId} and p.runner_id = ${runnerId} and p.id = ${processId}`;
  if (row === undefined) throw problem.notFound("process");
  if (row.status === "shut-down" && status !== "shut-down") {
    throw problem.conflict("process_shut_down", "This process has shut down. Register a new one.");
  }
  if (row.woken !== null) notifyQueues(wakes, orgId, row.woken);
}

/** Stores why a process takes no jobs at present; an empty text means that it takes jobs again. */
export async function noteNoJobs(
  { db }: Pick<Broker, "db">,
  { orgId, runnerId, processId }: NamedProcess,
  why: string,
): Promise<void> {
  const [row] = await db`
    update runner_processes set takes_no_jobs = nullif(${why}, '')
     where org_id = ${orgId} and runner_id = ${runnerId} and id = ${processId}
    returning id`;
  if (row === undefined) throw problem.notFound("process");
}

/** What an agent tells of its scheduled restarts; empty for none. */
export type RestartTimes = { readonly next: string; readonly previous: string };

/** Stores when a process is restarted on schedule next, and when one of its agent last was. */
export async function noteRestarts(
  { db }: Pick<Broker, "db">,
  { orgId, runnerId, processId }: NamedProcess,
  { next, previous }: RestartTimes,
): Promise<void> {
  const [row] = await db`
    update runner_processes
       set next_restart_at = nullif(${next}::text, '')::timestamptz,
           previous_restart_at = nullif(${previous}::text, '')::timestamptz
     where org_id = ${orgId} and runner_id = ${runnerId} and id = ${processId}
    returning id`;
  if (row === undefined) throw problem.notFound("process");
}

/** Stores that the host of a process is being terminated: it gets no new jobs. A process that has ended is not changed. */
export async function announceTermination(
  { db, wakes }: Pick<Broker, "db" | "wakes">,
  { orgId, runnerId, processId }: NamedProcess,
): Promise<void> {
  const [row] = await db<{ woken: string[] }[]>`
    select process_terminating(p.id) as woken
      from runner_processes p
     where p.org_id = ${orgId} and p.runner_id = ${runnerId} and p.id = ${processId}`;
  if (row === undefined) throw problem.notFound("process");
  notifyQueues(wakes, orgId, row.woken);
}
