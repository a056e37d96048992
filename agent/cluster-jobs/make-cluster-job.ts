import { isRefusal } from "../kubernetes/api-refusal.ts";
import type { Cluster, Located } from "../kubernetes/cluster.ts";
import { deployFailure } from "../kubernetes/deploy-failure.ts";
import { type KubeObject, refWords } from "../kubernetes/kube-object.ts";
import { type ClusterJob, jobAt, secretAt } from "./cluster-job.ts";

/** A Job as it is to be made. */
export type NewClusterJob = {
  /**
   * A batch/v1 Job with a name, a namespace and labels. The name and the labels say whose it is: a Job that is there
   * with all of these labels was made for the same.
   */
  readonly job: KubeObject;
  /** What is in a Secret of the same name, which goes when the Job does: its pods begin only when it is there. */
  readonly secret?: Readonly<Record<string, string>>;
  /** Of the Job that was made before, where that is known. */
  readonly uid?: string;
  /** Told as soon as it is there, before its Secret is. */
  readonly onMade?: () => void;
};

export type MadeClusterJob = ClusterJob & { readonly isNew: boolean };

/**
 * Makes the Job, or finds the one that was made for the same before, and sees that it goes on. It comes to the same
 * whenever it is done again. Throws ApiRefusal, or JobFailure when the name is somebody else's.
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
    const words = `${refWords(at.ref)} is there, and this job did not make it: delete it, or give another name.`;
    throw deployFailure(words, "conflict");
  }
  onMade?.();
  const one = { at, uid: object.metadata.uid ?? "", object, isNew: made !== undefined && !isKnown };
  if (secret !== undefined && isSuspended(object)) await equip(cluster, one, secret);
  return one;
}

const goneWords = "deleted by somebody, or by the cluster after `keep`; nobody knows how it ended";

/** Nothing where one of its name is there. */
async function createOr(create: () => Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await create();
  } catch (error) {
    if (isRefusal(error, 409)) return undefined;
    throw error;
  }
}

/** Whether a Job that is there was made for the same as the one that is wanted. */
function isOurs(live: KubeObject, wanted: KubeObject): boolean {
  const { labels = {} } = live.metadata;
  return Object.entries(wanted.metadata.labels ?? {}).every(
    ([name, value]) => labels[name] === value,
  );
}

const isSuspended = (job: KubeObject): boolean =>
  (job["spec"] as { readonly suspend?: boolean }).suspend === true; // a Job has one

/** The Secret is the Job's from its first moment on: no crash leaves one behind. */
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
    const words = `${refWords(place.ref)} is there, and this job did not make it: delete it.`;
    throw deployFailure(words, "conflict");
  }
  await cluster.merge(at, { metadata: { uid }, spec: { suspend: false } });
}

/** Whoever may not read Secrets takes it for the Job's: it has the name of a Job that is ours. */
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
