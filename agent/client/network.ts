import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import tls from "node:tls";
import { OperatorError } from "../../shared/operator-error.ts";
import type { Environment } from "../config/environment.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { http, https } from "./node-http.ts";
import type { Transport } from "./send.ts";

/** Addresses of cloud metadata servers, which no proxy can reach for this host. */
const neverProxied = ["169.254.169.254", "169.254.170.2", "fd00:ec2::254"];
const proxyNames = ["http_proxy", "https_proxy", "no_proxy"] as const;
const certificateNames = [
  "SSL_CERT_FILE",
  "GIT_SSL_CAINFO",
  "CURL_CA_BUNDLE",
  "AWS_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
];
const keepMs = 50_000; // below the minute after which load balancers close an idle connection

/**
 * Makes the transport to the broker: it uses HTTPS_PROXY and NO_PROXY and also trusts the certificates of `ca-file`.
 */
export function openTransport(
  config: Pick<AgentConfig, "brokerUrl" | "caFile" | "env">,
): Transport {
  if (config.brokerUrl === undefined)
    throw new OperatorError(
      "broker-url is required: set it by --broker-url or SVC_AGENT_BROKER_URL.",
    );
  const origin = new URL(config.brokerUrl);
  const options = {
    keepAlive: true,
    keepAliveMsecs: 15_000,
    timeout: keepMs,
    scheduling: "lifo" as const,
    proxyEnv: proxyEnvironment(config.env),
  };
  const agent =
    origin.protocol === "https:"
      ? new https.Agent({
          ...options,
          ...(config.caFile !== undefined && { ca: trusted(config.caFile) }),
        })
      : new http.Agent(options);
  return { origin, agent, close: () => agent.destroy() };
}

/**
 * Environment variables with which children use the same network settings: proxies, and one file with all trusted
 * certificates.
 */
export function networkOfChildren(
  config: Pick<AgentConfig, "caFile" | "dataDir" | "env">,
): Readonly<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const [name, value] of Object.entries(proxyEnvironment(config.env))) {
    told[name] = value;
    told[name.toUpperCase()] = value;
  }
  for (const name of [...certificateNames, "NODE_EXTRA_CA_CERTS"]) {
    const value = config.env[name];
    if (value !== undefined) told[name] = value;
  }
  if (config.caFile === undefined) return told;
  const bundle = path.join(config.dataDir, "certificates.pem");
  writeFileSync(bundle, trusted(config.caFile).join("\n"));
  for (const name of certificateNames) told[name] = bundle;
  return { ...told, NODE_EXTRA_CA_CERTS: config.caFile };
}

/** Both spellings count, lower case first; addresses that must never be proxied are added. */
export function proxyEnvironment(env: Environment): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of proxyNames) {
    const value = env[name] || env[name.toUpperCase()];
    if (value !== undefined && value !== "") found[name] = value;
  }
  if (found["http_proxy"] === undefined && found["https_proxy"] === undefined) return found;
  found["no_proxy"] = [found["no_proxy"], ...neverProxied].filter(Boolean).join(",");
  return found;
}

function trusted(file: string): string[] {
  try {
    return [...tls.getCACertificates("default"), readFileSync(file, "utf8")];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(`The certificates in ${file} cannot be read (${code}).`);
  }
}
