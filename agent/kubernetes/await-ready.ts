import { formatDuration } from "../../shared/duration.ts";
import { pause } from "../client/pause.ts";
import type { Job } from "../jobs/handler.ts";
import type { Cluster, Located } from "./cluster.ts";
import { deployFailure } from "./deploy-failure.ts";
import { eachOf } from "./each-of.ts";
import { getAll } from "./get-all.ts";
import { type KubeObject, refKey, refWords } from "./kube-object.ts";
import { logEvidence } from "./log-evidence.ts";
import { lookForTrouble, type PodsKnown, type Trouble } from "./look-for-trouble.ts";
import { readinessOf } from "./readiness.ts";

type Waiting = {
  readonly at: Located;
  readonly known: PodsKnown;
  words: string;
  hopelessLooks: number;
};

const firstPauseMs = 200;
const mostPauseMs = 2_000;
/** A state is final when it is seen this often in a row: a rollout passes through some of them. */
const hopelessLooks = 3;

/**
 * Waits until all objects are ready. Throws JobFailure when one cannot become ready or at the timeout, after the
 * evidence was logged. Returns early when the job is stopped.
 */
export async function awaitReady(
  job: Job,
  cluster: Cluster,
  { objects, timeoutMs }: { readonly objects: readonly Located[]; readonly timeoutMs: number },
): Promise<void> {
  const known = { first: new Map<string, number>() };
  let waiting: Waiting[] = objects.map((at) => ({ at, known, words: "", hopelessLooks: 0 }));
  const endsAtMs = Date.now() + timeoutMs;
  const saidAs = new Map<string, string>();
  for (let look = 0; waiting.length > 0; look++) {
    const liveOf = await getAll(
      cluster,
      waiting.map(({ at }) => at),
    );
    const found = await eachOf(
      waiting,
      async (one) => await lookAt(job, cluster, { one, object: liveOf(one.at) }),
    );
    waiting = waiting.filter((_, at) => found[at] === false);
    if (waiting.length === 0 || job.signal.aborted) return;
    for (const { at, words } of waiting.slice(0, mostSaid)) {
      if (saidAs.get(refKey(at.ref)) === words) continue;
      saidAs.set(refKey(at.ref), words);
      job.log(`Waiting for ${refWords(at.ref)}: ${words}`, "info", "wait");
    }
    if (Date.now() >= endsAtMs) return await giveUp(job, cluster, { waiting, timeoutMs });
    await pause(Math.min(mostPauseMs, firstPauseMs * 1.5 ** look), job.signal);
    if (job.signal.aborted) return;
  }
}

const mostSaid = 10;

/** Checks one object; true when it is ready. */
async function lookAt(
  job: Job,
  cluster: Cluster,
  { one, object }: { readonly one: Waiting; readonly object: KubeObject | undefined },
): Promise<boolean> {
  const { ref } = one.at;
  if (object === undefined) {
    throw deployFailure(`${refWords(ref)} is gone: someone deleted it.`, "not_ready");
  }
  const readiness = readinessOf(object);
  if (readiness.is === "ready") return true;
  one.words = readiness.words;
  const trouble = await lookForTrouble(cluster, one.at, object, one.known);
  if (readiness.is === "failed") throw await notReady(job, cluster, { one, trouble });
  one.hopelessLooks = trouble.hopeless === undefined ? 0 : one.hopelessLooks + 1;
  if (one.hopelessLooks < hopelessLooks) return false;
  one.words = trouble.hopeless ?? one.words;
  throw await notReady(job, cluster, { one, trouble });
}

type Bad = { readonly one: Waiting; readonly trouble: Trouble };

async function notReady(job: Job, cluster: Cluster, { one, trouble }: Bad): Promise<Error> {
  const { ref } = one.at;
  await logEvidence(job, cluster, { ref, trouble });
  const words = `${refWords(ref)} does not become ready: ${one.words.replace(/\.$/, "")}.`;
  return deployFailure(words, "not_ready", { resources: [refWords(ref)] });
}

type Left = { readonly waiting: readonly Waiting[]; readonly timeoutMs: number };

async function giveUp(job: Job, cluster: Cluster, { waiting, timeoutMs }: Left): Promise<never> {
  for (const { at } of waiting.slice(0, mostSaid)) {
    const object: KubeObject | undefined = await cluster.get(at);
    if (object === undefined) continue;
    const trouble = await lookForTrouble(cluster, at, object);
    await logEvidence(job, cluster, { ref: at.ref, trouble });
  }
  const [first] = waiting;
  const others = waiting.length > 1 ? ` and ${waiting.length - 1} more` : "";
  const name = first === undefined ? "" : `${refWords(first.at.ref)}${others}`;
  const after = formatDuration(timeoutMs * 1e6);
  const resources = waiting.slice(0, mostSaid).map(({ at }) => refWords(at.ref));
  throw deployFailure(`Not ready after ${after}: ${name}: ${first?.words}.`, "timeout", {
    resources,
  });
}
