import { backoffMs } from "../../client/backoff.ts";
import { Refusal } from "../driver.ts";
import { isRelease } from "../is-release.ts";
import type { Operation } from "../journal.ts";
import {
  isCancelled,
  isTriedAgain,
  quickMs,
  type Step,
  type StepContext,
  type StepMemory,
  wordsOf,
} from "./step.ts";

/** Fetches and verifies the new release, while the agent goes on as ever. */
export const prepare: Step = async (context, operation) => {
  const { key, from, to } = operation;
  const { driver, end, move, say } = context;
  const memory = context.memory();
  if (isCancelled(context, operation)) {
    return await end(operation, "cancelled", "It was cancelled; nothing has changed.");
  }
  const seen = await driver.look();
  const isThere = isRelease(seen.release, to);
  if (seen.isRunning && (isThere || isRelease(from, to) || driver.versionOf(from) === to)) {
    const known = isThere ? seen.release : isRelease(from, to) ? from : to;
    const release = known ?? to;
    return await end(operation, "unchanged", `The agent already runs ${to}.`, { release });
  }
  if (performance.now() >= memory.againAtMs) {
    memory.preparing ??= beginPreparing(context, operation);
  }
  if (memory.preparing?.isDone !== true) return Math.min(quickMs, await context.keepRunning());
  const { error, exact } = memory.preparing;
  memory.preparing = undefined;
  if (error === undefined) {
    say(key, `${to} is ready.`);
    return await move(operation, "drain", { to: exact });
  }
  if (!(error instanceof Refusal)) return await tryAgain(context, operation, error);
  // What the settings ask for and this host cannot do is not tried again and again.
  const rejected = { release: to, why: error.message };
  return await end(operation, "refused", error.message, { rejected });
};

/** What may pass (a network, a full disk) is tried some times more; then the operation ends, and others have their turn. */
async function tryAgain(
  { config, end, log, memory, say }: StepContext,
  operation: Operation,
  error: unknown,
): Promise<number> {
  const { key, to, drain_until_ms } = operation;
  const step = memory();
  const words = wordsOf(error);
  step.attempts += 1;
  if (!isTriedAgain(step.attempts) || Date.now() >= drain_until_ms) {
    return await end(operation, "failed", `${to} could not be made ready: ${words}`);
  }
  log.warn({ err: error, attempts: step.attempts }, "a release could not be made ready");
  if (step.attempts === 1) say(key, `${to} is not ready yet, and is tried again: ${words}`);
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  step.againAtMs = performance.now() + backoffMs(step.attempts - 1, limits);
  return quickMs;
}

function beginPreparing(
  { driver, link, over, say, signalOf }: StepContext,
  { key, to }: Operation,
): StepMemory["preparing"] & {} {
  const preparing: StepMemory["preparing"] & {} = { isDone: false, exact: to, error: undefined };
  const asked = signalOf(key);
  const signal = asked === undefined ? over : AbortSignal.any([over, asked]);
  const tell = (words: string): void => say(key, words);
  void driver
    .prepare(to, { settings: link()?.settings(), signal, say: tell })
    .then(
      (exact) => (preparing.exact = exact),
      (error: unknown) => (preparing.error = error),
    )
    .finally(() => (preparing.isDone = true));
  return preparing;
}
