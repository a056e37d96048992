import { access } from "node:fs/promises";
import path from "node:path";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { type DoctorContext, failed, type Found, leftOut, ok, warning } from "./finding.ts";

const inPod = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/** Which rights the host's own cluster grants; jobs may bring clusters of their own. */
export async function checkCluster({ config, patienceMs }: DoctorContext): Promise<Found> {
  const { env } = config;
  const file = env["KUBECONFIG"] ?? path.join(env["HOME"] ?? "/nonexistent", ".kube", "config");
  const [isFile, isPod] = await Promise.all([isThere(file), isThere(inPod)]);
  if (!isFile && !isPod) return leftOut("No kubeconfig, and not in a pod.");
  const place = isFile ? file : "the pod's service account";
  try {
    // Loaded only if there is a cluster, because it is large.
    const { askRights } = await import("./ask-rights.ts");
    const asked = askRights(isFile ? file : undefined, (type) => isDone(config, type));
    const { server, namespace, denied } = await withinMs(asked, patienceMs);
    const where = namespace === "" ? place : `${place}, namespace ${namespace}`;
    if (denied.length === 0) return ok(`${server} grants the usual permissions (${where}).`);
    return warning(
      `${server} denies: ${denied.join(", ")} (${where}).`,
      "Jobs that need these will fail. Bind a role that grants them.",
    );
  } catch (error) {
    const words = `The cluster of ${place} cannot be reached (${whyNot(error)}).`;
    return failed(words, "Jobs that do not bring their own cluster will fail.");
  }
}

/** Whether the agent's settings allow jobs of this type. */
function isDone({ allowTypes, denyTypes }: AgentConfig, type: RunnerJobType): boolean {
  return denyTypes?.has(type) !== true && allowTypes?.has(type) !== false;
}

/** Errors of kubeconfigs, plugins and parsers may quote a token, so only codes are shown. */
function whyNot(error: unknown): string {
  if (error instanceof NoAnswer) return error.message;
  const { code, cause } = error as Coded & { readonly cause?: Coded };
  const known = [code, cause?.code].find((one) => /^[A-Z0-9_]{3,}$/.test(`${one ?? ""}`));
  return `${known ?? "invalid kubeconfig or answer"}`;
}

/** With a status or an error code. */
type Coded = { readonly code?: string | number };

class NoAnswer extends Error {}

async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  );
}

async function withinMs<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
