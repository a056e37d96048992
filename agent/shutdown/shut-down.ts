import { completeShutdownRoute } from "../../shared/api/runner-process-shutdown.ts";
import {
  announceTerminationRoute,
  type DepartingStatus,
  updateProcessRoute,
} from "../../shared/api/runner-process.ts";
import { pause } from "../client/pause.ts";
import type { LoopParts } from "../loops/loop-parts.ts";
import type { AgentGround } from "../local-context.ts";
import type { AgentParts } from "../parts.ts";
import { forgetProcess } from "../register/stored-process.ts";
import type { Departure, Leaving } from "./shutdown-state.ts";

const sayWithinMs = 2_000;
const killWithinMs = 10_000;
const hurriedFlushMs = 2_000;
const settleWithinMs = 5_000;

/**
 * Goes down as the departure says: lets what runs finish, stops it, kills it, and brings results and logs to the broker.
 * Resolves when the process may exit. Whatever could not be delivered stays on disk for the next start.
 */
export async function leave(parts: LoopParts, drained: Promise<void>): Promise<Leaving> {
  const { agent, departure } = parts;
  await departure.reached("draining");
  if (leavesJobs(departure)) return await goAside(parts);
  const told = tell(agent, departure, "pending-shutdown");
  await drained;
  await told;
  const isSaid = tell(agent, departure, "shutting-down");
  await stopAll(agent, departure);
  await isSaid;
  const isAllSent = await flush(agent, departure);
  // Jobs that a claim still brings are given back, before the end of this process would fail them.
  const isSettled = await until(() => parts.figures.unsettled === 0, settleWithinMs);
  if (isAllSent && isSettled) await sayGoodbye(agent, departure);
  const leaving = departure.leaving();
  if (leaving === undefined) throw new Error("an agent left that was not leaving");
  return leaving;
}

const leavesJobs = (departure: Departure): boolean => departure.leaving()?.leavesJobs === true;

/** The process lives on at the broker: the next start is it, and holds what this one held. */
async function goAside(parts: LoopParts): Promise<Leaving> {
  const { agent, departure } = parts;
  await flush(agent, departure);
  await until(() => parts.figures.unsettled === 0, settleWithinMs);
  return departure.leaving() as Leaving; // it was asked for it
}

/** Resolves when the agent goes down and nothing runs any more, the deadline passes, or it gets more urgent. */
export async function drain(
  { roster, log }: Pick<AgentGround, "roster" | "log">,
  departure: Departure,
): Promise<void> {
  await departure.reached("draining");
  if (leavesJobs(departure)) return;
  const done = new AbortController();
  void roster.empty().then(() => done.abort());
  void departure.reached("stopping").then(() => done.abort());
  while (!done.signal.aborted) {
    const { deadlineMs = Number.POSITIVE_INFINITY, ...leaving } = departure.leaving() ?? {};
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) {
      log.warn("the time to finish is over; what runs is stopped");
      departure.begin({ ...(leaving as Leaving), urgency: "stopping" }); // it is draining, so somebody asked
      return;
    }
    // A later order may bring the deadline forward.
    await pause(Math.min(leftMs, 1_000), done.signal);
  }
}

/** Stops what runs, as its kind wants, and kills what does not end in time. */
export async function stopAll(
  { roster, config, log }: Pick<AgentGround, "roster" | "config" | "log">,
  departure: Departure,
): Promise<void> {
  const empty = roster.empty();
  const isEmpty = (): boolean => roster.all().length === 0;
  if (isEmpty()) return;
  const stop = (how: "gently" | "now"): void => {
    const reason = departure.leaving()?.reason ?? "agent-stopped";
    for (const job of roster.all()) job.stop(reason, how);
  };
  if (departure.urgency() === "stopping") {
    stop("gently");
    await Promise.race([empty, departure.reached("killing"), pause(config.cancelTimeout)]);
  }
  if (isEmpty()) return;
  stop("now");
  await Promise.race([empty, pause(killWithinMs)]);
  if (!isEmpty())
    log.error({ jobs: roster.all().length }, "jobs did not end although they were killed");
}

/** Whether the broker has everything. Who is told to hurry leaves it to the next start. */
export async function flush(
  { results, deliver, shipping, config, log }: AgentParts,
  departure: Departure,
): Promise<boolean> {
  const untilMs =
    performance.now() +
    (!canTalk(departure)
      ? 0
      : departure.urgency() === "killing"
        ? Math.min(hurriedFlushMs, config.flushTimeout)
        : config.flushTimeout);
  deliver();
  const logs = shipping.allDrained(Math.max(0, untilMs - performance.now()));
  await until(() => results.list().length === 0, untilMs - performance.now());
  const areLogsSent = await logs;
  const left = results.list().length;
  if (left > 0 || !areLogsSent) {
    log.warn({ results: left, logs: areLogsSent }, "not all was sent; the next start sends it");
  }
  return left === 0 && areLogsSent;
}

async function until(isTrue: () => boolean, withinMs: number): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (!isTrue() && performance.now() < endMs) await pause(20);
  return isTrue();
}

/** The broker's clocks decide where this cannot be told. */
async function tell(
  agent: AgentParts,
  departure: Departure,
  status: DepartingStatus,
): Promise<boolean> {
  const { client, runnerId, log } = agent;
  if (!canTalk(departure)) return false;
  const params = { runner_id: runnerId, process_id: agent.process().id };
  const body = { status, status_description: departure.leaving()?.why ?? "" };
  try {
    const how = { scope: "process", giveUpAfterMs: sayWithinMs, timeoutMs: sayWithinMs } as const;
    await client.call(updateProcessRoute, { params, body }, how);
    return true;
  } catch (error) {
    log.warn({ err: error, status }, "the broker was not told");
    return false;
  }
}

async function sayGoodbye(agent: AgentParts, departure: Departure): Promise<void> {
  const { client, runnerId, config, log } = agent;
  const process_id = agent.process().id;
  const how = { scope: "process", giveUpAfterMs: sayWithinMs, timeoutMs: sayWithinMs } as const;
  for (const shutdown_id of departure.shutdownIds()) {
    const params = { runner_id: runnerId, process_id, shutdown_id };
    await client
      .call(completeShutdownRoute, { params }, how)
      .catch((error: unknown) =>
        log.warn({ err: error }, "a shutdown was not reported as complete"),
      );
  }
  if (!(await tell(agent, departure, "shut-down"))) return;
  await forgetProcess(config.dataDir);
  await agent.keptState.keep();
}

/** Tells the broker that the host goes away; the whole of it within two seconds. */
export async function announceTermination(agent: AgentParts): Promise<void> {
  const params = { runner_id: agent.runnerId, process_id: agent.process().id };
  const how = { scope: "process", giveUpAfterMs: sayWithinMs, timeoutMs: sayWithinMs } as const;
  await agent.client
    .call(announceTerminationRoute, { params }, how)
    .catch((error: unknown) => agent.log.warn({ err: error }, "the host's end was not announced"));
}

/** A broker that refuses the token or the version hears nothing more. */
function canTalk(departure: Departure): boolean {
  const exit = departure.leaving()?.exit;
  return exit !== "unauthorized" && exit !== "config";
}
