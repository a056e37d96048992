import { isRefusal } from "./api-refusal.ts";
import type { Cluster } from "./cluster.ts";
import { explainRefusal } from "./explain-refusal.ts";

/** Makes a namespace that is not there. Throws JobFailure. */
export async function makeNamespace(
  cluster: Cluster,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Namespace", namespace: "", name };
  const resource = { ...ref, plural: "namespaces", isNamespaced: false };
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
  try {
    await cluster.create({ ref, resource }, object);
  } catch (error) {
    if (isRefusal(error, 409)) return; // somebody else made it meanwhile
    throw explainRefusal(error, `The namespace ${name} is not there, and cannot be made`);
  }
}
