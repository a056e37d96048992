import type { HeartBeat, NewHeartBeat } from "../../shared/api/heart-beat.ts";
import { type Problem, problem } from "../../shared/problem.ts";
import { runnerProcessTypes } from "../../shared/process-groups.ts";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { BeatenProcess } from "./beat-processes.ts";
import { withSettingsOrder } from "./orders-for.ts";
import { findBeatingProcessId } from "./queries.ts";
import { type RegisteringParts, registerByBeat } from "./register-by-beat.ts";

/**
 * Takes a heartbeat and answers our agents with their orders. Older clients name no process and register none:
 * their first heartbeat registers a process of that type, and later ones belong to it.
 */
export async function takeHeartBeat(
  broker: RegisteringParts & Pick<Broker, "beats" | "permits">,
  { orgId, runnerId }: { readonly orgId: OrgId; readonly runnerId: string },
  sent: NewHeartBeat,
): Promise<HeartBeat> {
  const processId =
    sent.process_id === ""
      ? await broker.permits.run({ orgId, token: runnerId }, () =>
          beatingProcess(broker, { orgId, runnerId }, sent),
        )
      : sent.process_id;
  const process = await broker.beats({
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

async function beatingProcess(
  broker: RegisteringParts,
  runner: { readonly orgId: OrgId; readonly runnerId: string },
  { process, version }: NewHeartBeat,
): Promise<string> {
  const type = runnerProcessTypes.find((one) => one === process);
  if (type === undefined) throw unknownType(process);
  const known = await findBeatingProcessId(broker.db, runner.orgId, runner.runnerId, type);
  return known ?? (await registerByBeat(broker, runner, { type, version }));
}

/** A wrong clock may send any age; the earliest possible time is used then. */
export function startedAt(at: Date, aliveTimeNs: number): string {
  return new Date(Math.max(0, at.getTime() - aliveTimeNs / 1e6)).toISOString();
}

function unknownType(type: string): Problem {
  const known = runnerProcessTypes.map((one) => `"${one}"`).join(", ");
  const detail = `Unknown process type "${type.slice(0, 50)}". Send process_id, or one of the types ${known}.`;
  return problem.invalid([{ pointer: "#/process", code: "process_unknown", detail }]);
}

function shutDown({ isOurs, orders }: BeatenProcess): Problem {
  return problem.conflict(
    "process_shut_down",
    "This process has shut down. Register a new one.",
    isOurs ? { orders } : {},
  );
}
