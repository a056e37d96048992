import { completeShutdownRoute } from "../../shared/api/runner-process-shutdown.ts";
import { announceTerminationRoute, updateProcessRoute } from "../../shared/api/runner-process.ts";
import type { DepartingStatus } from "../../shared/runner-process.ts";
import type { AgentContext } from "../agent-context.ts";
import { pause } from "../client/pause.ts";
import type { LocalContext } from "../local-context.ts";
import type { LoopContext } from "../loops/loop-context.ts";
import { forgetProcess } from "../register/stored-process.ts";
import type { ShutdownState, ShutdownRequest } from "./shutdown-state.ts";

const sayWithinMs = 2_000;
const killWithinMs = 10_000;
const hurriedFlushMs = 2_000;
const settleWithinMs = 5_000;

/**
 * Carries out the shutdown: waits for jobs, stops or kills them, then delivers results and logs. Resolves when the
 * process may exit. What could not be delivered stays on disk for the next start.
 */
export async function shutDown(
  parts: LoopContext,
  drained: Promise<void>,
): Promise<ShutdownRequest> {
  const { agent, shutdown } = parts;
  await shutdown.reached("draining");
  if (leavesJobs(shutdown)) return await detach(parts);
  const told = tell(agent, shutdown, "pending-shutdown");
  await drained;
  await told;
  const isSaid = tell(agent, shutdown, "shutting-down");
  await stopAll(agent, shutdown);
  await isSaid;
  const isAllSent = await flush(agent, shutdown);
  // Jobs that a claim still returns are given back, before the end of this process would fail them.
  const isSettled = await until(() => parts.figures.unsettled === 0, settleWithinMs);
  if (isAllSent && isSettled) await completeShutdown(agent, shutdown);
  const request = shutdown.current();
  if (request === undefined) throw new Error("the agent shut down without a request");
  return request;
}

const leavesJobs = (shutdown: ShutdownState): boolean => shutdown.current()?.leavesJobs === true;

/** The process stays registered: the next start continues as the same process, with the same jobs. */
async function detach(parts: LoopContext): Promise<ShutdownRequest> {
  const { agent, shutdown } = parts;
  await flush(agent, shutdown);
  await until(() => parts.figures.unsettled === 0, settleWithinMs);
  return shutdown.current() as ShutdownRequest; // a shutdown was requested
}

/**
 * Resolves when a shutdown was requested and nothing runs any more, its deadline passes, or it becomes more urgent.
 */
export async function drain(
  { runningJobs, log }: Pick<LocalContext, "runningJobs" | "log">,
  shutdown: ShutdownState,
): Promise<void> {
  await shutdown.reached("draining");
  if (leavesJobs(shutdown)) return;
  const done = new AbortController();
  void runningJobs.empty().then(() => done.abort());
  void shutdown.reached("stopping").then(() => done.abort());
  while (!done.signal.aborted) {
    const { deadlineMs = Number.POSITIVE_INFINITY, ...leaving } = shutdown.current() ?? {};
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) {
      log.warn("the drain timeout is over; stopping the running jobs");
      shutdown.request({ ...(leaving as ShutdownRequest), urgency: "stopping" }); // it drains, so there was a request
      return;
    }
    // A later order may bring another deadline.
    await pause(Math.min(leftMs, 1_000), done.signal);
  }
}

/** Stops the running jobs with their stop plans, and kills those that do not end in time. */
export async function stopAll(
  { runningJobs, config, log }: Pick<LocalContext, "runningJobs" | "config" | "log">,
  shutdown: ShutdownState,
): Promise<void> {
  const empty = runningJobs.empty();
  const isEmpty = (): boolean => runningJobs.all().length === 0;
  if (isEmpty()) return;
  const stop = (how: "gently" | "now"): void => {
    const reason = shutdown.current()?.reason ?? "agent-stopped";
    for (const job of runningJobs.all()) job.stop(reason, how);
  };
  if (shutdown.urgency() === "stopping") {
    stop("gently");
    await Promise.race([empty, shutdown.reached("killing"), pause(config.cancelTimeout)]);
  }
  if (isEmpty()) return;
  stop("now");
  await Promise.race([empty, pause(killWithinMs)]);
  if (!isEmpty()) log.error({ jobs: runningJobs.all().length }, "killed jobs did not end");
}

/**
 * Delivers the rest; true when the broker has everything. After a kill request, the rest waits for the next start.
 */
export async function flush(
  { results, deliver, shipping, config, log }: AgentContext,
  shutdown: ShutdownState,
): Promise<boolean> {
  const untilMs =
    performance.now() +
    (!canTalk(shutdown)
      ? 0
      : shutdown.urgency() === "killing"
        ? Math.min(hurriedFlushMs, config.flushTimeout)
        : config.flushTimeout);
  deliver();
  const logs = shipping.allDrained(Math.max(0, untilMs - performance.now()));
  await until(() => results.list().length === 0, untilMs - performance.now());
  const areLogsSent = await logs;
  const left = results.list().length;
  if (left > 0 || !areLogsSent) {
    log.warn(
      { results: left, logs: areLogsSent },
      "some results or logs were not sent; the next start sends them",
    );
  }
  return left === 0 && areLogsSent;
}

async function until(isTrue: () => boolean, withinMs: number): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  while (!isTrue() && performance.now() < endMs) await pause(20);
  return isTrue();
}

/** If the broker cannot be told, its timeouts decide. */
async function tell(
  agent: AgentContext,
  shutdown: ShutdownState,
  status: DepartingStatus,
): Promise<boolean> {
  const { client, runnerId, log } = agent;
  if (!canTalk(shutdown)) return false;
  const params = { runner_id: runnerId, process_id: agent.process().id };
  const body = { status, status_description: shutdown.current()?.why ?? "" };
  try {
    const how = { scope: "process", giveUpAfterMs: sayWithinMs, timeoutMs: sayWithinMs } as const;
    await client.call(updateProcessRoute, { params, body }, how);
    return true;
  } catch (error) {
    log.warn({ err: error, status }, "reporting the shutdown failed");
    return false;
  }
}

async function completeShutdown(agent: AgentContext, shutdown: ShutdownState): Promise<void> {
  const { client, runnerId, config, log } = agent;
  const process_id = agent.process().id;
  const how = { scope: "process", giveUpAfterMs: sayWithinMs, timeoutMs: sayWithinMs } as const;
  for (const shutdown_id of shutdown.shutdownIds()) {
    const params = { runner_id: runnerId, process_id, shutdown_id };
    await client
      .call(completeShutdownRoute, { params }, how)
      .catch((error: unknown) =>
        log.warn({ err: error }, "reporting a shutdown as complete failed"),
      );
  }
  if (!(await tell(agent, shutdown, "shut-down"))) return;
  await forgetProcess(config.dataDir);
  await agent.keptState.keep();
}

/** Tells the broker that the host shuts down; takes at most two seconds. */
export async function announceTermination(agent: AgentContext): Promise<void> {
  const params = { runner_id: agent.runnerId, process_id: agent.process().id };
  const how = { scope: "process", giveUpAfterMs: sayWithinMs, timeoutMs: sayWithinMs } as const;
  await agent.client
    .call(announceTerminationRoute, { params }, how)
    .catch((error: unknown) =>
      agent.log.warn({ err: error }, "announcing the host's shutdown failed"),
    );
}

/** Nothing is sent to a broker that refuses the token or the version. */
function canTalk(shutdown: ShutdownState): boolean {
  const exit = shutdown.current()?.exit;
  return exit !== "unauthorized" && exit !== "config";
}
