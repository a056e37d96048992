import { TooLong } from "../client/send.ts";
import type { Job } from "../jobs/handler.ts";
import { isRefusal } from "./api-refusal.ts";
import { clusterAccess } from "./cluster-access.ts";
import { type Discovery, listPath, objectPath, openDiscovery, type Resource } from "./discovery.ts";
import { type KubeApi, openKubeApi } from "./kube-api.ts";
import type { KubeObject, ObjectRef } from "./kube-object.ts";

/** Options of a server-side apply. */
export type Applying = {
  readonly manager: string;
  /** Takes over fields that others manage. */
  readonly force: boolean;
  /** A dry run: the server returns the result and stores nothing. */
  readonly isDry: boolean;
  /** Fields that the server does not know are left out, where they are no fault. */
  readonly isLenient?: boolean;
};

/** A job's client of a cluster. */
export type Cluster = {
  /** The URL of its API server. */
  readonly server: string;
  readonly discovery: Discovery;
  /** The namespace of its kubeconfig. */
  readonly namespace: string;
  readonly apply: (at: Located, object: KubeObject, how: Applying) => Promise<KubeObject>;
  /** Creates an object; throws ApiRefusal 409 if its name is taken. */
  readonly create: (at: Located, object: KubeObject, isDry?: boolean) => Promise<KubeObject>;
  /** Patches members of an existing object; a uid among them must match. */
  readonly merge: (at: Located, members: object) => Promise<KubeObject>;
  /** The live object; undefined if there is none. */
  readonly get: (at: Located) => Promise<KubeObject | undefined>;
  readonly list: (
    resource: Resource,
    namespace: string,
    query?: Readonly<Record<string, string>>,
  ) => Promise<KubeObject[]>;
  /** The metadata of a live object only. */
  readonly listNames: (
    resource: Resource,
    namespace: string,
    query: Readonly<Record<string, string>>,
  ) => Promise<Pick<KubeObject, "metadata">[]>;
  /**
   * All objects of a kind, if there are not too many and they are small enough; otherwise the job does not ask again.
   */
  readonly listWhole: (
    resource: Resource,
    namespace: string,
    limit: number,
  ) => Promise<KubeObject[] | undefined>;
  /** Deletes exactly the object with this uid; false if it does not exist. */
  readonly remove: (at: Located, uid: string) => Promise<boolean>;
  readonly text: (path: string, query: Readonly<Record<string, string>>) => Promise<string>;
  /** Streams the answer of a path until the signal aborts. Throws ApiRefusal, or Unanswered. */
  readonly stream: (
    path: string,
    query: Readonly<Record<string, string>>,
    until: AbortSignal,
  ) => Promise<AsyncIterable<Buffer>>;
  readonly close: () => void;
};

/** An object's reference, and its resource in the cluster. */
export type Located = { readonly ref: ObjectRef; readonly resource: Resource };

/** Opens the cluster that a job's plan names, or the host's own. Throws JobFailure. */
export async function openCluster(
  job: Job,
  env: Readonly<Record<string, string>>,
  // Started requests are completed: only the kill signal of a job aborts them.
  until: AbortSignal = job.killSignal,
): Promise<Cluster> {
  const { access, namespace } = await clusterAccess(job, env);
  return clusterOf(openKubeApi(access, until), namespace);
}

const namesOnly = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

type Listed = {
  readonly items?: KubeObject[] | null;
  /** Where the next page begins. */
  readonly metadata?: { readonly continue?: string };
};

/** The same with an existing API client. */
export function clusterOf(api: KubeApi, namespace: string): Cluster {
  return {
    server: api.server,
    discovery: openDiscovery(api),
    namespace,
    apply: async ({ ref, resource }, object, { manager, force, isDry, isLenient }) =>
      await api.call<KubeObject>({
        method: "PATCH",
        path: objectPath(resource, ref),
        query: {
          fieldManager: manager,
          force: String(force),
          fieldValidation: isLenient === true ? "Ignore" : "Strict",
          ...(isDry && { dryRun: "All" }),
        },
        // JSON is YAML.
        contentType: "application/apply-patch+yaml",
        body: object,
      }),
    create: async ({ ref, resource }, object, isDry = false) =>
      await api.call<KubeObject>({
        method: "POST",
        path: listPath(resource, ref.namespace),
        query: { fieldValidation: "Strict", ...(isDry && { dryRun: "All" }) },
        body: object,
      }),
    merge: async ({ ref, resource }, members) =>
      await api.call<KubeObject>({
        method: "PATCH",
        path: objectPath(resource, ref),
        contentType: "application/merge-patch+json",
        body: members,
      }),
    get: async ({ ref, resource }) =>
      await unlessGone(() =>
        api.call<KubeObject>({ method: "GET", path: objectPath(resource, ref) }),
      ),
    list: async (resource, namespace, query = {}) => {
      const path = listPath(resource, namespace);
      const { items } = await api.call<Listed>({ method: "GET", path, query });
      return items ?? [];
    },
    listNames: async (resource, namespace, query) => {
      const path = listPath(resource, namespace);
      const { items } = await api.call<Listed>({ method: "GET", path, query, accept: namesOnly });
      return items ?? [];
    },
    listWhole: listerOf(api),
    remove: async ({ ref, resource }, uid) => {
      const body = { propagationPolicy: "Foreground", preconditions: { uid } };
      const path = objectPath(resource, ref);
      const gone = await unlessGone(() => api.text({ method: "DELETE", path, body }));
      return gone !== undefined;
    },
    text: async (path, query) => await api.text({ method: "GET", path, query }),
    stream: async (path, query, until) => await api.stream({ method: "GET", path, query }, until),
    close: api.close,
  };
}

/** A limit, because eight lists may be read at once, and again every two seconds. */
const mostListBytes = 8 * 2 ** 20;

function listerOf(api: KubeApi): Cluster["listWhole"] {
  const tooMuch = new Set<string>();
  return async (resource, namespace, limit) => {
    const path = listPath(resource, namespace);
    if (tooMuch.has(path)) return undefined;
    const query = { limit: String(limit) };
    const call = { method: "GET", path, query, mostBytes: mostListBytes } as const;
    const listed = await api.call<Listed>(call).catch(undefinedIfTooLong);
    if (listed !== undefined && !listed.metadata?.continue) return listed.items ?? [];
    tooMuch.add(path);
    return undefined;
  };
}

function undefinedIfTooLong(error: unknown): undefined {
  if (!(error instanceof TooLong)) throw error;
}

async function unlessGone<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (isRefusal(error, 404)) return undefined;
    throw error;
  }
}
