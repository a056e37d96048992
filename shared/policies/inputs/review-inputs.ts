import { isTree, type JudgedInputs, textsIn, type Tree, treeOf } from "./judged-inputs.ts";

/** What a plan of manifests, or of a chart, does to one object. */
export type ReviewedObject = {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  /** As it is wanted; undefined of one that is deleted. */
  readonly object: Tree | undefined;
  /** As it is; undefined of one that is created, and where nobody knows. */
  readonly oldObject: Tree | undefined;
};

/** Whether a value is an object of Kubernetes. */
export const isKubeObject = (value: unknown): value is Tree =>
  isTree(value) && typeof value["apiVersion"] === "string" && typeof value["kind"] === "string";

/** What policies of helm_chart and kubernetes_manifest read: an input for each object, as admission webhooks have it. */
export function reviewInputs(objects: readonly ReviewedObject[]): JudgedInputs {
  const inputs = objects.map((one) => {
    const known = one.object ?? one.oldObject ?? {};
    const metadata = treeOf(known["metadata"]);
    const [name, namespace] = [textOf(metadata["name"]), textOf(metadata["namespace"])];
    const kind = kindOf(known);
    const place = namespace === "" ? name : `${namespace}/${name}`;
    return {
      identity: `${kind.kind} ${place}`,
      document: {
        review: {
          kind,
          namespace,
          name,
          operation: one.operation,
          object: one.object ?? null,
          oldObject: one.oldObject ?? null,
        },
      },
    };
  });
  const all = objects.flatMap(({ object, oldObject }) => [object, oldObject]);
  return { inputs, secrets: [...new Set(all.flatMap(secretsOf))] };
}

/** `apps/v1` is group and version; `v1` is the version of the group without a name. */
function kindOf(object: Tree): Readonly<Record<"group" | "version" | "kind", string>> {
  const parts = textOf(object["apiVersion"]).split("/");
  const version = parts.pop() ?? "";
  return { group: parts[0] ?? "", version, kind: textOf(object["kind"]) };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What Secrets hold, as it stands there and decoded. */
function secretsOf(object: Tree | undefined): string[] {
  if (object?.["kind"] !== "Secret") return [];
  const encoded = textsIn(object["data"]);
  const decoded = encoded.map((text) => Buffer.from(text, "base64").toString("utf8"));
  return [...encoded, ...textsIn(decoded), ...textsIn(object["stringData"])];
}
