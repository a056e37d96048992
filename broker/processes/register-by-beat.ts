import { problem } from "../../shared/problem.ts";
import { defaultServes, type RunnerProcessType } from "../../shared/process-groups.ts";
import type { Broker } from "../broker.ts";
import { newRandomId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { notifyQueues } from "../queues/queue-keys.ts";

type RegisteredRow = { is_allowed: boolean; process_id: string | null; woken: string[] };

export type RegisteringParts = Pick<Broker, "db" | "wakes" | "limits" | "config">;

/** A process without heartbeats does not count after a minute, so there may soon be room. */
const againAfterS = 10;

/**
 * Registers the process of a runner whose client does not register; returns its id. There is at most one of a type until it
 * shuts down, however many first heartbeats arrive at once. 404 when the runner is
 * gone, 429 when it has as many processes as it may.
 */
export async function registerByBeat(
  { db, wakes, limits, config }: RegisteringParts,
  { orgId, runnerId }: { readonly orgId: OrgId; readonly runnerId: string },
  { type, version }: { readonly type: RunnerProcessType; readonly version: string },
): Promise<string> {
  const serves = defaultServes(type, false);
  const [row] = await db<RegisteredRow[]>`
    select * from register_by_beat(${orgId}, ${runnerId}, ${newRandomId("prc")}, ${type}, ${version},
                                   ${serves === null ? null : JSON.stringify(serves)}::text::jsonb,
                                   ${config.limits.processes_of_runner})`;
  if (row?.is_allowed === false && row.process_id === null) {
    throw limits.refusal("processes_of_runner", againAfterS);
  }
  if (row === undefined || row.process_id === null) throw problem.notFound("runner");
  notifyQueues(wakes, orgId, row.woken);
  return row.process_id;
}
