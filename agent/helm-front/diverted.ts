/** A request for helm's records, made through the Kubernetes API for secrets. */
export type Diverted =
  | { readonly what: "one"; readonly namespace: string; readonly key: string }
  | {
      readonly what: "list";
      readonly namespace: string;
      readonly labels: Readonly<Record<string, string>>;
    }
  /** A new secret; its name is in the body. */
  | { readonly what: "create"; readonly namespace: string };

const secrets = /^\/api\/v1\/(?:namespaces\/([^/]+)\/)?secrets(?:\/([^/]+))?$/;
const recordName = /^sh\.helm\.release\.v1\./;

/** Whether this is the name of a secret in which helm keeps a release. */
export const isRecordName = (name: string): boolean => recordName.test(name);

/**
 * What a request asks of helm's release secrets; undefined for a request to the cluster. `target` is its path with its
 * query, `namespace` the default for a request that names none.
 */
export function diverted(method: string, target: string, namespace: string): Diverted | undefined {
  const { pathname, searchParams } = new URL(target, "http://front");
  const [, within, name] = secrets.exec(pathname) ?? [];
  if (!secrets.test(pathname)) return undefined;
  const at = within === undefined ? namespace : decodeURIComponent(within);
  if (name !== undefined) {
    const key = decodeURIComponent(name);
    return isRecordName(key) ? { what: "one", namespace: at, key } : undefined;
  }
  if (method === "POST") return { what: "create", namespace: at };
  const labels = labelsIn(searchParams.get("labelSelector") ?? "");
  return labels?.["owner"] === "helm" ? { what: "list", namespace: at, labels } : undefined;
}

/** The labels of a selector that only compares for equality; undefined for any other selector. */
function labelsIn(selector: string): Record<string, string> | undefined {
  const labels: Record<string, string> = {};
  for (const term of selector.split(",")) {
    const [, name, value] = /^\s*([\w./-]+)\s*==?\s*([\w.-]*)\s*$/.exec(term) ?? [];
    if (name === undefined || value === undefined) return undefined;
    labels[name] = value;
  }
  return labels;
}
