import type { Operation } from "../journal.ts";
import { isCancelled, quickMs, type Step, type StepContext } from "./step.ts";

const isStop = ({ kind }: Operation): boolean => kind === "stop" || kind === "power-off";

/** The agent takes no new jobs and finishes its running jobs. Nothing is stopped: after the time for it, an update gives up. */
export const drain: Step = async (context, operation) => {
  const { driver, end, move, say } = context;
  if (operation.former === "") {
    return await move(operation, "drain", { former: (await driver.processId()) ?? "none" });
  }
  if (!(await driver.look()).isRunning) {
    return isStop(operation) ? await stopped(context, operation) : await move(operation, "start");
  }
  const memory = context.memory();
  if (isCancelled(context, operation)) {
    const words =
      "It was cancelled: the agent finishes its running jobs and is started again unchanged.";
    return await end(operation, "cancelled", words, { finishing: memory.nudges > 0 });
  }
  if (memory.nudges === 0) {
    memory.nudges = 1;
    say(operation.key, "The agent takes no new jobs and finishes its running jobs.");
    await driver.nudge("finish");
  }
  if (Date.now() < operation.drain_until_ms) return quickMs;
  if (isStop(operation)) return await move(operation, "stop");
  const words =
    "A job was still running when the time was over. The agent finishes it and is started again unchanged.";
  return await end(operation, "still_busy", words, { finishing: true });
};

/** What still runs is stopped, each job in its own way; what does not end then is killed. */
export const stop: Step = async (context, operation) => {
  const { driver, config } = context;
  if (!(await driver.look()).isRunning) return await stopped(context, operation);
  const memory = context.memory();
  if (memory.nudges < 2) {
    // The first SIGTERM asks it to finish, the second to stop what runs.
    memory.nudges += 1;
    await driver.nudge("stop");
  } else if (performance.now() - memory.sinceMs > config.cancelTimeout + config.flushTimeout) {
    await driver.nudge("kill");
  }
  return quickMs;
};

async function stopped({ end }: StepContext, operation: Operation): Promise<number> {
  if (operation.kind === "stop") {
    const why = "a job of the management process stopped it";
    const words = "The agent has finished and is stopped, until it is restarted or updated.";
    return await end(operation, "stopped", words, { stopped: why });
  }
  const words = "The agent has finished; the host is powered off now.";
  const next = { ...operation, step: "power" as const };
  return await end(operation, "powering_off", words, { operation: next });
}
