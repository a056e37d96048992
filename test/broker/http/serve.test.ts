import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { get } from "node:https";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { tlsCertificate, tlsKey } from "../../support/network/tls-certificate.ts";
import { testFolder } from "../../support/run/folder.ts";

const { url } = await testDatabase();

/** The first bytes that come back on a connection. */
async function firstBytes(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString("latin1");
}

async function open(port: number, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  await once(socket, "connect");
  return socket;
}

describe("a broker that serves", () => {
  test("says which port is taken", async () => {
    const first = await startBroker({ url });
    const port = new URL(first.url).port;
    await expect(startBroker({ url, env: { SVC_PORT: port } })).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken by another program.`,
    );
  });

  test("speaks HTTPS with a certificate and its key", async () => {
    const folder = await testFolder();
    const [cert, key] = [path.join(folder, "tls.crt"), path.join(folder, "tls.key")];
    await Promise.all([writeFile(cert, tlsCertificate), writeFile(key, tlsKey)]);
    const broker = await startBroker({
      url,
      env: { SVC_TLS_CERT_FILE: cert, SVC_TLS_KEY_FILE: key },
    });
    expect(broker.url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      get(`${broker.url}/livez`, { ca: tlsCertificate }, (answer) => resolve(answer.statusCode)).on(
        "error",
        reject,
      );
    });
    expect(status).toBe(200);
    await expect(
      startBroker({ url, env: { SVC_TLS_CERT_FILE: "/none", SVC_TLS_KEY_FILE: key } }),
    ).rejects.toThrow("cannot be read");
  });

  test("tells clients past its limit of connections to come later", async () => {
    const env = { SVC_MAX_CONNECTIONS: "10", SVC_MAX_CONNECTIONS_PER_ADDRESS: "0" };
    const broker = await startBroker({ url, env });
    const port = Number(new URL(broker.url).port);
    const sockets = [];
    for (let n = 0; n < 11; n++) sockets.push(await open(port));
    const last = sockets.at(-1);
    if (last === undefined) throw new Error("no connection was made");
    last.write("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
    const refusal = await firstBytes(last);
    expect(refusal).toMatch(/^HTTP\/1.1 503 /);
    expect(refusal.toLowerCase()).toContain("retry-after: 5");
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await broker.call("GET /livez")).status).toBe(200);
  });

  test("lets one address have half of its connections, so that others are served; a trusted proxy may have all", async () => {
    const env = { SVC_MAX_CONNECTIONS: "10" };
    const broker = await startBroker({ url, env });
    const port = Number(new URL(broker.url).port);
    const ask = async (socket: Socket) => {
      socket.write("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
      return await firstBytes(socket);
    };
    const sockets = [];
    for (let n = 0; n < 6; n++) sockets.push(await open(port));
    const [first, last] = [sockets[0], sockets[5]];
    if (first === undefined || last === undefined) throw new Error("no connection was made");
    const refusal = await ask(last);
    expect(refusal).toMatch(/^HTTP\/1.1 503 /);
    expect(refusal).toContain("SVC_MAX_CONNECTIONS_PER_ADDRESS");
    expect(await ask(first)).toMatch(/^HTTP\/1.1 200 /);
    const neighbour = await open(port, "127.0.0.2");
    expect(await ask(neighbour)).toMatch(/^HTTP\/1.1 200 /);
    for (const socket of [...sockets, neighbour]) socket.destroy();

    const behind = await startBroker({ url, env: { ...env, SVC_TRUSTED_PROXIES: "127.0.0.1" } });
    const many = [];
    for (let n = 0; n < 8; n++) many.push(await open(Number(new URL(behind.url).port)));
    const eighth = many[7];
    if (eighth === undefined) throw new Error("no connection was made");
    expect(await ask(eighth)).toMatch(/^HTTP\/1.1 200 /);
    for (const socket of many) socket.destroy();
  });
});

describe("a broker that stops", () => {
  test("is not ready any more, but serves until balancers have noticed", async () => {
    const broker = await startBroker({ url, env: { SVC_DRAIN_LINGER_MS: "1500" } });
    const stopped = broker.stop();
    // Both are asked at once: requests in flight are answered, however long that takes.
    const [draining, served] = await Promise.all([
      broker.call("GET /readyz"),
      broker.call("GET /livez"),
    ]);
    expect(draining).toMatchObject({ status: 503, body: { code: "not_ready" } });
    expect(draining.body["errors"]).toContainEqual(
      expect.objectContaining({ pointer: "check:draining" }),
    );
    expect(served.status).toBe(200);
    expect(served.headers.get("connection")).toBe("close");
    await stopped;
    await expect(broker.call("GET /livez")).rejects.toThrow();
  });

  test("waits for neither an idle connection nor one that never asks", async () => {
    const broker = await startBroker({ url });
    const socket = await open(Number(new URL(broker.url).port));
    socket.write("GET /livez HTTP/1.1\r\nhost: x\r\n\r\n");
    expect(await firstBytes(socket)).toMatch(/^HTTP\/1.1 200 /);
    const closed = once(socket, "close");
    await broker.stop();
    await closed;
  });

  test("stops once, however often it is told", async () => {
    const broker = await startBroker({ url });
    await Promise.all([broker.stop(), broker.stop()]);
    expect(broker.logged.filter((line) => line.includes("broker has stopped"))).toHaveLength(1);
  });
});
