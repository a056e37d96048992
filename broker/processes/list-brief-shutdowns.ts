import type { ShutdownType } from "../../shared/api/runner-process-shutdown.ts";
import type { ShutdownStatus } from "../../shared/runner-process.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";

type ProcessPlace = { readonly runnerId: string; readonly processId: string };
export type BriefShutdown = {
  readonly id: string;
  readonly type: ShutdownType;
  readonly status: ShutdownStatus;
};
/** Undefined when the runner has no such process. */
export type ListBriefShutdowns = (
  asked: ProcessPlace,
) => Promise<readonly BriefShutdown[] | undefined>;

type Row = { at: number; shutdowns: BriefShutdown[] };

/** The shutdowns of a process, for any caller that knows its id. Processes ask often: concurrent reads share a statement. */
export function makeListBriefShutdowns(db: Db): ListBriefShutdowns {
  return makeBatcher((asked) => list(db, asked), { max: 500 });
}

async function list(
  db: Db,
  asked: readonly ProcessPlace[],
): Promise<(readonly BriefShutdown[] | undefined)[]> {
  const rows = await db<Row[]>`
    select a.at::int,
           coalesce((select json_agg(json_build_object('id', d.id, 'type', d.type, 'status', d.status)
                                     order by d.created_at, d.id)
                       from runner_process_shutdowns d where d.runner_process_id = p.id), '[]') as shutdowns
      from unnest(${asked.map(({ processId }) => processId)}::text[],
                  ${asked.map(({ runnerId }) => runnerId)}::text[]) with ordinality a (process_id, runner_id, at)
      join runner_processes p on p.id = a.process_id and p.runner_id = a.runner_id`;
  const byPlace = new Map(rows.map(({ at, shutdowns }) => [at, shutdowns]));
  return asked.map((_, at) => byPlace.get(at + 1));
}
