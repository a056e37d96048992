import { generateKeyPairSync } from "node:crypto";
import { crc32c } from "../../../agent/handlers/secrets/crc32c.ts";
import type { HostAnswer, HostRequest } from "../network/cloud-hosts.ts";

/** Google's hosts as their documentation describes them: token server, IAM credentials, Secret Manager (v1). */
export type GoogleStores = {
  /** The versions of each secret, oldest first, by its name in full; a secret without one is there, and empty. */
  readonly secrets: Map<string, string[]>;
  /** Names of secrets that nobody may read. */
  readonly forbidden: Set<string>;
  /** Undefined for what is of no host of Google's. */
  readonly answer: (request: HostRequest) => HostAnswer | undefined;
};

/** The key of a service account that Google's token server knows. */
export function googleKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return JSON.stringify({
    type: "service_account",
    client_email: "sync@acme-1.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  });
}

const versionPath =
  /^\/v1\/(projects\/[^/]+(?:\/locations\/[^/]+)?\/secrets\/[^/:]+)(?:\/versions\/([^/:]+))?:(\w+)$/;

/** Makes an empty one. */
export function makeGoogleStores(): GoogleStores {
  const secrets: GoogleStores["secrets"] = new Map();
  const forbidden: GoogleStores["forbidden"] = new Set();
  const tokens = new Set<string>();
  const issue = (name: string): string => {
    const token = `ya29.${name}-${tokens.size}`;
    tokens.add(token);
    return token;
  };
  const secretManager = ({ headers, method, path, body }: HostRequest): HostAnswer => {
    if (!tokens.has(headers.authorization?.replace("Bearer ", "") ?? ""))
      return refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    const [, name = "", version = "", verb] = versionPath.exec(path) ?? [];
    if (forbidden.has(name))
      return refusal(
        403,
        "PERMISSION_DENIED",
        `Permission 'secretmanager.versions.access' denied for resource '${name}' (or it may not exist).`,
      );
    const versions = secrets.get(name);
    const absent = refusal(404, "NOT_FOUND", `Secret [${name}] not found or has no versions.`);
    if (method === "POST" && verb === "addVersion") return added(name, versions, body);
    const nth = version === "latest" ? (versions?.length ?? 0) : Number(version);
    const value = versions?.[nth - 1];
    if (value === undefined || verb !== "access") return absent;
    return { status: 200, body: { name: `${name}/versions/${nth}`, payload: payloadOf(value) } };
  };
  return {
    secrets,
    forbidden,
    answer: (request) => {
      const { host, path } = request;
      if (host === "oauth2.googleapis.com")
        return { status: 200, body: { access_token: issue("key"), expires_in: 3599 } };
      if (host === "iamcredentials.googleapis.com") {
        const [, account = ""] = /serviceAccounts\/([^:]+):generateAccessToken$/.exec(path) ?? [];
        return { status: 200, body: { accessToken: issue(account) } };
      }
      return /^secretmanager\..*googleapis\.com$/.test(host) ? secretManager(request) : undefined;
    },
  };
}

function payloadOf(value: string): object {
  const bytes = Buffer.from(value, "latin1");
  return { data: bytes.toString("base64"), dataCrc32c: String(crc32c(bytes)) };
}

function added(name: string, versions: string[] | undefined, body: string): HostAnswer {
  if (versions === undefined) return refusal(404, "NOT_FOUND", `Secret [${name}] not found.`);
  const { payload } = JSON.parse(body) as { payload: { data: string; dataCrc32c: string } };
  const bytes = Buffer.from(payload.data, "base64");
  if (payload.dataCrc32c !== String(crc32c(bytes)))
    return refusal(400, "INVALID_ARGUMENT", "The checksum is another.");
  versions.push(bytes.toString("latin1"));
  return { status: 200, body: { name: `${name}/versions/${versions.length}`, state: "ENABLED" } };
}

const refusal = (code: number, status: string, message: string): HostAnswer => ({
  status: code,
  body: { error: { code, message, status } },
});
