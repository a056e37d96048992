import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import type { RunnerProcess } from "../../shared/api/runner-process.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { listStatusHistories } from "../status/queries.ts";
import type { NamedProcess } from "./beat-processes.ts";
import { findProcess, findShutdowns, listShutdowns } from "./queries.ts";
import type { ProcessRow, ProcessShutdownRow } from "./row.ts";
import { toProcess, toShutdown } from "./to-process.ts";

/** Processes with their shutdown records and histories, in the order of the rows. */
export async function showProcesses(
  db: Db,
  org: OrgId,
  rows: readonly ProcessRow[],
): Promise<RunnerProcess[]> {
  const ids = rows.map(({ id }) => id);
  const shutdowns = await showShutdowns(db, org, await listShutdowns(db, org, ids));
  const histories = await listStatusHistories(db, org, ids);
  const shutdownsOf = Map.groupBy(shutdowns, (shutdown) => shutdown.runner_process_id);
  return rows.map((row) =>
    toProcess(row, { history: histories.get(row.id), shutdowns: shutdownsOf.get(row.id) ?? [] }),
  );
}

/** One process; 404 when the runner has no such process. */
export async function showProcess(db: Db, named: NamedProcess): Promise<RunnerProcess> {
  const row = await findProcess(db, named);
  const [process] = row === undefined ? [] : await showProcesses(db, named.orgId, [row]);
  if (process === undefined) throw problem.notFound("process");
  return process;
}

/** Shutdown records by their ids, with their histories. */
export async function showShutdownsById(
  db: Db,
  org: OrgId,
  ids: readonly string[],
): Promise<ProcessShutdown[]> {
  return showShutdowns(db, org, await findShutdowns(db, org, ids));
}

async function showShutdowns(
  db: Db,
  org: OrgId,
  rows: readonly ProcessShutdownRow[],
): Promise<ProcessShutdown[]> {
  const ids = rows.map(({ id }) => id);
  const histories = await listStatusHistories(db, org, ids);
  return rows.map((row) => toShutdown(row, histories.get(row.id)));
}
