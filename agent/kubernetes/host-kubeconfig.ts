import path from "node:path";

/** The path of the host's own kubeconfig; several files are separated by colons. */
export function hostKubeconfig(env: Readonly<Record<string, string | undefined>>): string {
  return env["KUBECONFIG"] || path.join(env["HOME"] ?? "/nonexistent", ".kube", "config");
}
