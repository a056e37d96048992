import { formatDuration } from "../../../shared/duration.ts";
import { type ClusterJob, clusterJobName, jobAt } from "../../cluster-jobs/cluster-job.ts";
import { followClusterJob, type FollowedEnd } from "../../cluster-jobs/follow-cluster-job.ts";
import { followLogs, type LogFollower } from "../../cluster-jobs/follow-logs.ts";
import type { JobLook } from "../../cluster-jobs/judge-cluster-job.ts";
import { makeClusterJob, type NewClusterJob } from "../../cluster-jobs/make-cluster-job.ts";
import { patiently } from "../../cluster-jobs/retry-while-unreachable.ts";
import { askConsent } from "../../consent/ask-consent.ts";
import type { Job, Produced } from "../../jobs/handler.ts";
import type { JobFailure } from "../../jobs/job-failure.ts";
import { causeOf } from "../../jobs/stop-cause.ts";
import { ApiRefusal } from "../../kubernetes/api-refusal.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { type KubeObject, refWords } from "../../kubernetes/kube-object.ts";
import { warningsOf } from "../../kubernetes/warnings-of.ts";
import { removeOwn, removeSaying } from "./clean-up-job.ts";
import { failureOf, outputsOf } from "./job-end.ts";
import type { JobScene } from "./job-scene.ts";
import { judge } from "./judge.ts";
import { shownJob } from "./plan-job.ts";
import { removeFormer } from "./remove-former.ts";
import { renderJob, whatIsRun } from "./render-job.ts";

const lastLinesMs = 5_000;

/**
 * Runs the Job to its end, once over restarts of the agent, with all that it prints in the job's log. Whatever else comes
 * of it, it is deleted, or what is left of it is told. Throws JobFailure.
 */
export async function runJob(scene: JobScene): Promise<Produced> {
  const { job, run, cluster, namespace } = scene;
  await job.once("judged", async () => {
    judge(run, whatIsRun(run, scene));
    warnOfSecrets(job, [...run.cmd, ...run.args]);
    await askConsent(job, shownJob(job, renderJob(run, namespace, job)));
    return true;
  });
  await job.once("former", async () => {
    await removeFormer(scene);
    return true;
  });
  // Now: its own time limit is what is left after the consent.
  const wanted = renderJob(run, namespace, job);
  const uid = await job.once("made", async () => await make(scene, wanted));
  const at = jobAt(namespace, wanted.metadata.name);
  job.say(`${refWords(at.ref)} is made.`, "info", "", "made");
  const one = { at, uid, object: wanted };
  const logs = followLogs(job, cluster, namespace);
  try {
    const end = await job.once("end", async () => {
      // Not before: it may be gone once its end is known, by our own hand.
      const live = await findMade(scene, wanted, uid);
      return await follow(scene, live, logs);
    });
    await job.once("read", async () => {
      logs.look(end.look);
      await logs.finish();
      return true;
    });
    return await conclude(scene, one, end);
  } finally {
    await logs.finish(0);
  }
}

function warnOfSecrets(job: Job, words: readonly string[]): void {
  if (words.every((word) => job.shown(word) === word)) return;
  const told =
    "cmd or args hold what looks like a secret: whoever may read Jobs in the cluster reads it. Give it in secret_env_vars.";
  job.say(told, "warn", "", "secret-args");
}

/** Makes the Job, and answers its uid. */
async function make(scene: JobScene, wanted: KubeObject): Promise<string> {
  let isMade = false;
  const onMade = (): void => void (isMade = true);
  return await orRemove(
    scene,
    () => isMade,
    async () => (await makeClusterJob(scene.cluster, { ...planned(scene, wanted), onMade })).uid,
  );
}

/** The Job that was made, as it lives; what a former agent left half-made is made whole. */
async function findMade(scene: JobScene, wanted: KubeObject, uid: string): Promise<ClusterJob> {
  const known = { ...planned(scene, wanted), uid };
  const find = async (): Promise<ClusterJob> =>
    await patiently(scene.job.signal, () => makeClusterJob(scene.cluster, known));
  return await orRemove(scene, () => true, find);
}

const planned = ({ run }: JobScene, job: KubeObject): NewClusterJob => ({
  job,
  ...(Object.keys(run.env).length > 0 && { secret: run.env }),
});

/** Half of a Job may be there: one that waits for its Secret, or whose maker got no answer. It goes, or that is told. */
async function orRemove<T>(
  scene: JobScene,
  isMade: () => boolean,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { job, run, namespace } = scene;
    const words = refWords(jobAt(namespace, clusterJobName(run.prefix, job.executionId)).ref);
    const became = await removeOwn(scene).catch((why: unknown) => {
      const areRefusals = error instanceof ApiRefusal && why instanceof ApiRefusal;
      if (areRefusals && !isMade()) return undefined; // whoever may do nothing has made nothing
      return `${words} may be there all the same${because(why)}: delete it by hand.`;
    });
    if (became !== undefined) job.say(became, "warn");
    throw explainRefusal(error, words);
  }
}

async function follow(scene: JobScene, one: ClusterJob, logs: LogFollower): Promise<FollowedEnd> {
  const { job, run, cluster } = scene;
  let end: FollowedEnd;
  try {
    end = await followClusterJob(cluster, one, {
      signal: job.signal,
      startWithinMs: run.startMs,
      onLook: (look) => {
        logs.look(look);
        tell(job, look);
      },
    });
  } catch (error) {
    const why = explainRefusal(error, refWords(one.at.ref));
    job.say(await remove(scene, one), "warn");
    throw why;
  }
  if (end.is === "stopped") throw await stopped(scene, one, { end, logs });
  return end;
}

function tell(job: Job, { pods, fault, phase, isBlind }: JobLook): void {
  if (isBlind === true) {
    const words = "The cluster does not let this job list pods: what they print is not seen.";
    job.say(words, "warn", "", "blind");
  }
  for (const { uid, name, node, phase: of } of pods) {
    if (of === "Running") job.say(`Pod ${name} runs on ${node}.`, "info", "", `runs ${uid}`);
  }
  if (phase !== "waiting" || fault === undefined) return;
  const words = job.shown(fault.words);
  job.say(`Waiting: ${words}.`, "info", "wait", `waits ${words}`); // its key is on disk
}

const clocks: ReadonlySet<string> = new Set(["timed-out", "deadline", "job-timeout"]);

type Stopped = { readonly end: FollowedEnd; readonly logs: LogFollower };

async function stopped(
  scene: JobScene,
  one: ClusterJob,
  { end, logs }: Stopped,
): Promise<JobFailure> {
  const became = await remove(scene, one);
  await logs.finish(lastLinesMs);
  const isLate = clocks.has(causeOf(scene.job.signal).kind);
  const held = end.fault === undefined ? "" : ` By then: ${end.fault.words}.`;
  return deployFailure(`${became}${held}`, isLate ? "timeout" : "canceled", {
    resources: [refWords(one.at.ref)],
    outputs: outputsOf(one, end),
  });
}

/** Says what became of it. It never rejects: this is what is done when something else went wrong. */
async function remove(scene: JobScene, one: ClusterJob): Promise<string> {
  const name = refWords(one.at.ref);
  try {
    return await removeSaying(scene, one);
  } catch (error) {
    return `${name} could not be deleted${because(error)}: delete it by hand.`;
  }
}

function because(error: unknown): string {
  const why = (error as Partial<Error> | undefined)?.message ?? "there was no time left";
  return ` (${why.replace(/\.$/, "")})`;
}

async function conclude(scene: JobScene, one: ClusterJob, end: FollowedEnd): Promise<Produced> {
  const { job, run, cluster } = scene;
  const name = refWords(one.at.ref);
  if (end.is !== "succeeded") {
    for (const ref of refsOf(one, end)) {
      for (const words of await warningsOf(cluster, ref))
        job.say(`${refWords(ref)}: ${words}`, "warn", "", `warned ${job.shown(words)}`);
    }
  }
  const goes = end.is === "hopeless" || (run.keepMs === 0 && end.look.phase !== "gone");
  const stays = `It stays in the cluster for ${formatDuration(run.keepMs * 1e6)}.`;
  const became = end.look.phase === "gone" ? "" : goes ? await remove(scene, one) : stays;
  if (end.is !== "succeeded") throw failureOf(one, end, became);
  if (became !== "") job.say(became, "info", "", "became");
  return { description: `${name} succeeded.`, outputs: outputsOf(one, end) };
}

const mostPods = 5;

function refsOf({ at }: ClusterJob, { look }: FollowedEnd) {
  const pods = look.pods.slice(-mostPods).map(({ name }) => ({
    apiVersion: "v1",
    kind: "Pod",
    namespace: at.ref.namespace,
    name,
  }));
  return [at.ref, ...pods];
}
