import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { clusterOf, type Located } from "../../../agent/kubernetes/cluster.ts";
import { getAll } from "../../../agent/kubernetes/get-all.ts";
import { openKubeApi } from "../../../agent/kubernetes/kube-api.ts";

const resource = { apiVersion: "v1", kind: "Secret", plural: "secrets", isNamespaced: true };
const mebibyte = "x".repeat(2 ** 20);

/** An API server with so many secrets of a mebibyte each in any namespace. */
async function givenServer({ mebibytes }: { readonly mebibytes: number }) {
  const asked: string[] = [];
  const nameOf = (at: number): string => `secret-${at}`;
  const secretOf = (name: string): string =>
    JSON.stringify({ metadata: { name, uid: `uid-${name}` }, data: { of: mebibyte } });
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://any");
    asked.push(pathname.split("/").slice(4).join("/"));
    response.writeHead(200, { "content-type": "application/json" });
    const name = pathname.split("/")[6];
    const items = Array.from({ length: mebibytes }, (_, at) => secretOf(nameOf(at)));
    const list = `{"metadata":{},"items":[${items.join(",")}]}`;
    response.end(name === undefined ? list : secretOf(name));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on one
  const api = openKubeApi(
    {
      server: `http://127.0.0.1:${port}`,
      tls: {},
      proxyEnv: {},
      login: async () => await Promise.resolve({ untilMs: Number.POSITIVE_INFINITY }),
    },
    new AbortController().signal,
  );
  onTestFinished(() => {
    api.close();
    server.close();
  });
  const cluster = clusterOf(api, "default");
  const secrets = (count: number, namespace: string): Located[] =>
    Array.from({ length: count }, (_, at) => {
      return { resource, ref: { apiVersion: "v1", kind: "Secret", namespace, name: nameOf(at) } };
    });
  return { cluster, asked, secrets };
}

describe("many objects of one kind", () => {
  test("are asked for together where that is short", async () => {
    const { cluster, asked, secrets } = await givenServer({ mebibytes: 7 });
    const liveOf = await getAll(cluster, secrets(8, "shop"));
    expect(secrets(8, "shop").map((at) => liveOf(at)?.metadata.uid)).toEqual([
      ...Array.from({ length: 7 }, (_, at) => `uid-secret-${at}`),
      undefined,
    ]);
    expect(asked).toEqual(["shop/secrets"]);
  });

  test("are asked for one by one where their list is too long, and it is not asked for again", async () => {
    const { cluster, asked, secrets } = await givenServer({ mebibytes: 9 });
    const ats = secrets(8, "shop");
    for (let look = 0; look < 2; look++) {
      const liveOf = await getAll(cluster, ats);
      expect(ats.map((at) => liveOf(at)?.metadata.uid)).toEqual(
        ats.map(({ ref }) => `uid-${ref.name}`),
      );
    }
    expect(asked.filter((path) => path === "shop/secrets")).toHaveLength(1);
    expect(asked).toHaveLength(1 + 2 * ats.length);
    await getAll(cluster, secrets(8, "other"));
    expect(asked).toContain("other/secrets");
  });
});
