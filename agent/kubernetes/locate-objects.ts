import { isRefusal } from "./api-refusal.ts";
import type { Cluster, Located } from "./cluster.ts";
import { deployFailure } from "./deploy-failure.ts";
import type { Resource } from "./discovery.ts";
import { eachOf } from "./each-of.ts";
import { type KubeObject, refKey, refWords } from "./kube-object.ts";
import type { ReadObject } from "./read-objects.ts";

/** An object of a manifest, and where it goes in the cluster. */
export type LocatedObject = {
  readonly at: Located;
  readonly object: KubeObject;
  /** Its location in the manifest. */
  readonly place: string;
  /** Its namespace or kind is created by the same manifest, so the server cannot be asked about it yet. */
  readonly isComing: boolean;
};

/**
 * Finds the resources and namespaces of a manifest's objects; the deploy's namespace is the default. Throws JobFailure
 * for the first object whose kind or namespace does not exist, or that occurs twice.
 */
export async function locateObjects(
  cluster: Cluster,
  found: readonly ReadObject[],
  namespace: string,
): Promise<LocatedObject[]> {
  const coming = kindsIn(found);
  const located = await eachOf(found, async (one) => {
    const { apiVersion, kind } = one.object;
    const known = await cluster.discovery.find(apiVersion, kind);
    const resource = known ?? coming.get(`${apiVersion}/${kind}`);
    if (resource === undefined) {
      throw invalid(one, `the cluster knows no ${kind} of ${apiVersion}`);
    }
    return { ...locate(one, resource, namespace), isComing: known === undefined };
  });
  refuseTwice(located);
  const missing = await missingNamespaces(cluster, located);
  return located.map((one) => ({
    ...one,
    isComing: one.isComing || missing.has(one.at.ref.namespace),
  }));
}

function locate(
  { object, place }: ReadObject,
  resource: Resource,
  namespace: string,
): Omit<LocatedObject, "isComing"> {
  const { apiVersion, kind, metadata } = object;
  if (!resource.isNamespaced && metadata.namespace) {
    throw invalid(
      { place },
      `${kind} ${metadata.name} names a namespace, but its kind is not namespaced`,
    );
  }
  const within = resource.isNamespaced ? metadata.namespace || namespace : "";
  const ref = { apiVersion, kind, namespace: within, name: metadata.name };
  const whole =
    within === "" ? object : { ...object, metadata: { ...metadata, namespace: within } };
  return { at: { ref, resource }, object: whole, place };
}

type Definition = {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: readonly { readonly name: string }[];
};

/** The kinds that the manifest itself defines. */
function kindsIn(found: readonly ReadObject[]): Map<string, Resource> {
  const kinds = new Map<string, Resource>();
  for (const { object } of found) {
    if (object.kind !== "CustomResourceDefinition") continue;
    const { group, scope, names, versions } = (object["spec"] ?? {}) as Partial<Definition>;
    for (const { name } of Array.isArray(versions) ? versions : []) {
      if (group === undefined || names === undefined) continue;
      const { kind, plural } = names;
      const apiVersion = `${group}/${name}`;
      const isNamespaced = scope === "Namespaced";
      kinds.set(`${apiVersion}/${kind}`, { apiVersion, kind, plural, isNamespaced });
    }
  }
  return kinds;
}

function refuseTwice(located: readonly Omit<LocatedObject, "isComing">[]): void {
  const places = new Map<string, string>();
  for (const { at, place } of located) {
    const before = places.get(refKey(at.ref));
    if (before !== undefined) {
      throw invalid({ place }, `${refWords(at.ref)} is already defined: ${before}`);
    }
    places.set(refKey(at.ref), place);
  }
}

/** Namespaces of the manifest. One that neither exists nor is created is refused. */
async function missingNamespaces(
  cluster: Cluster,
  located: readonly Omit<LocatedObject, "isComing">[],
): Promise<Set<string>> {
  const resource = {
    apiVersion: "v1",
    kind: "Namespace",
    plural: "namespaces",
    isNamespaced: false,
  };
  const coming = new Set(
    located.filter(({ at }) => at.ref.kind === "Namespace").map(({ at }) => at.ref.name),
  );
  const first = new Map<string, string>();
  for (const { at, place } of located) {
    const { namespace } = at.ref;
    if (namespace !== "" && !first.has(namespace)) first.set(namespace, place);
  }
  const missing = await eachOf([...first], async ([name, place]) => {
    const ref = { apiVersion: "v1", kind: "Namespace", namespace: "", name };
    if (await isThere(cluster, { ref, resource })) return [];
    if (coming.has(name)) return [name];
    throw invalid({ place }, `its namespace ${name} does not exist`, "not_found");
  });
  return new Set(missing.flat());
}

/** If the job may not read namespaces, the server reports missing ones later. */
async function isThere(cluster: Cluster, at: Located): Promise<boolean> {
  try {
    return (await cluster.get(at)) !== undefined;
  } catch (error) {
    if (isRefusal(error, 403)) return true;
    throw error;
  }
}

function invalid(
  { place }: Pick<ReadObject, "place">,
  words: string,
  of: "config_invalid" | "not_found" = "config_invalid",
): Error {
  return deployFailure(`The manifest cannot be used: ${place}: ${words}.`, of);
}
