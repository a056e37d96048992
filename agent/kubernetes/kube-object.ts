/** An object of a cluster, as it is on the wire. */
export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeMetadata;
  readonly [member: string]: unknown;
};

export type KubeMetadata = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly { readonly manager?: string; readonly operation?: string }[];
  readonly [member: string]: unknown;
};

/** Identifies an object; an empty namespace means cluster scope. */
export type ObjectRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** For people: "Deployment shop/web", "Namespace shop". */
export function refWords({ kind, namespace, name }: ObjectRef): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** A key that is the same for all versions of the object's group. */
export function refKey({ apiVersion, kind, namespace, name }: ObjectRef): string {
  return [groupOf(apiVersion), kind, namespace, name].join("/");
}

/** The group of an apiVersion; empty for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
