import { pause } from "../client/pause.ts";
import { jobAt } from "../cluster-jobs/cluster-job.ts";
import type { KubeObject } from "../kubernetes/kube-object.ts";
import type { ExecutorContext } from "./executor-context.ts";
import { marks, readInfo } from "./pod-job-info.ts";
import { giveBackUnbegun, resumeInPod } from "./run-in-pod.ts";

/** The Jobs of this agent whose end the broker may not have. Throws ApiRefusal, or JobFailure when nobody answers. */
export async function listUnsettled({ local, own }: ExecutorContext): Promise<KubeObject[]> {
  const labelSelector = `${marks.executor}=${local.config.executorName},${marks.settled}!=yes`;
  const { resource } = jobAt(own.namespace, "");
  return await own.cluster.list(resource, own.namespace, { labelSelector });
}

/** Goes on with Jobs that nobody here holds; those that were never let go it gives back, and takes them away. */
export function takeUpFound(context: ExecutorContext, objects: readonly KubeObject[]): void {
  const { own, local } = context;
  const { log, runningJobs } = local;
  for (const object of objects) {
    const { name, uid = "" } = object.metadata;
    const info = readInfo(object);
    const at = jobAt(own.namespace, name);
    if (info === undefined) {
      log.warn({ job: name }, "a Job with this agent's label says of no job that it is for it");
    } else if (isSuspended(object)) {
      log.info({ job: name, execution_id: info.execution_id }, "given back: it had not begun");
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
 * Takes up what was left behind because the cluster did not answer just then, until the signal aborts. What nobody holds
 * twice in a row is left; before, it may be on its way out.
 */
export async function sweepLeft(context: ExecutorContext, signal: AbortSignal): Promise<void> {
  let before: ReadonlySet<string> = new Set();
  for (;;) {
    await pause(sweepEveryMs, signal);
    if (signal.aborted) return;
    const listed = await listUnsettled(context).catch(() => undefined); // those who hold a Job say what is wrong
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
