import { pause } from "../../client/pause.ts";
import type { Job } from "../../jobs/handler.ts";
import type { Change } from "../../kubernetes/change.ts";
import type { Cluster, Located } from "../../kubernetes/cluster.ts";
import { eachOf } from "../../kubernetes/each-of.ts";
import { refWords } from "../../kubernetes/kube-object.ts";
import { lookForTrouble, podOwners, type PodsKnown } from "../../kubernetes/look-for-trouble.ts";
import { readinessOf } from "../../kubernetes/readiness.ts";
import type { HelmContext } from "./helm-context.ts";

type Meant = readonly Pick<Change, "action" | "ref">[];

const lookMs = 2_000;
/** A state counts as hopeless after this many observations in a row: a rollout passes through some of them. */
const hopelessLooks = 4;

/** The objects of a release that have pods, as they are in the cluster. */
export async function podOwnersIn(context: HelmContext, changes: Meant): Promise<Located[]> {
  const { cluster } = context;
  const meant = changes.filter(
    ({ action, ref }) => action !== "delete" && action !== "keep" && podOwners.includes(ref.kind),
  );
  const found = await eachOf(meant, async ({ ref }) => {
    const { apiVersion, kind } = ref;
    const resource = await cluster.discovery.find(apiVersion, kind).catch(() => undefined);
    return resource === undefined ? [] : [{ ref, resource }];
  });
  return found.flat();
}

/**
 * The pods that exist already, found once for a job: their state says nothing about those that replace them. None when
 * the job may not list pods.
 */
export async function podsBefore(
  job: Job,
  cluster: Cluster,
  namespace: string,
): Promise<ReadonlySet<string>> {
  const uids = await job.once("pods/before", async () => {
    const resource = await cluster.discovery.find("v1", "Pod");
    const pods = resource && (await cluster.list(resource, namespace).catch(() => []));
    return (pods ?? []).map(({ metadata }) => metadata.uid ?? "");
  });
  return new Set(uids);
}

/**
 * Watches what helm waits for until the signal aborts, and answers in words what can never become ready; undefined
 * when the signal aborted. Errors are ignored: without permission to look, the job waits as long as helm does.
 */
export async function awaitHopeless(
  cluster: Cluster,
  objects: readonly Located[],
  { before, signal }: { readonly before: ReadonlySet<string>; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const looks = new Map<Located, number>();
  const known = { passed: before, first: new Map<string, number>() };
  while (objects.length > 0 && !signal.aborted) {
    await pause(lookMs, signal);
    const words = await eachOf(objects, async (at) => {
      const hopeless = signal.aborted ? undefined : await hopelessIn(cluster, at, known);
      const seen = hopeless === undefined ? 0 : (looks.get(at) ?? 0) + 1;
      looks.set(at, seen);
      return seen >= hopelessLooks ? `${refWords(at.ref)}: ${hopeless}` : undefined;
    });
    const first = words.find((one) => one !== undefined);
    if (first !== undefined) return first;
  }
  return undefined;
}

async function hopelessIn(
  cluster: Cluster,
  at: Located,
  known: PodsKnown,
): Promise<string | undefined> {
  try {
    const live = await cluster.get(at);
    if (live === undefined || readinessOf(live).is === "ready") return undefined;
    return (await lookForTrouble(cluster, at, live, known)).hopeless;
  } catch {
    return undefined; // helm itself reports what is wrong with the cluster
  }
}
