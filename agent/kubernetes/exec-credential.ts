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

/** A credential is replaced this long before it expires. */
const marginMs = 30_000;

/** The timeout of a plugin. */
export const pluginTimeoutMs = 60_000;

/** Variables for a plugin: those of the kubeconfig, and the request. */
export function pluginEnv({ apiVersion, env }: ExecPlugin): Record<string, string> {
  const info = { apiVersion, kind: "ExecCredential", spec: { interactive: false } };
  const given = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  return { ...given, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
}

/** Parses the output of a kubeconfig's plugin. */
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
