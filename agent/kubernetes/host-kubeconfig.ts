import { existsSync } from "node:fs";
import path from "node:path";

/** The path of the host's own kubeconfig; several files are separated by colons. */
export function hostKubeconfig(env: Readonly<Record<string, string | undefined>>): string {
  return env["KUBECONFIG"] || path.join(env["HOME"] ?? "/nonexistent", ".kube", "config");
}

/** The variable that leads a program to it; none where there is no such file: in a pod programs find its own cluster without. */
export function hostKubeconfigEnv(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const files = hostKubeconfig(env);
  return files.split(":").some(existsSync) ? { KUBECONFIG: files } : {};
}
