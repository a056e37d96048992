import type { Broker } from "../broker.ts";
import { makePoller } from "../clocks/poller.ts";
import { topics } from "../wake/wakes.ts";
import {
  endEvaluation,
  type Evaluation,
  forgetEvaluation,
  isEngineThere,
  leaveEvaluation,
  returnEvaluation,
  takeEvaluation,
  tellEngine,
} from "./evaluation-queries.ts";
import { judgeBuild } from "./judge-build.ts";
import { judgeDeploy } from "./judge-deploy.ts";

/** How many a broker evaluates at once: each has a child process. */
const atOnce = 2;
/** For how long nobody else takes one, whose broker may be gone: longer than all its policies may take together. */
const leaseSeconds = 75;
const lookEveryMs = 2000;
const restMs = 10;
/** A broker with OPA says so as often, while it looks. */
const tellEveryMs = 10_000;

/**
 * Evaluates what is due, an org's one after the other: looks when a workflow has asked, and every two seconds. Answers how to stop: what
 * is under way is given back. A broker without OPA leaves them to those that have it, while there is one.
 */
export function startEvaluations(broker: Broker): () => Promise<void> {
  const { db, log, metrics, wakes } = broker;
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  const ended = metrics.counter(
    "svc_policy_evaluations_total",
    "Evaluations of policies, by what came of them.",
  );

  async function run(one: Evaluation): Promise<void> {
    try {
      ended.add({ result: await evaluate(broker, one, stopped.signal) });
    } catch (error) {
      const giveBack = stopped.signal.aborted ? leaveEvaluation : returnEvaluation;
      await giveBack(db, one).catch(() => {}); // its lease runs out
      if (!stopped.signal.aborted)
        log.error(
          { err: error, org_id: one.org_id, owner_id: one.owner_id },
          "policies were not evaluated; it is tried again",
        );
    }
  }

  let toldAtMs = -Infinity;
  async function isForOthers(): Promise<boolean> {
    if ((await broker.opa.find()) === undefined) return await isEngineThere(db);
    if (performance.now() - toldAtMs > tellEveryMs) {
      await tellEngine(db);
      toldAtMs = performance.now();
    }
    return false;
  }

  async function look(): Promise<number> {
    if (stopped.signal.aborted || (await isForOthers()) || running.size >= atOnce)
      return lookEveryMs;
    const taken = await takeEvaluation(db, leaseSeconds);
    if (taken === undefined) return lookEveryMs;
    const done = run(taken).finally(() => {
      running.delete(done);
      poller.ask();
    });
    running.add(done);
    return 0;
  }

  const onError = (error: unknown): void =>
    log.warn({ err: error }, "could not look for policies; it is tried again");
  const poller = makePoller({ look, restMs, fallbackMs: lookEveryMs, onError });
  poller.start();
  const leave = wakes.subscribe("policies:", () => poller.ask());
  return async () => {
    stopped.abort(new Error("the broker stops"));
    leave();
    poller.stop();
    await Promise.all(running);
  };
}

async function evaluate(broker: Broker, one: Evaluation, stopped: AbortSignal): Promise<string> {
  const judge = one.owner_type === "component_builds" ? judgeBuild : judgeDeploy;
  const report = await judge(broker, one, stopped);
  if (report === undefined) {
    await forgetEvaluation(broker.db, one);
    return "gone";
  }
  await endEvaluation(broker.db, one, report);
  broker.wakes.notify([topics.policies(one.org_id)]); // the org may have more, which another broker takes
  return report.status;
}
