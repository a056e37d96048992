import { isRefusal } from "./api-refusal.ts";
import type { KubeApi } from "./kube-api.ts";
import type { ObjectRef } from "./kube-object.ts";

/** The resource of a kind. */
export type Resource = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
};

export type Discovery = {
  /** The resource of a kind; undefined if the cluster has none, even after the discovery was repeated. */
  readonly find: (apiVersion: string, kind: string) => Promise<Resource | undefined>;
  /** Drops the cache of a group version, because its kinds have changed. */
  readonly forget: (apiVersion: string) => void;
};

type ResourceList = {
  /** Null while the first kind of a group is being created. */
  readonly resources?:
    | readonly {
        readonly name: string;
        readonly kind: string;
        readonly namespaced: boolean;
      }[]
    | null;
};

/** The kinds of a cluster, read once for each group version, and again for an unknown kind. */
export function openDiscovery(api: KubeApi): Discovery {
  const known = new Map<string, Promise<Resource[]>>();
  const list = (apiVersion: string): Promise<Resource[]> => {
    const listed = known.get(apiVersion) ?? listResources(api, apiVersion);
    known.set(apiVersion, listed);
    return listed;
  };
  const inList = async (apiVersion: string, kind: string): Promise<Resource | undefined> =>
    (await list(apiVersion)).find((resource) => resource.kind === kind);
  return {
    forget: (apiVersion) => void known.delete(apiVersion),
    find: async (apiVersion, kind) => {
      const isFresh = !known.has(apiVersion);
      const found = await inList(apiVersion, kind);
      if (found !== undefined || isFresh) return found;
      known.delete(apiVersion);
      return await inList(apiVersion, kind);
    },
  };
}

async function listResources(api: KubeApi, apiVersion: string): Promise<Resource[]> {
  try {
    const { resources } = await api.call<ResourceList>({
      method: "GET",
      path: basePath(apiVersion),
    });
    return (resources ?? [])
      .filter(({ name }) => !name.includes("/"))
      .map(({ name, kind, namespaced }) => ({
        apiVersion,
        kind,
        plural: name,
        isNamespaced: namespaced,
      }));
  } catch (error) {
    if (isRefusal(error, 404)) return [];
    throw error;
  }
}

const basePath = (apiVersion: string): string =>
  apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

/** The path of a resource's objects; in all namespaces if none is given. */
export function listPath(resource: Resource, namespace: string): string {
  const within =
    resource.isNamespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${basePath(resource.apiVersion)}${within}/${resource.plural}`;
}

/** The path of one object. */
export function objectPath(resource: Resource, { namespace, name }: ObjectRef): string {
  return `${listPath(resource, namespace)}/${encodeURIComponent(name)}`;
}
