import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../../test/support/run/folder.ts";
import { readOwnCluster } from "./own-kubeconfig.ts";

const server = "https://cluster.example:6443";
type Given = {
  readonly users?: object;
  readonly cluster?: object;
  readonly more?: object;
  readonly namespace?: string;
};

/** A kubeconfig whose context `prod` is made of these, beside another one. */
async function givenKubeconfig({ users = {}, cluster = {}, more, namespace }: Given = {}) {
  const folder = await testFolder();
  const file = path.join(folder, "config");
  const value = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "prod",
    clusters: [
      { name: "far", cluster: { server, ...cluster } },
      { name: "other", cluster: { server: "https://other.example" } },
    ],
    users: [
      { name: "me", user: users },
      { name: "other", user: { token: "other-token" } },
    ],
    contexts: [
      { name: "prod", context: { cluster: "far", user: "me", namespace } },
      { name: "stage", context: { cluster: "other", user: "other" } },
      { name: "broken", context: { cluster: "none", user: "me" } },
    ],
    ...more,
  };
  await writeFile(file, JSON.stringify(value));
  return { folder, file };
}

const read = async (file: string | undefined, context?: string, env = {}) =>
  await readOwnCluster({ kubeconfig: file, context }, { env });

async function sent(file: string | undefined, context?: string, env = {}) {
  const { info } = await read(file, context, env);
  const { clusters, users, contexts } = JSON.parse(info?.kube_config ?? "{}") as {
    clusters: { cluster: object }[];
    users: { user: object }[];
    contexts: object[];
  };
  return { clusters, user: users[0]?.user, cluster: clusters[0]?.cluster, contexts };
}

describe("the context that is sent", () => {
  test("is by itself, with its namespace, and with what its files hold", async () => {
    const { folder, file } = await givenKubeconfig({
      cluster: { "certificate-authority": "ca.pem", extensions: [{ name: "minikube" }] },
      users: { "client-certificate": "me.pem", "client-key": "keys/me.key", tokenFile: "token" },
      namespace: "shop",
    });
    await mkdir(path.join(folder, "keys"));
    const files = { "ca.pem": "ca", "me.pem": "cert", "keys/me.key": "key", token: "tok\n" };
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(folder, name), text);
    }
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    expect(await sent(file)).toEqual({
      clusters: [expect.anything()],
      cluster: { server, "certificate-authority-data": base64("ca") },
      user: {
        "client-certificate-data": base64("cert"),
        "client-key-data": base64("key"),
        token: "tok",
      },
      contexts: [{ name: "svc", context: { cluster: "svc", user: "svc", namespace: "shop" } }],
    });
    expect((await read(file)).namespace).toBe("shop");
    const { info } = await read(file);
    expect(info?.kube_config).not.toMatch(/other|minikube|ca\.pem/);
  });

  test("is of the person's own files where only its name is given, and none where nothing is", async () => {
    const { file } = await givenKubeconfig();
    const none = path.join(await testFolder(), "none");
    const KUBECONFIG = [none, file].join(path.delimiter);
    expect((await sent(undefined, "stage", { KUBECONFIG })).user).toEqual({ token: "other-token" });
    const home = await testFolder();
    await mkdir(path.join(home, ".kube"));
    const stage = `current-context: stage
contexts: [{name: stage, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "${server}"}}]
users: [{name: u, user: {token: mine}}]
`;
    await writeFile(path.join(home, ".kube", "config"), stage);
    expect((await sent(undefined, "stage", { HOME: home })).user).toEqual({ token: "mine" });
    expect(await read(undefined, undefined, { KUBECONFIG })).toEqual({});
  });

  test.each([
    [
      { users: { exec: { apiVersion: "v1", command: "aws" } } },
      /by a program of this machine \(aws\)/,
    ],
    [{ users: { "auth-provider": { name: "gcp" } } }, /by an auth-provider/],
    [{ users: { token: "t", as: "admin" } }, /acts as somebody else/],
    [{ users: { "client-key": "none.key" } }, /names the file .+none\.key, which cannot be read/],
    [{ more: { "current-context": "" } }, /has no current context: name one with --context/],
    [{ more: { contexts: "swordfish" } }, /is no kubeconfig: contexts: /],
  ])("is refused when it cannot be one (%#)", async (given, words) => {
    const { file } = await givenKubeconfig(given);
    await expect(read(file)).rejects.toThrow(words);
  });

  test("is refused when it is not there", async () => {
    const { file } = await givenKubeconfig();
    await expect(read(file, "nope")).rejects.toThrow(`There is no context nope in ${file}.`);
    await expect(read(file, "broken")).rejects.toThrow(
      "names the cluster none, which is not there",
    );
    await expect(read("/none/config")).rejects.toThrow("/none/config cannot be read (ENOENT).");
    await writeFile(file, "a: [b\n: c");
    await expect(read(file)).rejects.toThrow("it is not YAML");
  });
});
