import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ClientOptions,
  makeRegistryClient,
  nextStep,
  type RegistryClient,
} from "../../../agent/registry/registry-client.ts";
import { sendWithRetries } from "../../../agent/registry/send-with-retries.ts";

/** A server that answers so, and what it heard: the path, and who asked. */
async function serve(
  answer: http.RequestListener,
  address = "127.0.0.1",
): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const server = http.createServer((request, response) => {
    heard.push(`${request.url?.replace(/\?.*/, "")} ${request.headers.authorization ?? ""}`);
    answer(request, response);
  });
  server.listen(0, address);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${address}:${(server.address() as AddressInfo).port}`, heard };
}

const wantsToken = (realm: string): http.RequestListener => {
  return (_, response) => {
    response.writeHead(401, { "www-authenticate": `Bearer realm="${realm}"` }).end();
  };
};
const redirectTo =
  (url: string): http.RequestListener =>
  (_, response) =>
    void response.writeHead(307, { location: `${url}/blob` }).end();
const clientOf = (origin: string, options: ClientOptions = {}): RegistryClient =>
  makeRegistryClient(
    { origin, repository: "acme/app" },
    { username: "me", password: "pass" },
    options,
  );

describe("a registry's answer", () => {
  test("that names another host without TLS for tokens is refused, and that host hears nothing", async () => {
    const other = await serve((_, response) => void response.end('{"token":"t"}'));
    const registry = await serve(wantsToken(`${other.url}/token`));
    await expect(clientOf(registry.url).get("manifests/v1")).rejects.toThrow(
      "missing or has no TLS",
    );
    expect(other.heard).toEqual([]);
  });

  test("by a host that it leads on to says nothing of who signs in, and hears no credentials", async () => {
    const other = await serve((request, response) => {
      wantsToken(`http://${request.headers.host}/token`)(request, response);
    });
    const registry = await serve((request, response) => {
      if (request.url?.endsWith("/app/blobs/uploads/") !== true)
        redirectTo(other.url)(request, response);
      else response.writeHead(202, { location: `${other.url}/upload` }).end();
    });
    const client = clientOf(registry.url, { access: "push" });
    await expect(client.get("blobs/x")).rejects.toMatchObject({ class: "auth" });
    const begun = await client.ask({ method: "POST", at: "blobs/uploads/" });
    begun.body.resume();
    const at = nextStep(begun) ?? "";
    const sent = await client.ask({ method: "PUT", at, body: Buffer.from("x") });
    sent.body.resume();
    expect(sent.status).toBe(401);
    expect(other.heard).toEqual(["/blob ", "/upload "]);
  });

  test("with a token is read up to a bound", async () => {
    const registry = await serve((request, response) => {
      if (request.url?.startsWith("/token")) {
        response.end(JSON.stringify({ token: "t", padding: "x".repeat(2 ** 20) }));
      } else wantsToken(`http://${request.headers.host}/token`)(request, response);
    });
    await expect(clientOf(registry.url).get("manifests/v1")).rejects.toThrow("more than 1 MiB");
  });

  test("is asked for by one login, however many calls wait for it, and for writing too", async () => {
    const asked: (string | null)[] = [];
    const registry = await serve((request, response) => {
      const { searchParams, pathname } = new URL(request.url ?? "", "http://registry");
      if (pathname === "/token") {
        asked.push(searchParams.get("scope"));
        response.end('{"token":"t"}');
      } else if (request.headers.authorization === "Bearer t") response.end("answer");
      else wantsToken(`http://${request.headers.host}/token`)(request, response);
    });
    const client = clientOf(registry.url, { access: "push" });
    await Promise.all(
      ["a", "b", "c"].map(async (tag) => text((await client.get(`manifests/${tag}`)).body)),
    );
    expect(asked).toEqual(["repository:acme/app:pull,push"]);
  });

  test("that refuses a login for mounts is asked for one without them", async () => {
    const asked: string[][] = [];
    const registry = await serve((request, response) => {
      const { searchParams, pathname } = new URL(request.url ?? "", "http://registry");
      const scopes = searchParams.getAll("scope");
      if (pathname === "/token") asked.push(scopes);
      if (pathname === "/token" && scopes.length === 1) response.end('{"token":"t"}');
      else if (pathname === "/token") response.writeHead(403).end();
      else if (request.headers.authorization === "Bearer t") response.end("answer");
      else wantsToken(`http://${request.headers.host}/token`)(request, response);
    });
    const client = clientOf(registry.url, { access: "push", mountsFrom: "acme/other" });
    expect((await client.get("manifests/a")).status).toBe(200);
    const own = "repository:acme/app:pull,push";
    expect(asked).toEqual([[own, "repository:acme/other:pull"], [own]]);
  });

  test("that leads to another origin is followed without saying who asks", async () => {
    const store = await serve((_, response) => void response.end("blob"));
    const registry = await serve(redirectTo(store.url));
    const headers = { authorization: "Bearer t" };
    const url = `${registry.url}/v2/blob`;
    const answer = await sendWithRetries({ method: "GET", url, headers });
    expect(await text(answer.body)).toBe("blob");
    expect([registry.heard, store.heard]).toEqual([["/v2/blob Bearer t"], ["/blob "]]);
  });

  test("from the public network that leads to a private address, or any to a machine's metadata, is not followed", async () => {
    const inside = await serve((_, response) => void response.end("secret"), "127.0.0.3");
    const registry = await serve(redirectTo(inside.url), "127.0.0.2");
    const isPublic: ClientOptions = {
      findBlock: (address, mode) =>
        mode === "strict" && address !== "127.0.0.2" ? "loopback" : undefined,
    };
    await expect(clientOf(registry.url, isPublic).get("blobs/x")).rejects.toThrow(
      "leads to 127.0.0.3 (loopback), where nothing is asked for",
    );
    expect(inside.heard).toEqual([]);
    const metadata = await serve(redirectTo("http://169.254.169.254"));
    await expect(clientOf(metadata.url).get("blobs/x")).rejects.toThrow("cloud metadata");
  });

  test("that drips is cut off when its time is over", async () => {
    const registry = await serve((_, response) => void response.writeHead(200).write("x"));
    const patience = { silentMs: 60_000, altogetherMs: 1_000 };
    const url = registry.url;
    const { body } = await sendWithRetries({ method: "GET", url, headers: {}, patience });
    await expect(text(body)).rejects.toThrow("aborted");
  });

  test("429 is waited for as long as it asks, unless that is too long, and then said so", async () => {
    let calls = 0;
    const registry = await serve((_, response) => {
      calls += 1;
      if (calls === 2) response.end("answer");
      else response.writeHead(429, { "retry-after": calls === 1 ? "0" : "3600" }).end();
    });
    expect(await text((await clientOf(registry.url).get("manifests/a")).body)).toBe("answer");
    await expect(clientOf(registry.url).get("manifests/a")).rejects.toMatchObject({
      class: "rate_limited",
      message: "the registry takes no more requests for now (429); it asks to wait 3600 s",
    });
    expect(calls).toBe(3);
  });

  test("that refuses is told in the registry's own words, cut short", async () => {
    const errors = [{ code: "DENIED", message: `no\n${"x".repeat(900)}` }];
    const registry = await serve((_, response) => {
      response.writeHead(403).end(JSON.stringify({ errors }));
    });
    const refused = clientOf(registry.url).get("manifests/a");
    await expect(refused).rejects.toMatchObject({ class: "auth" });
    await expect(refused).rejects.toThrow(/^the registry refused .*: DENIED: no x{100,200}$/);
  });
});
