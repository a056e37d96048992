import { execFile } from "node:child_process";
import { createVerify, generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { writeCloudCredentials } from "../../../agent/credentials/cloud-credentials.ts";
import { writeKubeconfig } from "../../../agent/credentials/kubeconfig.ts";
import { readCredentials } from "../../../agent/credentials/read-credentials.ts";
import { startCloudDouble } from "../../support/agent/cloud-double.ts";
import { agentProgram, compileCache } from "../../support/programs/present-programs.ts";
import { testFolder } from "../../support/run/folder.ts";

const run = promisify(execFile);
type Env = Readonly<Record<string, string>>;

/** Writes what a plan says, and calls this very program as tools would. */
async function setup(plan: object) {
  const folder = await testFolder();
  const credentials = readCredentials(plan);
  await writeCloudCredentials(credentials, { folder });
  const clouds = credentials;
  await writeKubeconfig(credentials.cluster_info, { folder, owner: undefined, clouds });
  const call = async (args: readonly string[], env: Env): Promise<Record<string, unknown>> => {
    const { stdout } = await run(process.execPath, [agentProgram, ...args], {
      env: { NODE_COMPILE_CACHE: compileCache, ...env },
    });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return {
    folder,
    kubeToken: async (env: Env) =>
      await call(["kube-token", path.join(folder, "kube-token.json")], env),
    awsKeys: async (env: Env) =>
      await call(["aws-credentials", path.join(folder, "aws-identity.json")], env),
    kubeconfig: async () =>
      JSON.parse(await readFile(path.join(folder, "kubeconfig"), "utf8")) as {
        users: { user: { exec: { command: string; args: string[]; apiVersion: string } } }[];
      },
  };
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const keysOf = (name: string, expires: string): object => ({
  AccessKeyId: `ASIA-${name}`,
  SecretAccessKey: "secret-1",
  Token: "session-1",
  Expiration: expires,
});
const role = { role_arn: "arn:aws:iam::1:role/x" };
const stsAnswer = (name: string, expires: string): string =>
  `<r><Credentials><AccessKeyId>${name}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${expires}</Expiration></Credentials></r>`;
const off = { AWS_EC2_METADATA_DISABLED: "true" };

describe("a role is taken on by whoever the host is:", () => {
  const aws_auth = { region: "eu-central-1", assume_role: role };
  const sts = async () =>
    await startCloudDouble(() => ({ body: stsAnswer("ASIAROLE", inAnHour()) }));

  test("a container, by its own address", async () => {
    const [host, cloud] = [
      await startCloudDouble(() => ({ body: keysOf("box", inAnHour()) })),
      await sts(),
    ];
    const { awsKeys } = await setup({ aws_auth });
    const env = {
      AWS_ENDPOINT_URL_STS: cloud.url,
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${host.url}/creds`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "tok",
    };
    expect(await awsKeys(env)).toMatchObject({
      Version: 1,
      AccessKeyId: "ASIAROLE",
      SessionToken: "t",
    });
    expect(host.asked[0]?.headers.authorization).toBe("tok");
    expect(cloud.asked[0]?.headers.authorization).toContain("Credential=ASIA-box/");
    expect(cloud.asked[0]?.form.get("RoleArn")).toBe(role.role_arn);
  });

  test("a machine, by its metadata with a token", async () => {
    const cloud = await sts();
    const machine = await startCloudDouble(({ url, headers, method }) => {
      if (url.pathname === "/latest/api/token")
        return { body: method === "PUT" ? "imds-token" : "" };
      if (headers["x-aws-ec2-metadata-token"] !== "imds-token") return { status: 401, body: "" };
      if (url.pathname.endsWith("/")) return { body: "host-role\n" };
      return { body: keysOf("machine", inAnHour()) };
    });
    const { awsKeys } = await setup({ aws_auth });
    const env = { AWS_ENDPOINT_URL_STS: cloud.url, AWS_EC2_METADATA_SERVICE_ENDPOINT: machine.url };
    expect(await awsKeys(env)).toMatchObject({ AccessKeyId: "ASIAROLE" });
    expect(machine.asked.at(-1)?.url.pathname).toContain("security-credentials/host-role");
  });

  test("a pod, by its token, which is read anew each time", async () => {
    const cloud = await sts();
    const { folder, awsKeys } = await setup({ aws_auth });
    const file = path.join(folder, "token");
    await writeFile(file, "pod-token\n");
    const env = {
      AWS_ENDPOINT_URL_STS: cloud.url,
      AWS_WEB_IDENTITY_TOKEN_FILE: file,
      AWS_ROLE_ARN: "arn:aws:iam::1:role/pod",
    };
    expect(await awsKeys(env)).toMatchObject({ AccessKeyId: "ASIAROLE" });
    const [byToken, byKeys] = cloud.asked;
    expect(byToken?.form.get("WebIdentityToken")).toBe("pod-token");
    expect(byKeys?.form.get("Action")).toBe("AssumeRole");
  });

  test("nobody, which is said", async () => {
    const { awsKeys } = await setup({ aws_auth });
    await expect(awsKeys(off)).rejects.toThrow("No AWS credentials on this host");
  });
});

test("keys of a role are kept while they are good, and got anew before they end", async () => {
  let lastsMs = 3_600_000;
  const cloud = await startCloudDouble(() => ({
    body: stsAnswer(`ASIA${cloud.asked.length}`, new Date(Date.now() + lastsMs).toISOString()),
  }));
  const static_ = { access_key_id: "AKIA1", secret_access_key: "secret-1" };
  const { awsKeys } = await setup({ aws_auth: { static: static_, assume_role: role } });
  const env = { AWS_ENDPOINT_URL_STS: cloud.url };
  for (let nth = 0; nth < 2; nth++) expect((await awsKeys(env))["AccessKeyId"]).toBe("ASIA1");
  const again = await setup({ aws_auth: { static: static_, assume_role: role } });
  lastsMs = 60_000; // as if an hour had almost passed
  for (const name of ["ASIA2", "ASIA3"]) {
    expect((await again.awsKeys(env))["AccessKeyId"]).toBe(name);
  }
});

describe("a cluster's token", () => {
  test("of EKS is a signed question to STS of who we are", async () => {
    const endpoint = "https://ABC.gr7.eu-west-1.eks.amazonaws.com";
    const { kubeToken, kubeconfig } = await setup({
      aws_auth: {
        region: "us-east-1",
        static: { access_key_id: "AKIA1", secret_access_key: "s-1" },
      },
      cluster_info: { id: "prod", endpoint, ca_data: "Y2E=" },
    });
    const exec = (await kubeconfig()).users[0]?.user.exec;
    expect(exec).toMatchObject({
      command: "svc-agent",
      apiVersion: "client.authentication.k8s.io/v1",
    });
    expect(exec?.args[0]).toBe("kube-token");
    const { apiVersion, kind, status } = await kubeToken({});
    const { token, expirationTimestamp } = status as { token: string; expirationTimestamp: string };
    expect([apiVersion, kind]).toEqual(["client.authentication.k8s.io/v1", "ExecCredential"]);
    expect(Date.parse(expirationTimestamp)).toBeGreaterThan(Date.now());
    const [head = "", body = ""] = token.split(".");
    const url = new URL(Buffer.from(body, "base64url").toString());
    expect([head, url.host]).toEqual(["k8s-aws-v1", "sts.eu-west-1.amazonaws.com"]);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: "GetCallerIdentity",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
      "X-Amz-Expires": "60",
    });
    const info = JSON.stringify({ apiVersion: "client.authentication.k8s.io/v1beta1" });
    expect((await kubeToken({ KUBERNETES_EXEC_INFO: info }))["apiVersion"]).toContain("v1beta1");
  });

  test("of GKE is Google's, for a service account's key or for the host", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const cloud = await startCloudDouble(() => ({
      body: { access_token: "ya29.one", expires_in: 3599 },
    }));
    const key = {
      type: "service_account",
      client_email: "me@project.iam",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      token_uri: `${cloud.url}/token`,
    };
    const cluster_info = { id: "prod", endpoint: "https://10.0.0.1", cloud: "gcp" };
    const { kubeToken } = await setup({ gcp_auth: { service_account_key: key }, cluster_info });
    expect(await kubeToken({})).toMatchObject({ status: { token: "ya29.one" } });
    const [head = "", claims = "", signature = ""] = (
      cloud.asked[0]?.form.get("assertion") ?? ""
    ).split(".");
    const isGood = createVerify("RSA-SHA256").update(`${head}.${claims}`);
    expect(isGood.verify(publicKey, signature, "base64url")).toBe(true);
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
      iss: "me@project.iam",
      aud: `${cloud.url}/token`,
    });
    const host = await setup({ cluster_info });
    expect(await host.kubeToken({ GCE_METADATA_HOST: new URL(cloud.url).host })).toMatchObject({
      status: { token: "ya29.one" },
    });
    expect(cloud.asked.at(-1)?.headers["metadata-flavor"]).toBe("Google");
  });

  test("of GKE is that of another account, in whose name the host asks", async () => {
    const cloud = await startCloudDouble(({ url }) => ({
      body: url.pathname.endsWith(":generateAccessToken")
        ? { accessToken: "ya29.account" }
        : { access_token: "ya29.host" },
    }));
    const cluster_info = { id: "prod", endpoint: "https://10.0.0.1", cloud: "gcp" };
    const account = "deploy@acme.iam.gserviceaccount.com";
    const gcp_auth = { impersonate_service_account: account };
    const { kubeToken } = await setup({ gcp_auth, cluster_info });
    const env = {
      GCE_METADATA_HOST: new URL(cloud.url).host,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_IAMCREDENTIALS: cloud.url,
    };
    expect(await kubeToken(env)).toMatchObject({ status: { token: "ya29.account" } });
    expect(cloud.asked.at(-1)?.headers.authorization).toBe("Bearer ya29.host");
    expect(decodeURIComponent(cloud.asked.at(-1)?.url.pathname ?? "")).toContain(account);
  });

  test("of AKS is Entra ID's, by a secret, by a pod's token, or by the machine", async () => {
    const cloud = await startCloudDouble(({ form, url }) => {
      const isKnown = form.get("client_secret") !== "wrong-secret-1";
      if (url.pathname.startsWith("/msi") || isKnown)
        return { body: { access_token: "eyJ.one", expires_in: "3599" } };
      const error_description = "AADSTS7000215: Invalid client secret provided.";
      return { status: 401, body: { error: "invalid_client", error_description } };
    });
    const cluster_info = { id: "prod", endpoint: "https://prod-1.hcp.westeurope.azmk8s.io" };
    const azure_auth = { tenant_id: "t-1", client_id: "c-1", client_secret: "secret-value-1" };
    const env = { AZURE_AUTHORITY_HOST: cloud.url };
    const { kubeToken } = await setup({ azure_auth, cluster_info });
    expect(await kubeToken(env)).toMatchObject({ status: { token: "eyJ.one" } });
    expect(cloud.asked[0]?.url.pathname).toBe("/t-1/oauth2/v2.0/token");
    expect(cloud.asked[0]?.form.get("scope")).toBe("6dae42f8-4368-4678-94ff-3960e28e3630/.default");

    const wrong = await setup({
      azure_auth: { ...azure_auth, client_secret: "wrong-secret-1" },
      cluster_info,
    });
    const failure = await wrong.kubeToken(env).catch((error: unknown) => String(error));
    expect(failure).toContain("Entra ID returned no token: invalid_client: AADSTS7000215");
    expect(failure).not.toContain("wrong-secret-1");

    const pod = await setup({ azure_auth: { tenant_id: "t-1", client_id: "c-1" }, cluster_info });
    const file = path.join(pod.folder, "token");
    await writeFile(file, "pod-token\n");
    await pod.kubeToken({ ...env, AZURE_FEDERATED_TOKEN_FILE: file });
    expect(cloud.asked.at(-1)?.form.get("client_assertion")).toBe("pod-token");

    const machine = await setup({ azure_auth: { use_msi: true }, cluster_info });
    await machine.kubeToken({ IDENTITY_ENDPOINT: `${cloud.url}/msi`, IDENTITY_HEADER: "head" });
    expect(cloud.asked.at(-1)?.headers["x-identity-header"]).toBe("head");
  });
});
