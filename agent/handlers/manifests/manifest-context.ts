import type { Job } from "../../jobs/handler.ts";
import { diffKey } from "../../kubernetes/approved.ts";
import { type ClusterContext, openClusterContext } from "../../kubernetes/cluster-context.ts";
import { expectCluster, identifyCluster } from "../../kubernetes/cluster-identity.ts";
import type { Cluster } from "../../kubernetes/cluster.ts";
import { deployFailure } from "../../kubernetes/deploy-failure.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { hideSecrets } from "../../kubernetes/hide-secrets.ts";
import { locateObjects, type LocatedObject } from "../../kubernetes/locate-objects.ts";
import { readObjects } from "../../kubernetes/read-objects.ts";
import { gatherManifest } from "./gather-manifest.ts";
import { type Inventory, openInventory } from "./inventory.ts";
import type { ManifestRun } from "./manifest-run.ts";

/** What the parts of a deploy of manifests share. */
export type ManifestContext = {
  readonly job: Job;
  readonly run: ManifestRun;
  readonly cluster: Cluster;
  readonly objects: readonly LocatedObject[];
  readonly namespace: string;
  /** The field manager that the cluster records for the fields that are set. */
  readonly manager: string;
  /** Absent when the plan does not identify the deploy: then nothing is recorded and nothing deleted. */
  readonly inventory: Inventory | undefined;
  /** The key for digests of what is done. */
  readonly key: string;
};

/** Collects and parses the manifest, and locates each object. Throws JobFailure. */
export async function openManifestContext(job: Job, run: ManifestRun): Promise<ManifestContext> {
  const context = await openClusterContext(job, run.credentials);
  try {
    return await contextIn(context, run);
  } catch (error) {
    context.cluster.close();
    throw explainRefusal(error, "A request to the cluster before the deployment");
  }
}

async function contextIn(
  { job, cluster, env }: ClusterContext,
  run: ManifestRun,
): Promise<ManifestContext> {
  const { approved } = run;
  if (approved !== undefined) expectCluster(approved, await identifyCluster(cluster));
  const texts = await gatherManifest(job, run, env);
  const found = await readObjects(texts);
  hideSecrets(
    job,
    found.map(({ object }) => object),
  );
  const namespace = run.namespace || cluster.namespace;
  const objects = await locateObjects(cluster, found, namespace);
  const id = run.inventoryId;
  const manager = id === "" ? "svc-agent" : `svc-agent/${id}`.slice(0, 128);
  const inventory = id === "" ? undefined : openInventory(cluster, { id, namespace, manager });
  if (inventory === undefined && run.prunes) {
    const words =
      "The plan names no install, component or inventory, so objects that it no longer contains are not deleted.";
    job.log(words, "info", "", "no-inventory");
  }
  const key = await diffKey(job, approved);
  return { job, run, cluster, objects, namespace, manager, inventory, key };
}

/** Throws when the job must stop; `did` says what was done so far. */
export function throwIfStopped(job: Job, did: () => string): void {
  if (job.signal.aborted) throw deployFailure(`It was stopped: ${did()}.`, "canceled");
}
