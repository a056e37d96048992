import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { openBrokerRecords } from "../../../agent/helm-front/broker-records.ts";

const place = { namespace: "shop", key: "sh.helm.release.v1.app.v1" };
const record = JSON.stringify({ status: "pending-install", version: 1 });

type Asked = {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly body: string;
};

/** A broker that does what it is told, and closes the connection in place of the first answer to a change. */
async function givenBroker() {
  let kept: string | undefined;
  let isCut = false;
  const heard: string[] = [];
  const server = http.createServer();
  server.on("request", (request: http.IncomingMessage, response: http.ServerResponse) => {
    void text(request).then((body) => {
      answer({ request, response, body });
    });
  });
  const answer = ({ request, response, body }: Asked): void => {
    const method = request.method ?? "";
    heard.push(method);
    const has = kept;
    if (method === "POST") kept ??= body;
    if (method === "DELETE") kept = undefined;
    if (method !== "GET" && !isCut) {
      isCut = true;
      request.socket.resetAndDestroy();
      return;
    }
    const absent = JSON.stringify({ code: "release_not_found" });
    const isThere = has !== undefined;
    const status = method === "POST" ? (isThere ? 409 : 201) : isThere ? 200 : 404;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(status === 404 ? absent : (has ?? "{}"));
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on one
  const means = { url: `http://127.0.0.1:${port}`, token: "token", chartId: "chart" };
  const records = openBrokerRecords(means, { env: {} });
  onTestFinished(() => {
    records.close();
    server.close();
  });
  return { records, heard, keep: (given: string) => void (kept = given) };
}

describe("a change of helm's records whose answer a kept connection lost", () => {
  test("that made one is told as made", async () => {
    const { records, heard } = await givenBroker();
    expect(await records.read(place)).toBeUndefined(); // the connection is kept
    expect(await records.create(place, record)).toBe(true);
    expect(heard).toEqual(["GET", "POST", "POST", "GET"]);
    expect(await records.create(place, JSON.stringify({ status: "another" }))).toBe(false);
  });

  test("that removed one is told as removed, and what never was there is not", async () => {
    const { records, heard, keep } = await givenBroker();
    keep(record);
    expect(await records.read(place)).toEqual(JSON.parse(record));
    expect(await records.remove(place)).toBe(true);
    expect(heard).toEqual(["GET", "DELETE", "DELETE"]);
    expect(await records.remove(place)).toBe(false);
  });
});
