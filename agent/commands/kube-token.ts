import { clusterToken } from "../credentials/cluster-identity.ts";
import { CredentialFault } from "../credentials/credential-fault.ts";
import { parsedJson } from "../credentials/parsed-json.ts";
import { ExitError } from "../exit-error.ts";
import type { CommandCall } from "./agent-command.ts";

const usualVersion = "client.authentication.k8s.io/v1";

/** Prints a token for the cluster of a file, as Kubernetes' clients ask for it (an exec plugin). */
export async function printKubeToken({ words, env, say }: CommandCall): Promise<number> {
  try {
    const { token, expiresAtMs } = await clusterToken(words[0] ?? "", env);
    const expirationTimestamp = new Date(expiresAtMs).toISOString().replace(/\.\d+/, "");
    const apiVersion = askedVersion(env["KUBERNETES_EXEC_INFO"]);
    const status = { token, expirationTimestamp };
    say(JSON.stringify({ apiVersion, kind: "ExecCredential", status }));
    return 0;
  } catch (error) {
    if (error instanceof CredentialFault) throw new ExitError("failed", error.message);
    throw error;
  }
}

/** Older clients ask in an older version, and want the answer in it. */
function askedVersion(info: string | undefined): string {
  const { apiVersion } = (parsedJson(info ?? "") ?? {}) as { apiVersion?: unknown };
  const isKnown =
    typeof apiVersion === "string" && apiVersion.startsWith("client.authentication.k8s.io/v1");
  return isKnown ? apiVersion : usualVersion;
}
