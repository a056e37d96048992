import { ApiRefusal } from "./api-refusal.ts";
import type { Cluster, Located } from "./cluster.ts";
import { eachOf } from "./each-of.ts";
import { explainRefusal } from "./explain-refusal.ts";
import { type KubeObject, refKey, refWords } from "./kube-object.ts";

/** From so many of one kind in one namespace on, they are asked for together. */
const fewest = 8;
/** A namespace may hold many more than are looked for: then those are asked for one by one. */
const mostAtOnce = 500;

/**
 * Looks at many objects, with one question for those of the same kind and namespace, and answers how each one lives;
 * undefined where there is none.
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

/** By their names; undefined where that is too much, or whoever asks may not list them. */
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
    // What is in a list does not say of what kind it is.
    return items && new Map(items.map((one) => [one.metadata.name, { ...one, apiVersion, kind }]));
  } catch (error) {
    if (error instanceof ApiRefusal && [403, 404, 405].includes(error.status)) return undefined;
    throw error;
  }
}
