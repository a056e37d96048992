import { formatDuration } from "../../../shared/duration.ts";
import type { Operation } from "../journal.ts";
import { isHopeless } from "../keeper.ts";
import { makeProof } from "../proof.ts";
import { nameOf, quickMs, type Step, type StepContext, wordsOf } from "./step.ts";

/** What never sent a heartbeat has nothing to finish that could take longer. */
const backWithinMs = 10_000;
/** The former release has worked before: a slow host must not count as a failure. */
const patienceMs = 60_000;

/** Starts the agent in the release that it is to have. */
export const start: Step = async (context, operation) => {
  const { driver, move, say } = context;
  const { to, key } = operation;
  const seen = await driver.look();
  if (seen.isRunning && seen.release !== undefined && seen.release !== to) {
    return await move(operation, "drain");
  }
  if (!seen.isRunning) {
    say(key, `Starting the agent as ${nameOf(to)}.`);
    const fault = await tryStart(context, to);
    if (fault !== undefined) return await giveUp(context, operation, fault);
  }
  return await move(operation, "prove");
};

/** Waits for the first heartbeat. Without it, an update goes back. */
export const prove: Step = async (context, operation) => {
  const { kind, to, from } = operation;
  const { end } = context;
  const told = await watch(context, operation, {
    release: to,
    withinMs: context.config.mngProbation,
  });
  if (told === undefined) return quickMs;
  if (told === "proven" && kind === "update") {
    const words = `The agent was switched from ${nameOf(from)} to ${to}, which has sent its first heartbeat.`;
    return await end(operation, "switched", words, { release: to, stopped: "", rejected: null });
  }
  if (told === "proven") {
    const words = "The agent was restarted and has sent its first heartbeat.";
    return await end(operation, "restarted", words, { stopped: "" });
  }
  return await giveUp(context, operation, told);
};

async function giveUp(context: StepContext, operation: Operation, why: string): Promise<number> {
  const { kind, to, from, key } = operation;
  if (kind === "update") {
    context.say(key, `${to} does not work here: ${why}. Going back to ${nameOf(from)}.`);
    // A heartbeat that it sends too late must not pass for one of the former release.
    const former = (await context.driver.processId()) ?? operation.former;
    return await context.move(operation, "back", { why, former });
  }
  const words = `The agent was started again, but ${why}. It is started again until it works.`;
  return await context.end(operation, "failed", words, { stopped: "" });
}

/** Ends the release that does not work, and starts the former one. */
export const back: Step = async (context, operation) => {
  const { driver, move } = context;
  const { from } = operation;
  const memory = context.memory();
  const seen = await driver.look();
  if (!seen.isRunning) {
    await tryStart(context, from); // the next step tries again
    return await move(operation, "reprove");
  }
  // It was started before this process was killed.
  if (seen.release === from) return await move(operation, "reprove");
  if (memory.nudges === 0) {
    memory.nudges = 1;
    await driver.nudge("stop");
  } else if (performance.now() - memory.sinceMs > backWithinMs) {
    await driver.nudge("kill");
  }
  return quickMs;
};

/** Waits for the first heartbeat of the former release. */
export const reprove: Step = async (context, operation) => {
  const { from, to, why } = operation;
  const withinMs = Math.max(context.config.mngProbation, patienceMs);
  const told = await watch(context, operation, { release: from, withinMs, isPatient: true });
  if (told === undefined) return quickMs;
  const isBack = told === "proven";
  const done = `${to} does not work here: ${why}. The agent is back at ${nameOf(from)}`;
  const words = isBack ? `${done}.` : `${done}, but ${told} either.`;
  const change = { stopped: "", rejected: { release: to, why } };
  return await context.end(operation, isBack ? "rolled_back" : "failed", words, change);
};

type Watching = {
  readonly release: string;
  readonly withinMs: number;
  /** Whether one that cannot be started is tried again within that time. */
  readonly isPatient?: boolean;
};

/** "proven", why it is not, or undefined while that is open. An agent that ends is started again meanwhile. */
async function watch(
  context: StepContext,
  { former }: Operation,
  { release, withinMs, isPatient = false }: Watching,
): Promise<string | undefined> {
  const { driver, keeper, link } = context;
  const memory = context.memory();
  const seen = await driver.look();
  if (!seen.isRunning) {
    memory.exitCode = seen.exitCode ?? memory.exitCode;
    const advice = keeper.advise(seen, performance.now());
    if (isHopeless(seen.exitCode) || advice.do === "leave") {
      return `it exited with code ${seen.exitCode}`;
    }
    if (advice.do === "start") memory.fault = await tryStart(context, release);
    if (memory.fault !== undefined && !isPatient) return memory.fault;
  }
  memory.proof ??= makeProof(driver, link, former);
  const { version, waitedMs } = await memory.proof.look();
  const expected = driver.versionOf(release);
  if (version !== undefined) {
    const isRight = expected === undefined || version === expected;
    return isRight ? "proven" : `it reports version ${version}, not ${expected}`;
  }
  if (waitedMs < withinMs) return undefined;
  const { exitCode, fault } = memory;
  const exit = exitCode === undefined ? undefined : `it exited with code ${exitCode}`;
  const why = fault ?? exit;
  const silence = `it sent no heartbeat within ${formatDuration(withinMs * 1e6)}`;
  return why === undefined ? silence : `${silence} (${why})`;
}

/** Why it could not be started; undefined when it was. */
async function tryStart(context: StepContext, release: string): Promise<string | undefined> {
  try {
    await context.startAgent(release);
    return undefined;
  } catch (error) {
    context.log.warn({ err: error, release }, "the agent could not be started");
    return `it could not be started: ${wordsOf(error)}`;
  }
}
