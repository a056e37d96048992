import type { AgentContext } from "../agent-context.ts";
import { backoffMs } from "../client/backoff.ts";
import { pause } from "../client/pause.ts";
import { ExitError } from "../exit-error.ts";
import { type Executor, openHostExecutor } from "../jobs/host-executor.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import type { LocalContext } from "../local-context.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";
import type { ExecutorContext } from "./executor-context.ts";
import { takeLease } from "./executor-lease.ts";
import { openKeptState } from "./kept-state.ts";
import { exitFor, openOwnCluster } from "./own-cluster.ts";
import { readPodTemplate } from "./pod-template.ts";
import { isForPod } from "./room-for-pods.ts";
import { beginInPod } from "./run-in-pod.ts";
import { seeTogether } from "./see-together.ts";
import { listUnsettled, sweepLeft, takeUpFound } from "./take-up-found.ts";
import { takeUpLost } from "./take-up-lost.ts";

/**
 * Runs each job in a pod of its own, except those that concern the agent itself. Resumes the Jobs that the cluster has
 * of this agent before the broker is told which are held. What was created but had not started is given back.
 */
export async function openPodJobs(local: LocalContext, shutdown: ShutdownState): Promise<Executor> {
  const { config, log } = local;
  if (config.executorImage === undefined) {
    const words = "executor = kubernetes needs executor-image: the image of the agent itself.";
    throw new ExitError("config", words);
  }
  const hostExecutor = await openHostExecutor(local, shutdown);
  const template = await readPodTemplate(config.executorPod);
  const own = await openOwnCluster(config, new AbortController().signal);
  const onLost = (why: string): void => {
    log.error({ executor_name: config.executorName }, why);
    shutdown.request({ urgency: "draining", exit: "config", why, leavesJobs: true });
  };
  const lease = await takeLease({ own, config, log, leaving: shutdown.requested, onLost });
  local.heldClaims.addCondition(lease.problem);
  try {
    Object.assign(local.keptState, await openKeptState(own, local, lease.isHeld));
  } catch (error) {
    await lease.release();
    throw error;
  }
  const connected = Promise.withResolvers<AgentContext>();
  const left = new AbortController();
  shutdown.onChange(() => {
    if (shutdown.current()?.leavesJobs === true) left.abort();
  });
  const context: ExecutorContext = {
    local,
    own,
    see: seeTogether(own, left.signal),
    template,
    connected: connected.promise,
    left: left.signal,
  };
  return {
    connect(agent) {
      connected.resolve(agent);
      void takeUpLost(context);
      void sweepLeft(context, shutdown.requested);
      const beginHere = hostExecutor.connect(agent);
      return (claimed) =>
        isForPod(claimed.job) ? beginInPod(context, claimed) : beginHere(claimed);
    },
    async resume() {
      await hostExecutor.resume();
      takeUpFound(context, await listPatiently(context));
    },
    close: lease.release,
  };
}

/** Retries until the cluster answers: without the list, the broker would be told that this agent holds no jobs. */
async function listPatiently(context: ExecutorContext): Promise<KubeObject[]> {
  const { local, own, left } = context;
  const { config, log } = local;
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  const endsAtMs = performance.now() + (config.startTimeout || Number.POSITIVE_INFINITY);
  for (let nth = 0; ; nth++) {
    try {
      return await listUnsettled(context);
    } catch (error) {
      const words = `The executor's Jobs in namespace ${own.namespace} cannot be listed: ${(error as Error).message}`;
      if (exitFor(error) === "config") throw new ExitError("config", words, error);
      if (performance.now() > endsAtMs) throw new ExitError("unreachable", words, error);
      log.warn({ err: error }, "the cluster does not answer; trying again");
      await pause(backoffMs(nth, limits), left);
    }
  }
}
