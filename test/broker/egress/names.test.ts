import { describe, expect, test } from "vitest";
import { makeCallOut } from "../../../broker/egress/call-out.ts";
import { makeResolver, type Resolve } from "../../../broker/egress/resolver.ts";
import { startRawServer } from "../../support/network/raw-server.ts";
import { startNameServer } from "../../support/network/start-name-server.ts";

const asked = { url: "http://a.example/?token=hunter2", method: "GET", timeoutMs: 20_000 } as const;
const rules = { mode: "strict", opened: [] } as const;
const strict = (resolve: Resolve) => makeCallOut({ rules, resolve });
const { signal } = new AbortController();

describe("a name", () => {
  test("that does not resolve fails the call as such", async () => {
    const failed = { kind: "failed", reason: "dns", detail: "a.example does not resolve." };
    expect(await strict(() => Promise.resolve([]))(asked)).toEqual(failed);
    const broken = strict(() => Promise.reject(new Error("queryA ESERVFAIL hunter2")));
    expect(await broken(asked)).toEqual(failed);
  });

  test("whose server is silent costs the call's time, and is asked for no longer", async () => {
    const signals: AbortSignal[] = [];
    const silent = strict((_, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    });
    expect(await silent({ ...asked, timeoutMs: 50 })).toMatchObject({ reason: "timeout" });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("is asked of DNS in strict mode, for both kinds of addresses", async () => {
    const v6 = "2606:4700:4700:0:0:0:0:1111";
    const server = await startNameServer({
      "both.example": ["93.184.216.34", "93.184.216.35", v6],
      "six.example": [v6],
      "four.example": ["10.0.0.1"],
      "none.example": [],
    });
    const resolve = makeResolver(rules, [server.address]);
    expect(await resolve("both.example", signal)).toEqual([
      "93.184.216.34",
      "93.184.216.35",
      "2606:4700:4700::1111",
    ]);
    expect(await resolve("six.example", signal)).toEqual(["2606:4700:4700::1111"]);
    expect(await resolve("none.example", signal)).toEqual([]);
    expect(await resolve("unknown.example", signal)).toEqual([]);
    const called = strict(resolve);
    expect(await called({ ...asked, url: "http://four.example" })).toMatchObject({
      reason: "blocked_address",
    });
    expect(await called({ ...asked, url: "http://unknown.example" })).toMatchObject({
      reason: "dns",
    });
  });

  test("of one word is never looked for in a search domain in strict mode", async () => {
    const server = await startNameServer({});
    const resolve = makeResolver(rules, [server.address]);
    expect(await resolve("postgres", signal)).toEqual([]);
    expect([...new Set(server.asked)]).toEqual(["postgres"]);
  });

  test("is asked of the system otherwise, hosts file included", async () => {
    const server = await startRawServer((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
    const internal = { mode: "internal", opened: [] } as const;
    const resolve = makeResolver(internal);
    expect(await resolve("localhost", signal)).toContain("127.0.0.1");
    const called = await makeCallOut({ rules: internal, resolve })({
      ...asked,
      url: `http://localhost:${server.port}`,
    });
    expect(called).toMatchObject({ kind: "answered", status: 204, body: "", isWhole: true });
  });

  test("that the operator opened is asked of the system in strict mode, too", async () => {
    const server = await startNameServer({});
    const opened = [{ name: "localhost", port: 80 }];
    const resolve = makeResolver({ mode: "strict", opened }, [server.address]);
    expect(await resolve("localhost", signal)).toContain("127.0.0.1");
    expect(await resolve("db.localhost", signal)).toEqual([]);
    expect([...new Set(server.asked)]).toEqual(["db.localhost"]);
  });
});
