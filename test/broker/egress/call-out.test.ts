import { describe, expect, test } from "vitest";
import { type Call, makeCallOut } from "../../../broker/egress/call-out.ts";
import { readOpened } from "../../../broker/egress/opened-receivers.ts";
import { makeResolver, type Resolve } from "../../../broker/egress/resolver.ts";
import type { EgressMode } from "../../../shared/network/egress-mode.ts";
import { version } from "../../../shared/version.ts";
import { signBody } from "../../../shared/webhooks/sign-body.ts";
import { startRawServer } from "../../support/network/raw-server.ts";

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";

function setup({
  mode = "internal",
  allow = [],
  resolve,
}: {
  mode?: EgressMode;
  /** As SVC_EGRESS_ALLOW has it. */
  allow?: readonly string[];
  resolve?: Resolve;
} = {}) {
  const opened = readOpened(allow);
  if ("fault" in opened) throw new Error(`entry ${opened.entry} is wrong`);
  const rules = { mode, opened };
  const callOut = makeCallOut({ rules, resolve: resolve ?? makeResolver(rules) });
  return (url: string, call: Partial<Call> = {}) =>
    callOut({ url, method: "GET", timeoutMs: 20_000, ...call });
}

/** Answers each name with the next of these lists, the last one for ever. */
function resolverOf(...lists: readonly string[][]) {
  const asked: string[] = [];
  const resolve: Resolve = (hostname) => {
    asked.push(hostname);
    return Promise.resolve(lists[Math.min(asked.length, lists.length) - 1] ?? []);
  };
  return { resolve, asked };
}

describe("a call", () => {
  test("sends what it was given and answers what came back", async () => {
    const server = await startRawServer((socket) =>
      socket.end(
        "HTTP/1.1 418 No\r\nX-A: 1\r\nx-a: 2\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\ntea\0",
      ),
    );
    const body = '{"a":"ü"}';
    const called = await setup()(`${server.url}/hook?x=1`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Mine": "yes" },
      body,
    });
    expect(called).toMatchObject({
      kind: "answered",
      status: 418,
      headers: { "x-a": "1, 2" },
      body: "tea\uFFFD",
      isWhole: true,
      retryAfterMs: 7000,
    });
    const sent = Buffer.from(server.connections[0]?.text ?? "", "latin1").toString();
    expect(sent).toMatch(/^POST \/hook\?x=1 HTTP\/1\.1\r\n/);
    expect(sent).toContain("Content-Type: application/json\r\n");
    expect(sent).toContain("X-Mine: yes\r\n");
    expect(sent).toContain("content-length: 10\r\n");
    expect(sent).toContain(`user-agent: svc/${version}\r\n`);
    expect(sent).toContain("Connection: close\r\n");
    expect(sent.endsWith(`\r\n\r\n${body}`)).toBe(true);
  });

  test("makes a connection of its own", async () => {
    const server = await startRawServer((socket) => socket.write(answer));
    const call = setup();
    await call(server.url);
    await call(server.url);
    expect(server.connections).toHaveLength(2);
    await expect.poll(() => server.connections.every(({ isClosed }) => isClosed)).toBe(true);
  });

  test("is signed when it is sent, over the bytes that are sent", async () => {
    const server = await startRawServer((socket) => socket.end(answer));
    const signing = { id: "evt_1", secret: "hunter2", previousSecret: "hunter1" };
    const body = Buffer.from([0, 255, 10, 13]);
    await setup()(server.url, { method: "POST", body, signing });
    const text = server.connections[0]?.text ?? "";
    const at = new Date(Number(/^webhook-timestamp: (\d+)/m.exec(text)?.[1]) * 1000);
    for (const [name, value] of Object.entries(signBody("hunter2", body, { ...signing, at }))) {
      expect(text).toContain(`${name}: ${value}\r\n`);
    }
  });

  test.each([
    ["Host", "internal.example"],
    ["transfer-encoding", "chunked"],
    ["Content-Length", "0"],
    ["Connection", "keep-alive"],
    ["Upgrade", "websocket"],
    ["User-Agent", "curl"],
    ["X-Svc-Signature", "00"],
    ["webhook-signature", "v1,AA=="],
    ["X-A", "a\r\nHost: b"],
    ["X-A\r\nHost", "b"],
    ["", "b"],
  ])("with the header %j: %j is not made", async (name, value) => {
    const server = await startRawServer((socket) => socket.end(answer));
    const called = await setup()(server.url, { headers: { [name]: value } });
    expect(called).toMatchObject({ kind: "failed", reason: "invalid_request" });
    expect(server.connections).toHaveLength(0);
  });

  test.each([
    ["0", 0],
    ["120", 120_000],
    ["99999999999999999999", 3_600_000],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
    ["Wed, 21 Oct 2415 07:28:00 GMT", 3_600_000],
    ["soon", undefined],
    ["-1", undefined],
  ])("answers Retry-After: %s as %j ms", async (text, retryAfterMs) => {
    const server = await startRawServer((socket) =>
      socket.end(`HTTP/1.1 503 Busy\r\nRetry-After: ${text}\r\nContent-Length: 0\r\n\r\n`),
    );
    const called = (await setup()(server.url)) as { retryAfterMs?: number };
    expect(called.retryAfterMs).toBe(retryAfterMs);
  });
});

describe("a call to an address that is blocked", () => {
  const spellings = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "①②⑦.⓪.⓪.①",
    "127.0.0.1.",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "localhost",
    "LOCALHOST",
    "0",
  ];

  test.each(spellings)(
    "%s is made when the mode allows it, and never leaves otherwise",
    async (host) => {
      const server = await startRawServer((socket) => socket.end(answer));
      const url = `http://${host}:${server.port}/?token=hunter2`;
      const refused = await setup({ mode: "strict" })(url);
      expect(refused).toMatchObject({ kind: "failed", reason: "blocked_address" });
      expect(JSON.stringify(refused)).not.toContain("hunter2");
      expect(server.connections).toHaveLength(0);
      expect(await setup({ mode: "internal" })(url)).toMatchObject({ status: 200 });
      expect(await setup({ mode: "off" })(url)).toMatchObject({ status: 200 });
    },
  );

  test("is not made for a name of which any address is blocked", async () => {
    const server = await startRawServer((socket) => socket.end(answer));
    const url = `http://both.example:${server.port}/?token=hunter2`;
    for (const [mode, addresses] of [
      ["strict", ["93.184.216.34", "127.0.0.1"]],
      ["strict", ["127.0.0.1", "93.184.216.34"]],
      ["strict", ["2606:4700:4700::1111", "::1"]],
      ["strict", ["93.184.216.34", "::ffff:127.0.0.1"]],
      ["strict", ["no address"]],
      ["internal", ["127.0.0.1", "169.254.169.254"]],
      ["internal", ["127.0.0.1", "fd00:ec2::254"]],
      ["internal", ["127.0.0.1", "64:ff9b::a9fe:a9fe"]],
    ] as const) {
      const called = await setup({ mode, resolve: resolverOf([...addresses]).resolve })(url);
      expect(called).toMatchObject({ kind: "failed", reason: "blocked_address" });
      const { detail } = called as { detail: string };
      expect(detail).toContain("both.example");
      for (const hidden of ["hunter2", ...addresses]) expect(detail).not.toContain(hidden);
    }
    expect(server.connections).toHaveLength(0);
  });

  test("is made in strict mode to what was opened, and to nothing else", async () => {
    const server = await startRawServer((socket) => socket.end(answer));
    const { port } = server;
    const toName = (allow: readonly string[], addresses: string[]) =>
      setup({ mode: "strict", allow, resolve: resolverOf(addresses).resolve })(
        `http://hooks.example:${port}/`,
      );
    const opened = { status: 200 };
    const blocked = { reason: "blocked_address" };
    const byNumber = setup({ mode: "strict", allow: [`127.0.0.1:${port}`] });
    expect(await byNumber(server.url)).toMatchObject(opened);
    expect(await byNumber("http://127.0.0.1:1/")).toMatchObject(blocked);
    expect(await toName([`hooks.example:${port}`], ["127.0.0.1"])).toMatchObject(opened);
    expect(await toName(["127.0.0.0/8"], ["127.0.0.1"])).toMatchObject(opened);
    expect(await toName([`other.example:${port}`], ["127.0.0.1"])).toMatchObject(blocked);
    expect(await toName(["hooks.example:1"], ["127.0.0.1"])).toMatchObject(blocked);
    expect(await toName(["127.0.0.1/32"], ["127.0.0.1", "10.0.0.1"])).toMatchObject(blocked);
    expect(server.connections).toHaveLength(3);
  });

  test("is never made to cloud metadata by a name that was opened", async () => {
    for (const address of ["169.254.169.254", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "fe80::1"]) {
      const { resolve } = resolverOf([address]);
      const call = setup({
        mode: "strict",
        allow: ["hooks.example:80", "::/0", "0.0.0.0/0"],
        resolve,
      });
      expect(await call("http://hooks.example/")).toMatchObject({
        reason: "blocked_address",
        detail: expect.stringContaining("SVC_EGRESS_ALLOW does not open it.") as unknown,
      });
    }
  });

  test("is not made for a name that changes after it was checked", async () => {
    const server = await startRawServer((socket) => socket.end(answer));
    const { resolve, asked } = resolverOf(["127.0.0.1"], ["169.254.169.254"]);
    const call = setup({ resolve });
    const url = `http://rebinding.example:${server.port}/`;
    expect(await call(url)).toMatchObject({ status: 200 }); // to the address that was checked: asked once
    expect(asked).toEqual(["rebinding.example"]);
    expect(server.connections[0]?.text).toContain(`Host: rebinding.example:${server.port}\r\n`);
    expect(await call(url)).toMatchObject({ reason: "blocked_address" });
    expect(server.connections).toHaveLength(1);
  });

  test("is not made by way of a redirect", async () => {
    const inner = await startRawServer((socket) => socket.end(answer));
    for (const status of [301, 302, 303, 307, 308]) {
      const outer = await startRawServer((socket) =>
        socket.end(`HTTP/1.1 ${status} Go\r\nLocation: ${inner.url}/\r\nContent-Length: 0\r\n\r\n`),
      );
      const called = await setup()(outer.url, { method: "POST", body: "x" });
      expect(called).toMatchObject({ status, headers: { location: `${inner.url}/` } });
    }
    expect(inner.connections).toHaveLength(0);
  });
});
