import { pause, untilAborted } from "../client/pause.ts";
import type { ClusterJob } from "../cluster-jobs/cluster-job.ts";
import { type FollowedEnd, followClusterJob } from "../cluster-jobs/follow-cluster-job.ts";
import type { JobLook } from "../cluster-jobs/judge-cluster-job.ts";
import type { JobFault } from "../cluster-jobs/judge-pod.ts";
import { podsOfJob } from "../cluster-jobs/read-cluster-job.ts";
import { isRefusal } from "../kubernetes/api-refusal.ts";
import type { ExecutorContext } from "./executor-context.ts";
import type { PodStop } from "./pod-stop.ts";

/** How a pod ended; `heldBack`: the cluster accepts no pod at present. */
export type PodEnd = Pick<FollowedEnd, "look" | "fault"> & {
  readonly is: FollowedEnd["is"] | "heldBack" | "left";
};

/** A Job, and whether its pod is known to have started: then it is not held back any more. */
type Followed = { readonly one: ClusterJob; readonly hasBegun: boolean };

const againMs = 2_000;

/**
 * Follows a Job until its pod has ended or cannot start, or nobody waits for it any more. Deletes the Job when the
 * runner's job is stopped. Retries while the cluster does not answer. `left`: the agent ends, and the pod stays.
 */
export async function followPod(
  context: ExecutorContext,
  followed: Followed,
  stop: PodStop,
): Promise<PodEnd> {
  const { one } = followed;
  const over = new AbortController();
  const ended = AbortSignal.any([over.signal, context.left]);
  const acting = Promise.all([
    when(stop.told, ended, () => deleteJob(context, one)),
    when(stop.hurried, ended, () => kill(context, one)),
  ]);
  try {
    return await follow(context, followed, stop);
  } finally {
    over.abort();
    await acting;
  }
}

async function follow(
  context: ExecutorContext,
  { one, hasBegun }: Followed,
  stop: PodStop,
): Promise<PodEnd> {
  const { config, log } = context.local;
  const held = new AbortController();
  let heldBy: JobFault | undefined;
  let isTaken = hasBegun;
  const onLook = (look: JobLook): void => {
    // Once: that there is room for this pod says nothing about the next one.
    if (look.pods.length > 0 && !isTaken) context.local.heldClaims.release();
    isTaken ||= look.pods.length > 0;
    if (isTaken) return;
    if (look.phase !== "waiting" || look.fault === undefined) return;
    heldBy = look.fault;
    held.abort();
  };
  const signal = AbortSignal.any([stop.givenUp, held.signal, context.left]);
  for (;;) {
    try {
      const startWithinMs = config.executorStartTimeout;
      const end = await followClusterJob(context.own.cluster, one, {
        signal,
        startWithinMs,
        onLook,
        see: context.see,
      });
      if (end.is !== "stopped") return end;
      if (heldBy !== undefined) return { is: "heldBack", look: end.look, fault: heldBy };
      return context.left.aborted ? { ...end, is: "left" } : end;
    } catch (error) {
      const look = { phase: "waiting", pods: [] } as const;
      if (signal.aborted) return { is: context.left.aborted ? "left" : "stopped", look };
      log.warn(
        { err: error, job: one.at.ref.name },
        "failed to read the state of a pod; trying again",
      );
      await pause(againMs, signal);
    }
  }
}

/** Waits for the signal, then acts, and retries until that succeeds. */
async function when(
  signal: AbortSignal,
  ended: AbortSignal,
  act: () => Promise<unknown>,
): Promise<void> {
  await untilAborted(signal, ended);
  while (!ended.aborted) {
    try {
      await act();
      return;
    } catch {
      await pause(againMs, ended); // the error is logged where the Job is followed
    }
  }
}

/** Deletes the Job once its pods are gone; these have their grace period. */
async function deleteJob({ own }: ExecutorContext, { at, uid }: ClusterJob): Promise<void> {
  await own.cluster.remove(at, uid).catch((error: unknown) => {
    if (!isRefusal(error, 409)) throw error; // another Job has its name by now
  });
}

async function kill({ own }: ExecutorContext, one: ClusterJob): Promise<void> {
  for (const { metadata } of (await podsOfJob(own.cluster, one)) ?? []) {
    const path = `/api/v1/namespaces/${own.namespace}/pods/${metadata.name}`;
    const body = { gracePeriodSeconds: 1, preconditions: { uid: metadata.uid } };
    await own.api.text({ method: "DELETE", path, body }).catch((error: unknown) => {
      if (!isRefusal(error, 404) && !isRefusal(error, 409)) throw error;
    });
  }
}
