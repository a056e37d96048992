import { pause } from "../client/pause.ts";
import { jobAt } from "../cluster-jobs/cluster-job.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import type { ExecutorContext } from "./executor-context.ts";
import { marks, readInfo } from "./pod-job-info.ts";
import { giveBackUnbegun, resumeInPod } from "./run-in-pod.ts";

/**
 * The Jobs of this agent whose end the broker may not know. Throws ApiRefusal, or JobFailure when the API does not
 * answer.
 */
export async function listUnsettled({ local, own }: ExecutorContext): Promise<KubeObject[]> {
  const labelSelector = `${marks.executor}=${local.config.executorName},${marks.settled}!=yes`;
  const { resource } = jobAt(own.namespace, "");
  return await own.cluster.list(resource, own.namespace, { labelSelector });
}

/** Resumes Jobs that this process does not follow yet; gives back those that were never started, and deletes them. */
export function takeUpFound(context: ExecutorContext, objects: readonly KubeObject[]): void {
  const { own, local } = context;
  const { log, runningJobs } = local;
  for (const object of objects) {
    const { name, uid = "" } = object.metadata;
    const info = readInfo(object);
    const at = jobAt(own.namespace, name);
    if (info === undefined) {
      log.warn({ job: name }, "a Job has this agent's label but no valid annotation of its job");
    } else if (isSuspended(object)) {
      log.info(
        { job: name, execution_id: info.execution_id },
        "giving back a job that had not started",
      );
      runningJobs.add(giveBackUnbegun(context, { at, info }));
    } else {
      log.info({ job: name, execution_id: info.execution_id }, "resuming a job");
      runningJobs.add(resumeInPod(context, { one: { at, uid, object }, info }));
    }
  }
}

const isSuspended = (job: KubeObject): boolean =>
  (job["spec"] as { readonly suspend?: boolean }).suspend === true; // a Job has one

const sweepEveryMs = 15_000;

/**
 * Resumes Jobs that were left behind because the cluster did not answer at that moment, until the signal aborts. A Job
 * counts as left behind when nobody follows it twice in a row; the first time it may be about to be deleted.
 */
export async function sweepLeft(context: ExecutorContext, signal: AbortSignal): Promise<void> {
  let before: ReadonlySet<string> = new Set();
  for (;;) {
    await pause(sweepEveryMs, signal);
    if (signal.aborted) return;
    const listed = await listUnsettled(context).catch(() => undefined); // those who follow a Job log the error
    if (listed === undefined || signal.aborted) continue;
    const unheld = listed.filter((object) => isLeft(context, object));
    takeUpFound(
      context,
      unheld.filter(({ metadata }) => before.has(metadata.uid ?? "")),
    );
    before = new Set(unheld.map(({ metadata }) => metadata.uid ?? ""));
  }
}

function isLeft({ local: { runningJobs } }: ExecutorContext, object: KubeObject): boolean {
  const info = readInfo(object);
  if (info === undefined || object.metadata.deletionTimestamp !== undefined) return false;
  return !runningJobs.all().some(({ executionId }) => executionId === info.execution_id);
}
