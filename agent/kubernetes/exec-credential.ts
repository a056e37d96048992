import { z } from "zod";
import { deployFailure } from "./deploy-failure.ts";
import type { KubeLogin } from "./kube-login.ts";
import type { ExecPlugin } from "./read-kubeconfig.ts";

const told = z.looseObject({
  status: z.looseObject({
    token: z.string().nullish(),
    clientCertificateData: z.string().nullish(),
    clientKeyData: z.string().nullish(),
    expirationTimestamp: z.string().nullish(),
  }),
});

/** It is exchanged so long before it ends. */
const marginMs = 30_000;

/** So long a plugin may take. */
export const pluginTimeoutMs = 60_000;

/** What a plugin finds in its environment besides: what the kubeconfig gives it, and what it is asked. */
export function pluginEnv({ apiVersion, env }: ExecPlugin): Record<string, string> {
  const info = { apiVersion, kind: "ExecCredential", spec: { interactive: false } };
  const given = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  return { ...given, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
}

/** Reads what a kubeconfig's plugin printed. Throws JobFailure. */
export function execCredential(text: string): KubeLogin {
  const { data } = told.safeParse(jsonOf(text));
  if (data === undefined) {
    throw deployFailure("The kubeconfig's plugin printed no ExecCredential.", "auth");
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = data.status;
  const endsAtMs = Date.parse(expirationTimestamp ?? "");
  return {
    ...(token && { token }),
    ...(clientCertificateData && { cert: clientCertificateData }),
    ...(clientKeyData && { key: clientKeyData }),
    untilMs: Number.isNaN(endsAtMs) ? Infinity : endsAtMs - marginMs,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
