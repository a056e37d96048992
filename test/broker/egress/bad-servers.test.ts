import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type Call, makeCallOut } from "../../../broker/egress/call-out.ts";
import { makeResolver } from "../../../broker/egress/resolver.ts";
import { freePorts } from "../../support/network/free-ports.ts";
import { type RawServer, startRawServer } from "../../support/network/raw-server.ts";
import { tlsCertificate, tlsKey } from "../../support/network/tls-certificate.ts";
import { afterFile } from "../../support/run/after-file.ts";

const rules = { mode: "internal", opened: [] } as const;
const callOut = makeCallOut({ rules, resolve: makeResolver(rules) });
const call = (url: string, parts: Partial<Call> = {}) =>
  callOut({ url, method: "GET", timeoutMs: 20_000, ...parts });
const soon = { timeoutMs: 300 };
/** Longer than a test may take: what ends such a call is not its time. */
const late = { timeoutMs: 600_000 };

const headers = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";

/** Writes this again and again, as fast as it is read. */
function flood(socket: Socket, text: string): void {
  const fill = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on("drain", fill);
  fill();
}

/** Writes these bytes one by one. */
function drip(socket: Socket, next: () => string): void {
  const timer = setInterval(() => socket.write(next()), 20);
  socket.on("close", () => clearInterval(timer));
}

async function isLeft(server: RawServer): Promise<void> {
  await expect.poll(() => server.connections.every(({ isClosed }) => isClosed)).toBe(true);
}

describe("a server that", () => {
  test("sends endless headers is left", async () => {
    const server = await startRawServer((socket) => {
      socket.write(headers);
      flood(socket, `X-A: ${"a".repeat(1000)}\r\n`);
    });
    expect(await call(server.url, late)).toMatchObject({
      kind: "failed",
      reason: "too_large_headers",
    });
    await isLeft(server);
  });

  test("sends one endless header line is left", async () => {
    const server = await startRawServer((socket) => {
      socket.write(`${headers}X-A: `);
      flood(socket, "a".repeat(1000));
    });
    expect(await call(server.url, late)).toMatchObject({
      kind: "failed",
      reason: "too_large_headers",
    });
    await isLeft(server);
  });

  test("sends endless interim answers is left at the end of the time", async () => {
    const server = await startRawServer((socket) =>
      drip(socket, () => "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    );
    expect(await call(server.url, soon)).toMatchObject({ kind: "failed", reason: "timeout" });
    await isLeft(server);
  });

  test("sends an endless body is left after what was asked for", async () => {
    const server = await startRawServer((socket) => {
      socket.write(`${headers}\r\n`);
      flood(socket, "a".repeat(65_536));
    });
    const called = await call(server.url, late);
    expect(called).toMatchObject({ kind: "answered", status: 200, isWhole: false });
    expect(called).toHaveProperty("body", "a".repeat(16_384));
    expect(await call(server.url, { ...late, maxAnswerBytes: 5 })).toMatchObject({
      body: "aaaaa",
      isWhole: false,
    });
    await isLeft(server);
  });

  test("sends just what was asked for is read whole, and no half character is kept", async () => {
    const server = await startRawServer((socket) =>
      socket.end(`${headers}Content-Length: 6\r\n\r\nüüü`),
    );
    expect(await call(server.url, { maxAnswerBytes: 6 })).toMatchObject({
      body: "üüü",
      isWhole: true,
    });
    expect(await call(server.url, { maxAnswerBytes: 5 })).toMatchObject({
      body: "üü",
      isWhole: false,
    });
  });

  test("sends endless chunk extensions or trailers has answered, and is left", async () => {
    for (const start of ["1;", "1\r\na\r\n0\r\nX-A: "]) {
      const server = await startRawServer((socket) => {
        socket.write(`${headers}Transfer-Encoding: chunked\r\n\r\n${start}`);
        flood(socket, "a".repeat(1000));
      });
      expect(await call(server.url, late)).toMatchObject({ status: 200, isWhole: false });
      await isLeft(server);
    }
  });

  test("drips headers is left at the end of the time", async () => {
    const server = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-A: ");
      drip(socket, () => "a");
    });
    expect(await call(server.url, soon)).toMatchObject({ kind: "failed", reason: "timeout" });
    await isLeft(server);
  });

  test("drips a body has answered, and is left at the end of the time", async () => {
    const server = await startRawServer((socket) => {
      socket.write(`${headers}\r\nfirst`);
      drip(socket, () => ".");
    });
    const called = await call(server.url, soon);
    expect(called).toMatchObject({ kind: "answered", status: 200, isWhole: false });
    expect(called).toHaveProperty("body", expect.stringMatching(/^first\.*$/));
    await isLeft(server);
  });

  test("never answers is left at the end of the time", async () => {
    const server = await startRawServer(() => {});
    expect(await call(`${server.url}/?token=hunter2`, soon)).toEqual({
      kind: "failed",
      reason: "timeout",
      detail: `127.0.0.1:${server.port} did not answer in time.`,
    });
    await isLeft(server);
  });

  test.each(["Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n"])(
    "resets the connection after 2xx headers with %j has answered",
    async (length) => {
      const server = await startRawServer((socket) =>
        socket.write(`${headers}${length}\r\n4\r\nhalf`, () => socket.resetAndDestroy()),
      );
      const called = await call(server.url);
      expect(called).toMatchObject({ kind: "answered", status: 200, isWhole: false });
    },
  );

  test("resets or closes the connection before has not", async () => {
    for (const act of [
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\nX-A: b"),
    ]) {
      const server = await startRawServer((socket) => void act(socket));
      expect(await call(server.url)).toMatchObject({ kind: "failed", reason: "reset" });
    }
  });

  test("answers before it has read everything has answered", async () => {
    const server = await startRawServer((socket) => {
      socket.pause();
      socket.end("HTTP/1.1 413 Too large\r\nContent-Length: 0\r\n\r\n");
    });
    const body = "a".repeat(8 * 1024 * 1024);
    expect(await call(server.url, { method: "POST", body })).toMatchObject({ status: 413 });
  });

  test.each([
    ["no HTTP", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["two lengths", `${headers}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ["length and chunks", `${headers}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ["101", "HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello"],
  ])("answers %s is left", async (_, text) => {
    const server = await startRawServer((socket) => socket.write(text));
    expect(await call(server.url)).toMatchObject({ kind: "failed", reason: "bad_answer" });
    await isLeft(server);
  });

  test("is not there has refused", async () => {
    const [port] = await freePorts(1);
    expect(await call(`http://127.0.0.1:${port}/?token=hunter2`)).toEqual({
      kind: "failed",
      reason: "refused",
      detail: `127.0.0.1:${port} refused the connection.`,
    });
  });
});

describe("a call over TLS", () => {
  test("to a server with a certificate of its own making sends nothing", async () => {
    let requests = 0;
    const server = createHttpsServer({ cert: tlsCertificate, key: tlsKey }, (_, response) => {
      requests += 1;
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    afterFile(async () => void server.close());
    const { port } = server.address() as AddressInfo; // a TCP server has one
    expect(await call(`https://127.0.0.1:${port}/?token=hunter2`)).toEqual({
      kind: "failed",
      reason: "tls",
      detail: `The certificate of 127.0.0.1:${port} is not trusted: the broker does not know who signed it (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    });
    expect(requests).toBe(0);
  });

  test.each([
    ["speaks no TLS", (socket: Socket) => void socket.write(`${headers}\r\n`)],
    ["closes the connection", (socket: Socket) => void socket.end()],
  ])("to a server that %s fails in the handshake", async (_, act) => {
    const server = await startRawServer(act);
    const called = await call(`https://127.0.0.1:${server.port}/`);
    expect(called).toHaveProperty("reason", "tls");
    expect(called).toHaveProperty("detail", expect.stringContaining("it may speak plain HTTP"));
  });

  test("to a server that is silent ends with its time", async () => {
    const server = await startRawServer(() => {});
    const called = await call(`https://127.0.0.1:${server.port}/`, soon);
    expect(called).toMatchObject({ reason: "timeout" });
    await isLeft(server);
  });
});

describe("a call that is given up", () => {
  test("ends at once, also while it is answered", async () => {
    const server = await startRawServer(() => {});
    const given = new AbortController();
    const called = call(server.url, { signal: given.signal });
    await expect.poll(() => server.connections.length).toBe(1);
    given.abort();
    expect(await called).toMatchObject({ kind: "failed", reason: "aborted" });
    await isLeft(server);
  });

  test("before it began is not made", async () => {
    const server = await startRawServer(() => {});
    const called = await call(server.url, { signal: AbortSignal.abort() });
    expect(called).toMatchObject({ kind: "failed", reason: "aborted" });
    expect(server.connections.filter(({ text }) => text !== "")).toEqual([]);
  });
});
