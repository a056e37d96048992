import { writeFile } from "node:fs/promises";
import path from "node:path";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { startCloudDouble } from "../agent/cloud-double.ts";
import { cloudCertificate } from "../network/cloud-certificate.ts";
import { type HostAnswer, type HostRequest, startCloudHosts } from "../network/cloud-hosts.ts";
import { startMoto } from "../programs/start-moto.ts";
import { testFolder } from "../run/folder.ts";
import { pushImage } from "../sources/given-images.ts";
import { startRegistry } from "../sources/start-registry.ts";

/** What is asked of whom by way of a proxy, at the clouds' own names. */
export type CloudRegistries = {
  /** Of an agent that reaches them, and whose host proves who it is. */
  readonly env: Readonly<Record<string, string>>;
  /** Whom it trusts. */
  readonly caFile: string;
  /** Puts an image there; answers its digest. */
  readonly push: (host: string, repository: string, tag: string) => Promise<string>;
  /** Of whom nothing is told any more. */
  readonly refused: Set<string>;
  /** Another application of Azure's than that of the host. */
  readonly reader: { readonly client: string; readonly secret: string };
  /** The applications of Azure that have signed in. */
  readonly signedIn: Set<string>;
  /** What is secret of how somebody signs in. */
  readonly secrets: readonly string[];
};

// Of moto's password for this account, 111122223333-auth-token; nothing here speaks bcrypt.
const ecrUsers = { AWS: "$2y$04$QJ/etqlvwXN/mT.c4KxcEuTysRvHSgJB0Ss2p5VxEBf8Cr9oqwAMa" };
const account = "pull@acme.iam.gserviceaccount.com";
const machineToken = "ya29.machine-of-tests";
const googleToken = "ya29.account-of-tests";
const [entraToken, refreshToken, acrToken] = ["entra-of-tests", "refresh-of-tests", "acr-of-tests"];
const clients = { client: "host-secret-of-tests", reader: "reader-secret-of-tests" };

/**
 * ECR, Google's and Azure's registries and Docker's: two registries v3 at the clouds' own names. Who may pull says of AWS moto; of
 * Google and Azure doubles of their documented protocols, as no emulator of these is to be had.
 */
export async function startCloudRegistries(): Promise<CloudRegistries> {
  const moto = await startMoto();
  const ecr = await startRegistry({ asks: true, others: ecrUsers });
  const open = await startRegistry();
  const isEcr = (host: string): boolean => host.includes(".ecr.");
  const refused = new Set<string>();
  const signedIn = new Set<string>();
  const hosts = await startCloudHosts(async (request) => {
    const { host } = request;
    if (refused.has(host)) return { status: 403, body: { error: { message: "No more." } } };
    if (host === "iamcredentials.googleapis.com") return accountToken(request);
    if (host === "login.microsoftonline.com") return entra(request, signedIn);
    if (isEcr(host)) return await passOn(ecr.host, request);
    const gate = host.endsWith(".pkg.dev") ? google : host.endsWith(".azurecr.io") ? azure : nobody;
    return gate(request) ?? (await passOn(open.host, { ...request, headers: bare(request) }));
  });
  const metadata = await startCloudDouble(() => ({
    body: { access_token: machineToken, expires_in: 3599 },
  }));
  const caFile = path.join(await testFolder(), "ca.pem");
  await writeFile(caFile, cloudCertificate);
  return {
    env: {
      ...moto.env,
      ...hosts.env,
      GCE_METADATA_HOST: metadata.url.replace("http://", ""),
      AZURE_TENANT_ID: "tenant",
      AZURE_CLIENT_ID: "client",
      AZURE_CLIENT_SECRET: clients.client,
    },
    caFile,
    refused,
    secrets: [
      "-auth-token",
      googleToken,
      entraToken,
      refreshToken,
      acrToken,
      ...Object.values(clients),
    ],
    reader: { client: "reader", secret: clients.reader },
    signedIn,
    push: async (host, repository, tag) => {
      const place = { origin: `http://${isEcr(host) ? ecr.host : open.host}`, repository };
      const { user: username, password } = ecr.login ?? {};
      const login = isEcr(host) ? { username, password } : {};
      const client = makeRegistryClient(place, login, { access: "push" });
      return (await pushImage(client, { tag })).digest;
    },
  };
}

/** What the registry behind a name answers, byte for byte. */
async function passOn(behind: string, request: HostRequest): Promise<HostAnswer> {
  const { method, path: at, query, headers } = request;
  const { accept, authorization, range } = headers;
  const answer = await fetch(
    `http://${behind}${at}${query.size > 0 ? `?${query.toString()}` : ""}`,
    {
      method,
      headers: {
        ...(accept && { accept }),
        ...(authorization && { authorization }),
        ...(range && { range }),
      },
    },
  );
  const passed = ["content-type", "content-length", "docker-content-digest", "www-authenticate"];
  const told = passed.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const body = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, headers: Object.fromEntries(told), body };
}

/** Who signed in at the cloud's gate is nobody to the registry behind it. */
const bare = ({ headers }: HostRequest) => ({ ...headers, authorization: undefined });
const nobody = (): HostAnswer | undefined => undefined;

const accountToken = ({ path: at, headers }: HostRequest): HostAnswer =>
  headers.authorization === `Bearer ${machineToken}` &&
  at.includes(`/${account}:generateAccessToken`)
    ? { status: 200, body: { accessToken: googleToken } }
    : {
        status: 403,
        body: { error: { message: "Permission iam.serviceAccounts.getAccessToken denied." } },
      };

function google({ headers }: HostRequest): HostAnswer | undefined {
  const login = Buffer.from(`oauth2accesstoken:${googleToken}`).toString("base64");
  if (headers.authorization === `Basic ${login}`) return undefined;
  return { status: 401, headers: { "www-authenticate": 'Basic realm="gar"' }, body: "" };
}

function entra({ path: at, body }: HostRequest, signedIn: Set<string>): HostAnswer {
  const form = new URLSearchParams(body);
  const client = form.get("client_id") ?? "";
  const isKnown = Object.entries(clients).some(
    ([name, secret]) => name === client && form.get("client_secret") === secret,
  );
  if (!isKnown || !at.startsWith("/tenant/"))
    return { status: 401, body: { error: "invalid_client" } };
  signedIn.add(client);
  return { status: 200, body: { access_token: entraToken, expires_in: 3599 } };
}

function azure({ host, path: at, headers, body }: HostRequest): HostAnswer | undefined {
  const form = new URLSearchParams(body);
  const no = { status: 401, body: { errors: [{ code: "UNAUTHORIZED" }] } };
  if (at === "/oauth2/exchange")
    return form.get("access_token") === entraToken && form.get("service") === host
      ? { status: 200, body: { refresh_token: refreshToken } }
      : no;
  if (at === "/oauth2/token")
    return form.get("refresh_token") === refreshToken
      ? { status: 200, body: { access_token: acrToken } }
      : no;
  if (headers.authorization === `Bearer ${acrToken}`) return undefined;
  const challenge = `Bearer realm="https://${host}/oauth2/token",service="${host}"`;
  return { ...no, headers: { "www-authenticate": challenge } };
}
