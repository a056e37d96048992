import type { HeartBeat, NewHeartBeat } from "../../shared/api/heart-beat.ts";
import { type Problem, problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { BeatenProcess } from "./beat-processes.ts";
import { withSettingsOrder } from "./orders-for.ts";
import { findLiveProcessId } from "./queries.ts";

/**
 * Takes a beat and answers, to agents of ours, what they have to do. A beat that names no process, as older
 * clients send it, is of the runner's latest live process of that type; 422 when there is none.
 */
export async function takeHeartBeat(
  { db, beats }: Pick<Broker, "db" | "beats">,
  { orgId, runnerId }: { readonly orgId: OrgId; readonly runnerId: string },
  sent: NewHeartBeat,
): Promise<HeartBeat> {
  const processId =
    sent.process_id === ""
      ? await findLiveProcessId(db, orgId, runnerId, sent.process)
      : sent.process_id;
  if (processId === undefined) throw nobody(sent.process);
  const process = await beats({
    orgId,
    runnerId,
    processId,
    aliveTime: sent.alive_time,
    version: sent.version,
    executions: sent.executions,
  });
  if (process === undefined) throw problem.notFound("process");
  if (process.status === "shut-down") throw shutDown(process);
  return {
    id: newId("hbt"),
    runner_id: runnerId,
    process: process.type,
    process_id: processId,
    version: sent.version,
    started_at: startedAt(process.at, sent.alive_time),
    alive_time: sent.alive_time,
    created_at: process.at.toISOString(),
    ...(process.isOurs && {
      orders: withSettingsOrder(process, sent.settings_version),
      settings_version: process.settingsVersion,
    }),
  };
}

/** A clock that went wrong over there may say any age; the earliest instant there is stands for it. */
export function startedAt(at: Date, aliveTimeNs: number): string {
  return new Date(Math.max(0, at.getTime() - aliveTimeNs / 1e6)).toISOString();
}

function nobody(type: string): Problem {
  const detail = `Name a process: no live process of type "${type}" is registered.`;
  return problem.invalid([{ pointer: "#/process_id", code: "process_unknown", detail }]);
}

function shutDown({ isOurs, orders }: BeatenProcess): Problem {
  return problem.conflict(
    "process_shut_down",
    "This process has shut down; register a new one.",
    isOurs ? { orders } : {},
  );
}
