import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { loginOf } from "../../../agent/registry/login-of.ts";
import { makeRegistryClient } from "../../../agent/registry/registry-client.ts";
import { placeReference, readRegistryPlace } from "../../../agent/registry/registry-place.ts";
import { readSource } from "../../../agent/sources/read-source.ts";
import type { RegistryMember } from "../../../shared/plans/registry-member.ts";
import { startCloudDouble } from "../../support/agent/cloud-double.ts";
import { startMoto } from "../../support/programs/start-moto.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const read = (member: RegistryMember) => readRegistryPlace(member, "src_registry", { tag: "v1" });
const ecr = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
const acr = "acme.azurecr.io";
const keys = { access_key_id: "AKIA", secret_access_key: "s", session_token: "" };
const role = { role_arn: "arn:aws:iam::1:role/x", session_name: "job" };

async function loginFor(member: RegistryMember, origin: string, env: Record<string, string>) {
  const place = read(member);
  if (place === undefined) throw new Error("it names no registry");
  return await loginOf(place.identity, origin, env);
}

describe("a registry of a plan", () => {
  test.each<[string, RegistryMember, string]>([
    [
      "its server and repository",
      { loginServer: "r.example", repository: "a/b" },
      "https://r.example",
    ],
    [
      "the server with a scheme",
      { loginServer: "https://r.example", repository: "a/b" },
      "https://r.example",
    ],
    [
      "the server twice",
      { loginServer: "r.example", repository: "r.example/a/b" },
      "https://r.example",
    ],
    ["the repository twice", { url: "r.example/a/b", repository: "a/b" }, "https://r.example"],
    ["all in one", { url: "oci://127.0.0.1:5000/a/b:v0" }, "http://127.0.0.1:5000"],
  ])("may be %s", (_, member, origin) => {
    const place = read(member);
    expect(placeReference(place ?? { url: "" }, "it")).toMatchObject({
      origin,
      repository: "a/b",
      tag: "v1",
    });
  });

  test("is a source in a deploy plan, and in a sandbox's by its oci_source", () => {
    const registry = {
      loginServer: "r.example",
      repository: "a/b",
      ociauth: { username: "u", password: "p" },
    };
    const oci = { url: "r.example", repository: "a/b", isPlain: false };
    const identity = { kind: "login", login: { username: "u", password: "p" } };
    expect(readSource({ src_registry: registry, src_tag: "v1" })).toMatchObject({
      oci: { ...oci, tag: "v1", identity },
    });
    const digest = `sha256:${"0".repeat(64)}`;
    expect(readSource({ oci_source: { registry, tag: "v1", digest } })).toMatchObject({
      oci: { ...oci, digest, identity },
    });
  });

  test.each<[string, RegistryMember, unknown]>([
    ["a name and a password", { ociauth: { username: "u", password: "p" } }, { kind: "login" }],
    [
      "nobody, whatever is written out empty",
      { ociauth: { username: "" }, ecrauth: { static: null, region: "" }, acrauth: {} },
      { kind: "nobody" },
    ],
    [
      "the one that its type means",
      {
        registryType: "ecr",
        ociauth: { username: "u", password: "p" },
        loginServer: ecr,
        ecrauth: { use_default: true },
      },
      { kind: "aws", region: "eu-central-1" },
    ],
    [
      "a login in place of what its type means",
      { registryType: "acr", ociauth: { username: "u", password: "p" } },
      { kind: "login" },
    ],
    [
      "Google's account of the host",
      { registryType: "gar", loginServer: "europe-docker.pkg.dev" },
      { kind: "google", account: undefined },
    ],
    [
      "roles, one from another",
      {
        loginServer: ecr,
        ecrauth: {
          assume_role: {
            ...role,
            session_duration_seconds: 900,
            two_step_config: { iam_role_arn: "arn:first", src_static_credentials: keys },
          },
        },
      },
      {
        kind: "aws",
        identity: {
          keys: { accessKeyId: "AKIA" },
          roles: [{ roleArn: "arn:first" }, { roleArn: role.role_arn, durationSeconds: 900 }],
        },
      },
    ],
    [
      "an identity of the machine",
      { loginServer: acr, acrauth: { managed_identity_client_id: "mi" } },
      { kind: "azure", identity: { usesMachine: true, clientId: "mi" } },
    ],
    [
      "the host's own, with the parts that are named",
      { loginServer: acr, acrauth: { use_default: true, tenant_id: "t" } },
      { kind: "azure", identity: { tenantId: "t" } },
    ],
  ])("is signed in to by %s", (_, member, identity) => {
    const place = read({ loginServer: "r.example", repository: "a/b", ...member });
    expect(place?.identity).toMatchObject(identity as object);
  });

  test.each<[string, RegistryMember]>([
    ["registryType must be one of acr, ecr, gar, private_oci, public_oci", { registryType: "hub" }],
    ["ecrauth is missing: a registry of type ecr needs it", { registryType: "ecr" }],
    [
      "names several identities (ociauth, ecrauth)",
      { ociauth: { password: "p" }, ecrauth: { use_default: true } },
    ],
  ])("is refused, as nobody else signs in in its place: %s", (words, member) => {
    const place = { loginServer: "r.example", repository: "a/b", ...member };
    expect(() => read(place)).toThrow(
      `src_registry${words.startsWith("names") ? " " : "."}${words}`,
    );
  });
});

test("an Azure registry is signed in to by tokens that it exchanges for one of Entra ID", async () => {
  const cloud = await startCloudDouble(({ url }) => ({
    body: url.pathname.includes("exchange")
      ? { refresh_token: "refresh-1" }
      : { access_token: "entra-1" },
  }));
  const scopes: (string | null)[] = [];
  const server = http.createServer((request, response) => {
    if (request.headers.authorization === "Bearer access-1") response.end("answer");
    else if (request.url === "/oauth2/token") {
      request.setEncoding("utf8").on("data", (text: string) => {
        const form = new URLSearchParams(text);
        scopes.push(form.get("grant_type"), form.get("refresh_token"), form.get("scope"));
        response.end('{"access_token":"access-1"}');
      });
    } else {
      const challenge = `Bearer realm="http://${request.headers.host}/oauth2/token",service="acr"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const acrauth = { tenant_id: "t", client_id: "c", client_secret: "s" };
  const env = { AZURE_AUTHORITY_HOST: cloud.url };
  const login = await loginFor({ loginServer: "acme.azurecr.io", acrauth }, cloud.url, env);
  expect(login).toEqual({ refreshToken: "refresh-1" });
  const asked = cloud.asked.map(({ url, form }) => [
    url.pathname,
    form.get("scope") ?? form.get("access_token"),
  ]);
  expect(asked).toEqual([
    ["/t/oauth2/v2.0/token", "https://containerregistry.azure.net/.default"],
    ["/oauth2/exchange", "entra-1"],
  ]);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = makeRegistryClient({ origin, repository: "acme/app" }, login, { access: "push" });
  expect((await client.get("manifests/v1")).status).toBe(200);
  expect(scopes).toEqual(["refresh_token", "refresh-1", "repository:acme/app:pull,push"]);
});

test("a Google registry is signed in to in an account's name, by the host's own", async () => {
  const metadata = await startCloudDouble(() => ({ body: { access_token: "host-1" } }));
  const credentials = await startCloudDouble(() => ({ body: { accessToken: "account-1" } }));
  const env = {
    GCE_METADATA_HOST: metadata.url.replace("http://", ""),
    CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS: credentials.url,
  };
  const registry = { loginServer: "europe-docker.pkg.dev", registryType: "gar" };
  const as = async (more: object) => await loginFor({ ...registry, ...more }, "https://x", env);
  expect(await as({})).toEqual({ username: "oauth2accesstoken", password: "host-1" });
  const account = "push@acme.iam.gserviceaccount.com";
  expect(await as({ serviceAccountEmail: account })).toMatchObject({ password: "account-1" });
  expect(credentials.asked[0]?.headers.authorization).toBe("Bearer host-1");
  expect(decodeURIComponent(credentials.asked[0]?.url.pathname ?? "")).toContain(account);
});

describeWithTools(["moto_server"], "an ECR registry", () => {
  test("is signed in to by AWS' own token, as a role, and by nobody whom AWS refuses", async () => {
    const { env } = await startMoto();
    const member = { loginServer: ecr, ecrauth: { region: "eu-central-1", assume_role: role } };
    const { username, password } = await loginFor(member, "https://x", env);
    expect([username, password]).toEqual(["AWS", expect.stringMatching(/-auth-token$/)]);
    const strict = await startMoto(0);
    const refused = loginFor({ ...member, ecrauth: { static: keys } }, "https://x", strict.env);
    await expect(refused).rejects.toThrow("ECR returned no login: status 403");
  });
});
