import { randomBytes } from "node:crypto";
import type { HostAnswer, HostRequest } from "../network/cloud-hosts.ts";

/** Entra ID's token endpoint and Key Vaults (REST, api-version 7.4), as their documentation describes them. */
export type AzureVaults = {
  /** The values of each secret, oldest first, by VAULT/NAME. */
  readonly secrets: Map<string, { readonly version: string; readonly value: string }[]>;
  /** Secrets that the application may not read. */
  readonly forbidden: Set<string>;
  /** What the vaults' challenges ask tokens for. */
  resource: string;
  readonly answer: (request: HostRequest) => HostAnswer | undefined;
};

const suffix = ".vault.azure.net";

/** Makes empty ones. */
export function makeAzureVaults(): AzureVaults {
  const tokens = new Map<string, string>();
  const login = ({ path, body }: HostRequest): HostAnswer => {
    const form = new URLSearchParams(body);
    const isForm = form.get("grant_type") === "client_credentials" && path.endsWith("/token");
    if (!isForm || form.get("client_secret") !== "client-secret-1")
      return {
        status: 401,
        body: {
          error: "invalid_client",
          error_description: "AADSTS7000215: Invalid client secret provided.",
        },
      };
    const token = `eyJ.${tokens.size}`;
    tokens.set(token, (form.get("scope") ?? "").replace(/\/\.default$/, ""));
    return { status: 200, body: { token_type: "Bearer", access_token: token, expires_in: 3599 } };
  };
  const vaults: AzureVaults = {
    secrets: new Map(),
    forbidden: new Set(),
    resource: "https://vault.azure.net",
    answer: (request) => {
      if (request.host === "login.microsoftonline.com") return login(request);
      if (!request.host.endsWith(suffix)) return undefined;
      const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
      if (tokens.get(token) !== vaults.resource) return challenge(vaults.resource);
      return ask(vaults, request);
    },
  };
  return vaults;
}

function ask({ secrets, forbidden }: AzureVaults, request: HostRequest): HostAnswer {
  const { host, path, query, method, body } = request;
  if (query.get("api-version") !== "7.4")
    return refusal(400, "BadParameter", "The api-version query parameter is missing or unknown.");
  const [, name = "", version] = /^\/secrets\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const key = `${host.replace(suffix, "")}/${name}`;
  if (forbidden.has(key)) {
    const words = "Caller is not authorized to perform action on resource.";
    return refusal(403, "Forbidden", words, "ForbiddenByRbac");
  }
  if (method === "PUT") {
    const { value } = JSON.parse(body) as { value: string };
    const made = { version: randomBytes(16).toString("hex"), value };
    secrets.set(key, [...(secrets.get(key) ?? []), made]);
    return bundle(host, name, made);
  }
  const versions = secrets.get(key) ?? [];
  const found =
    version === undefined ? versions.at(-1) : versions.find((one) => one.version === version);
  if (found !== undefined) return bundle(host, name, found);
  const words = `A secret with (name/id) ${name} was not found in this key vault.`;
  return refusal(404, "SecretNotFound", words);
}

function bundle(
  host: string,
  name: string,
  { version, value }: { readonly version: string; readonly value: string },
): HostAnswer {
  const id = `https://${host}/secrets/${name}/${version}`;
  return { status: 200, body: { value, id, attributes: { enabled: true } } };
}

const challenge = (resource: string): HostAnswer => ({
  status: 401,
  headers: {
    "www-authenticate": `Bearer authorization="https://login.microsoftonline.com/t-1", resource="${resource}"`,
  },
  body: {
    error: {
      code: "Unauthorized",
      message: "AKV10000: Request is missing a Bearer or PoP token.",
    },
  },
});

const refusal = (status: number, code: string, message: string, inner?: string): HostAnswer => ({
  status,
  body: { error: { code, message, ...(inner && { innererror: { code: inner } }) } },
});
