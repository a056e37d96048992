import path from "node:path";

/** Where the host's own kubeconfig is, if it has one; several files have a colon between them. */
export function hostKubeconfig(env: Readonly<Record<string, string | undefined>>): string {
  return env["KUBECONFIG"] || path.join(env["HOME"] ?? "/nonexistent", ".kube", "config");
}
