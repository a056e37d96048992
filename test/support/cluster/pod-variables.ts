import { secretAt } from "../../../agent/cluster-jobs/cluster-job.ts";
import type { OwnCluster } from "../../../agent/executor/own-cluster.ts";

type Values = Readonly<Record<string, string>>;

/** A variable of a container. */
export type Variable = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
};

/** What the variables of a container are, those of Secrets too. */
export async function valuesOf(
  { cluster, namespace }: OwnCluster,
  variables: readonly Variable[] = [],
): Promise<Values> {
  const valueOf = async ({ value, valueFrom }: Variable): Promise<string> => {
    if (valueFrom === undefined) return value ?? "";
    const { name, key } = valueFrom.secretKeyRef;
    const found = await cluster.get(secretAt(namespace, name));
    const { [key]: text = "" } = (found?.["data"] ?? {}) as Record<string, string>;
    return Buffer.from(text, "base64").toString();
  };
  const all = variables.map(async (one) => [one.name, await valueOf(one)] as const);
  return Object.fromEntries(await Promise.all(all));
}
