import { readFile } from "node:fs/promises";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { Namespace } from "../cluster/given-namespace.ts";
import { googleKey } from "./google-stores.ts";

let key: string | undefined;

/** A sync of secrets into a namespace, by its kubeconfig or another, with these members of its plan. */
export async function secretSync(
  at: Pick<Namespace, "kubeconfig">,
  kubernetes_secrets: readonly object[],
  more: object = {},
): Promise<Partial<NewJob>> {
  const kube_config = await readFile(at.kubeconfig, "utf8");
  const plan = {
    kubernetes_secrets,
    cluster_info: { kube_config },
    aws_auth: { use_default: true },
    gcp_auth: { project_id: "acme-1", service_account_key: (key ??= googleKey()) },
    azure_auth: { tenant_id: "t-1", client_id: "c-1", client_secret: "client-secret-1" },
    ...more,
  };
  return { type: "sandbox-sync-secrets", operation: "exec", plan: JSON.stringify(plan) };
}

/** The keys of a Secret in a cluster, decoded; undefined if there is no such Secret. */
export async function keysIn(
  { kubectl }: Pick<Namespace, "kubectl">,
  name: string,
  namespace?: string,
): Promise<Record<string, string> | undefined> {
  const where = namespace === undefined ? [] : ["-n", namespace];
  const text = await kubectl(["get", "secret", name, "--ignore-not-found", "-o", "json", ...where]);
  if (text === "") return undefined;
  const { data = {} } = JSON.parse(text) as { data?: Record<string, string> };
  const decoded = Object.entries(data).map(([key, value]) => [
    key,
    Buffer.from(value, "base64").toString("latin1"),
  ]);
  return Object.fromEntries(decoded) as Record<string, string>;
}
