import type { Environment } from "../config/environment.ts";
import { clusterToken } from "../credentials/cluster-identity.ts";
import { CredentialFault } from "../credentials/credential-fault.ts";
import { parsedJson } from "../credentials/parsed-json.ts";
import { ExitError } from "../exit-error.ts";

const usualVersion = "client.authentication.k8s.io/v1";

/** Prints a token for the cluster in a file, in the format of an exec plugin. */
export async function printKubeToken(
  file: string,
  env: Environment,
  say: (line: string) => void,
): Promise<void> {
  try {
    const { token, expiresAtMs } = await clusterToken(file, env);
    const expirationTimestamp = new Date(expiresAtMs).toISOString().replace(/\.\d+/, "");
    const apiVersion = askedVersion(env["KUBERNETES_EXEC_INFO"]);
    const status = { token, expirationTimestamp };
    say(JSON.stringify({ apiVersion, kind: "ExecCredential", status }));
  } catch (error) {
    if (error instanceof CredentialFault) throw new ExitError("failed", error.message);
    throw error;
  }
}

/** Older clients send an older version and expect it in the answer. */
function askedVersion(info: string | undefined): string {
  const { apiVersion } = (parsedJson(info ?? "") ?? {}) as { apiVersion?: unknown };
  const isKnown =
    typeof apiVersion === "string" && apiVersion.startsWith("client.authentication.k8s.io/v1");
  return isKnown ? apiVersion : usualVersion;
}
