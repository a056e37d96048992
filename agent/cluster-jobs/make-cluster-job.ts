import { isRefusal } from "../kubernetes/api-refusal.ts";
import type { Cluster, Located } from "../kubernetes/cluster.ts";
import { deployFailure } from "../kubernetes/deploy-failure.ts";
import { type KubeObject, refWords } from "../kubernetes/kube-object.ts";
import { type ClusterJob, jobAt, secretAt } from "./cluster-job.ts";

/** A Job to create. */
export type NewClusterJob = {
  /**
   * A batch/v1 Job with a name, a namespace and labels. Name and labels identify its owner: an existing Job with all of
   * these labels was created for the same purpose.
   */
  readonly job: KubeObject;
  /** The contents of a Secret of the same name, owned by the Job. The pods start only when it exists. */
  readonly secret?: Readonly<Record<string, string>>;
  /** The uid of the Job that was created before, if known. */
  readonly uid?: string;
  /** Called as soon as the Job exists, before its Secret does. */
  readonly onMade?: () => void;
};

export type MadeClusterJob = ClusterJob & { readonly isNew: boolean };

/**
 * Creates the Job, or finds the one that was created before, and makes sure that it is not suspended. Idempotent. Throws
 * ApiRefusal, or JobFailure when the name belongs to something else.
 */
export async function makeClusterJob(
  cluster: Cluster,
  { job, secret, uid, onMade }: NewClusterJob,
): Promise<MadeClusterJob> {
  const at = jobAt(job.metadata.namespace ?? "", job.metadata.name);
  const spec = job["spec"] as object; // a Job has one
  const wanted = secret === undefined ? job : { ...job, spec: { ...spec, suspend: true } };
  const known = uid === undefined ? undefined : await cluster.get(at);
  const isKnown = uid !== undefined;
  const made = isKnown ? known : await createOr(() => cluster.create(at, wanted));
  const object = made ?? (isKnown ? undefined : await cluster.get(at));
  if (object === undefined) {
    throw deployFailure(`${refWords(at.ref)} is gone: ${goneWords}.`, "gone");
  }
  if (!isOurs(object, job) || (isKnown && object.metadata.uid !== uid)) {
    const words = `${refWords(at.ref)} already exists and was not created by this job: delete it, or use another name.`;
    throw deployFailure(words, "conflict");
  }
  onMade?.();
  const one = { at, uid: object.metadata.uid ?? "", object, isNew: made !== undefined && !isKnown };
  if (secret !== undefined && isSuspended(object)) await equip(cluster, one, secret);
  return one;
}

const goneWords = "someone deleted it, or the cluster did after `keep`, so how it ended is unknown";

/** Undefined when one of this name exists. */
async function createOr(create: () => Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await create();
  } catch (error) {
    if (isRefusal(error, 409)) return undefined;
    throw error;
  }
}

/** Whether an existing Job was created for the same purpose as the wanted one. */
function isOurs(live: KubeObject, wanted: KubeObject): boolean {
  const { labels = {} } = live.metadata;
  return Object.entries(wanted.metadata.labels ?? {}).every(
    ([name, value]) => labels[name] === value,
  );
}

const isSuspended = (job: KubeObject): boolean =>
  (job["spec"] as { readonly suspend?: boolean }).suspend === true; // a Job has one

/** The Secret is created with the Job as its owner, so that no crash leaves one behind. */
async function equip(
  cluster: Cluster,
  { at, uid, object }: ClusterJob,
  stringData: Readonly<Record<string, string>>,
): Promise<void> {
  const { namespace, name } = at.ref;
  const place = secretAt(namespace, name);
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, blockOwnerDeletion: false };
  const { labels } = object.metadata;
  const metadata = { name, namespace, ...(labels && { labels }), ownerReferences: [owner] };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, stringData, immutable: true };
  const made = await createOr(() => cluster.create(place, secret));
  if (made === undefined && !(await isOwned(cluster, place, uid))) {
    const words = `${refWords(place.ref)} already exists and was not created by this job: delete it.`;
    throw deployFailure(words, "conflict");
  }
  await cluster.merge(at, { metadata: { uid }, spec: { suspend: false } });
}

/** Without permission to read Secrets it counts as the Job's, because it has the name of a Job of ours. */
async function isOwned(cluster: Cluster, place: Located, uid: string): Promise<boolean> {
  try {
    const { metadata } = (await cluster.get(place)) ?? {};
    const owners = (metadata?.["ownerReferences"] ?? []) as readonly { readonly uid: string }[]; // metadata have that form
    return owners.some((one) => one.uid === uid);
  } catch (error) {
    if (isRefusal(error, 403)) return true;
    throw error;
  }
}
