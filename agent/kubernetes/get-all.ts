import { ApiRefusal } from "./api-refusal.ts";
import type { Cluster, Located } from "./cluster.ts";
import { eachOf } from "./each-of.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { type KubeObject, refKey, refWords } from "./kube-object.ts";

/** From this many objects of one kind and namespace on, they are listed instead of read one by one. */
const fewest = 8;
/** A namespace may have many more than are wanted: then they are read one by one. */
const mostAtOnce = 500;

/**
 * Reads many live objects, with one list for those of the same kind and namespace; undefined for those that do not
 * exist.
 */
export async function getAll(
  cluster: Cluster,
  ats: readonly Located[],
): Promise<(at: Located) => KubeObject | undefined> {
  const found = new Map<string, KubeObject>();
  const groups = Map.groupBy(ats, ({ ref }) => `${ref.apiVersion} ${ref.kind} ${ref.namespace}`);
  const singles: Located[] = [];
  await eachOf([...groups.values()], async (group) => {
    const listed = group.length < fewest ? undefined : await listGroup(cluster, group);
    if (listed === undefined) singles.push(...group);
    for (const { ref } of listed === undefined ? [] : group) {
      const live = listed?.get(ref.name);
      if (live !== undefined) found.set(refKey(ref), live);
    }
  });
  await eachOf(singles, async (at) => {
    const live = await cluster.get(at).catch((error: unknown) => {
      throw explainRefusal(error, refWords(at.ref));
    });
    if (live !== undefined) found.set(refKey(at.ref), live);
  });
  return ({ ref }) => found.get(refKey(ref));
}

/** Objects by their names; undefined if there are too many or the job may not list them. */
async function listGroup(
  cluster: Cluster,
  group: readonly Located[],
): Promise<Map<string, KubeObject> | undefined> {
  const [first] = group;
  if (first === undefined) return undefined;
  const { apiVersion, kind, namespace } = first.ref;
  const limit = Math.max(mostAtOnce, group.length * 2);
  try {
    const items = await cluster.listWhole(first.resource, namespace, limit);
    // Items of a list do not have their kind.
    return items && new Map(items.map((one) => [one.metadata.name, { ...one, apiVersion, kind }]));
  } catch (error) {
    if (error instanceof ApiRefusal && [403, 404, 405].includes(error.status)) return undefined;
    throw error;
  }
}
