import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBrokerRecords } from "../../../agent/helm-front/broker-records.ts";
import { frontDoor } from "../../../agent/helm-front/front-door.ts";
import { openUpstream } from "../../../agent/helm-front/upstream.ts";
import type { HelmChart } from "../../../shared/api/helm-charts.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";

const labels = { owner: "helm", name: "web" };

/** Helm's record of a revision, with so much of a manifest. */
const recordOf = (version: number, bytes = 10) => ({
  name: "web",
  info: { status: version === 3 ? "deployed" : "superseded" },
  manifest: `"${version}": [{\\ `.padEnd(bytes, "grün "),
  version,
  labels: { "svc-job": `job ${version}` },
});

async function allOf(list: AsyncGenerator): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const one of list) all.push(one);
  return all;
}

/** A broker that has three long records of a release, behind a proxy. */
async function givenRecords() {
  const at = await givenOperator();
  const owner = { owner_id: "ins_1", owner_type: "installs" };
  const { id: chartId } = (await at.call<HelmChart>("POST /v1/helm-charts", { body: owner })).body;
  const kept = [1, 2, 3].map((version) => recordOf(version, 3_000_000));
  for (const record of kept) {
    const key = `sh.helm.release.v1.web.v${record.version}`;
    const path = `/v1/helm-releases/${chartId}/releases/apps/${key}`;
    expect((await at.call(`POST ${path}`, { body: record })).status).toBe(201);
  }
  const proxy = await faultProxy(at.broker.url);
  const records = openBrokerRecords({ url: proxy.url, token: at.token, chartId }, { env: {} });
  onTestFinished(records.close);
  return { kept, proxy, records };
}

describe("the list of helm's records at the broker", () => {
  test("is told record by record, as they were written", async () => {
    const { kept, records } = await givenRecords();
    expect(await allOf(records.list("apps", labels))).toEqual(kept);
    expect(await allOf(records.list("apps", { ...labels, version: "2" }))).toEqual([kept[1]]);
    expect(await allOf(records.list("elsewhere", labels))).toEqual([]);
  });

  test("that breaks off is asked for again, and has each record once", async () => {
    const { kept, proxy, records } = await givenRecords();
    const cut = proxy.fail("GET /query", "truncated", 2);
    const away = proxy.fail("GET /query", "500", 1);
    expect(await allOf(records.list("apps", labels))).toEqual(kept);
    expect([cut.hits(), away.hits()]).toEqual([2, 1]);
  });

  test("that the broker refuses is refused, in its words", async () => {
    const { proxy, records } = await givenRecords();
    proxy.fail("GET /query", "410");
    const list = allOf(records.list("apps", labels));
    await expect(list).rejects.toMatchObject({ code: 410 });
  });
});

/** A front before a broker that tells each record when it is let, and no sooner. */
async function givenSlowBroker() {
  const asked = Promise.withResolvers<http.ServerResponse>();
  const broker = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    asked.resolve(response);
  });
  const brokerUrl = await listening(broker);
  const means = { url: brokerUrl, token: "token", chartId: "chart" };
  const records = openBrokerRecords(means, { env: {} });
  const secret = "0".repeat(48);
  const cluster = { server: brokerUrl, tls: {}, proxyEnv: {}, user: {} };
  const upstream = openUpstream({ cluster }, {});
  const behind = { secret, namespace: "apps", records, upstream, end: () => {} };
  const url = await listening(http.createServer(frontDoor(behind)));
  onTestFinished(records.close);
  const ofSecrets = "api/v1/namespaces/apps/secrets?labelSelector=owner%3Dhelm%2Cname%3Dweb";
  return { asked: asked.promise, url: `${url}/${secret}/${ofSecrets}` };
}

async function listening(server: http.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on one
}

describe("the list that helm's front answers", () => {
  test("goes on to helm record by record: none waits for the next", async () => {
    const { asked, url } = await givenSlowBroker();
    const answered = fetch(url);
    const broker = await asked;
    broker.write(`[${JSON.stringify(recordOf(1))}`);
    const answer = await answered;
    expect(answer.status).toBe(200);
    const reader = answer.body?.getReader();
    let text = "";
    const read = async (): Promise<void> => {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    };
    while (!text.endsWith("}")) await read();
    broker.end(`,${JSON.stringify(recordOf(2))}]`);
    while (!text.endsWith("]}")) await read();
    const { kind, items } = JSON.parse(text) as { kind: string; items: Secret[] };
    expect(kind).toBe("SecretList");
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      "sh.helm.release.v1.web.v1",
      "sh.helm.release.v1.web.v2",
    ]);
    const { labels: _, ...release } = recordOf(2);
    expect(items.map(unpacked)[1]).toEqual(release);
  });

  test("is empty where there is none, and a refusal is one", async () => {
    const none = await givenSlowBroker();
    void none.asked.then((broker) => broker.end("[]"));
    expect(await (await fetch(none.url)).json()).toMatchObject({ kind: "SecretList", items: [] });
    const long = await givenSlowBroker();
    void long.asked.then((broker) => broker.end(`[${JSON.stringify(recordOf(1, 17 * 2 ** 20))}]`));
    const refused = await fetch(long.url);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      kind: "Status",
      message: "a record of helm's has more than 16 MiB",
    });
  });
});

type Secret = { readonly metadata: { name: string }; readonly data: { release: string } };

function unpacked({ data }: Secret): unknown {
  const packed = Buffer.from(Buffer.from(data.release, "base64").toString(), "base64");
  return JSON.parse(gunzipSync(packed).toString());
}
