import { isRefusal } from "./api-refusal.ts";
import type { KubeApi } from "./kube-api.ts";
import type { ObjectRef } from "./kube-object.ts";

/** Where the objects of a kind are. */
export type Resource = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
};

export type Discovery = {
  /** The resource of a kind; undefined where the cluster has none, also when it is asked once more. */
  readonly find: (apiVersion: string, kind: string) => Promise<Resource | undefined>;
  /** Forgets a version of a group, because its kinds have changed. */
  readonly forget: (apiVersion: string) => void;
};

type ResourceList = {
  /** Null while a group's first kind is on its way. */
  readonly resources?:
    | readonly {
        readonly name: string;
        readonly kind: string;
        readonly namespaced: boolean;
      }[]
    | null;
};

/** What kinds a cluster knows, asked for once for each version of a group, and again for a kind that is not in it. */
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

/** The path of a resource's objects; those of every namespace where none is named. */
export function listPath(resource: Resource, namespace: string): string {
  const within =
    resource.isNamespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${basePath(resource.apiVersion)}${within}/${resource.plural}`;
}

/** The path of one object. */
export function objectPath(resource: Resource, { namespace, name }: ObjectRef): string {
  return `${listPath(resource, namespace)}/${encodeURIComponent(name)}`;
}
