import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { deleteObjects } from "../../../agent/handlers/manifests/delete-objects.ts";
import { entryOf } from "../../../agent/handlers/manifests/inventory.ts";
import type { ManifestContext } from "../../../agent/handlers/manifests/manifest-context.ts";
import { clusterOf } from "../../../agent/kubernetes/cluster.ts";
import { openKubeApi } from "../../../agent/kubernetes/kube-api.ts";

const ours = "svc-agent/install";
const settings = { apiVersion: "v1", kind: "ConfigMap", namespace: "shop", name: "settings" };

/** An API server with one ConfigMap, which this manager has applied; told to delete it, it does. */
async function givenScene(manager: string) {
  const metadata = {
    name: "settings",
    uid: "uid-1",
    managedFields: [{ manager, operation: "Apply" }],
  };
  let isThere = true;
  const server = http.createServer((request, response) => {
    const isOne = request.url?.endsWith("/settings") === true;
    const resources = [{ name: "configmaps", kind: "ConfigMap", namespaced: true }];
    const found = isOne ? { metadata } : { resources };
    response.writeHead(isOne && !isThere ? 404 : 200, { "content-type": "application/json" });
    if (request.method === "DELETE") isThere = false;
    response.end(JSON.stringify(found));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on one
  const { signal } = new AbortController();
  const login = async () => await Promise.resolve({ untilMs: Number.POSITIVE_INFINITY });
  const access = { server: `http://127.0.0.1:${port}`, tls: {}, proxyEnv: {}, login };
  const api = openKubeApi(access, signal);
  onTestFinished(() => {
    api.close();
    server.close();
  });
  const said: string[] = [];
  const job = { signal, log: (text: string) => void said.push(text) };
  const run = { deleteKinds: [], waitMs: 60_000 };
  const cluster = clusterOf(api, "shop");
  // what deletes need of a scene
  const scene = { job, run, cluster, manager: ours } as unknown as ManifestContext;
  return { scene, said, isThere: () => isThere };
}

describe("an object of which a crash left no uid", () => {
  test("is deleted while this manager has it", async () => {
    const { scene, said, isThere } = await givenScene(ours);
    await deleteObjects(scene, [entryOf(settings)], "nothing was applied");
    expect(isThere()).toBe(false);
    expect(said).toEqual(["ConfigMap shop/settings was deleted."]);
  });

  test("is kept where somebody else has made it since it was looked at", async () => {
    const { scene, said, isThere } = await givenScene("kubectl");
    await deleteObjects(scene, [entryOf(settings)], "nothing was applied");
    expect(isThere()).toBe(true);
    expect(said).toEqual([
      "ConfigMap shop/settings was kept: it is unknown whether it was created by this deploy.",
    ]);
  });
});
