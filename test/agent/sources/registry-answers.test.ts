import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { getWithRetries } from "../../../agent/sources/registry/get-with-retries.ts";
import { makeRegistryClient } from "../../../agent/sources/registry/registry-client.ts";

/** A server that answers so, and what it heard: the path, and who asked. */
async function serve(answer: http.RequestListener): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = http.createServer((request, response) => {
    heard.push(`${request.url?.replace(/\?.*/, "")} ${request.headers.authorization ?? ""}`);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

const wantsToken = (realm: string): http.RequestListener => {
  return (_, response) => {
    response.writeHead(401, { "www-authenticate": `Bearer realm="${realm}"` }).end();
  };
};
const clientOf = (origin: string) =>
  makeRegistryClient({ origin, repository: "acme/app" }, { username: "me", password: "pass" });

describe("a registry's answer", () => {
  test("that names another host without TLS for tokens is refused, and that host hears nothing", async () => {
    const other = await serve((_, response) => void response.end('{"token":"t"}'));
    const registry = await serve(wantsToken(`${other.url}/token`));
    await expect(clientOf(registry.url).get("manifests/v1")).rejects.toThrow(
      "missing or has no TLS",
    );
    expect(other.heard).toEqual([]);
  });

  test("with a token is read up to a bound", async () => {
    const registry = await serve((request, response) => {
      if (request.url?.startsWith("/token")) {
        response.end(JSON.stringify({ token: "t", padding: "x".repeat(2 ** 20) }));
      } else wantsToken(`http://${request.headers.host}/token`)(request, response);
    });
    await expect(clientOf(registry.url).get("manifests/v1")).rejects.toThrow("more than 1 MiB");
  });

  test("that leads to another origin is followed without saying who asks", async () => {
    const store = await serve((_, response) => void response.end("blob"));
    const registry = await serve((_, response) => {
      response.writeHead(307, { location: `${store.url}/blob` }).end();
    });
    const headers = { authorization: "Bearer t" };
    const answer = await getWithRetries(`${registry.url}/v2/blob`, headers);
    expect(await answer.text()).toBe("blob");
    expect([registry.heard, store.heard]).toEqual([["/v2/blob Bearer t"], ["/blob "]]);
  });

  test("that drips is cut off when its time is over", async () => {
    const registry = await serve((_, response) => void response.writeHead(200).write("x"));
    const patience = { silentMs: 60_000, altogetherMs: 1_000 };
    const { body } = await getWithRetries(registry.url, {}, patience);
    if (body === null) throw new Error("it has no body");
    await expect(buffer(body)).rejects.toThrow("timeout");
  });
});
