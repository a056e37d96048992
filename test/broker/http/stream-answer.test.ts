import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { expect, onTestFinished, test } from "vitest";
import { streamAnswer } from "../../../broker/http/answer/stream-answer.ts";
import type { AppEnv } from "../../../broker/http/app-env.ts";
import { openLog } from "../../../broker/log.ts";

/** A server whose only answer are these parts. */
async function givenAnswer(
  parts: AsyncIterable<Uint8Array>,
  told: { readonly stallMs?: number; readonly longestMs?: number } = {},
) {
  const logged: string[] = [];
  const log = openLog("info", { write: (line) => void logged.push(line) });
  const app = new Hono<AppEnv>();
  app.get("/", (c) => streamAnswer(c, { log }, { type: "text/plain", parts, ...told }));
  const server = createServer((request, response) => {
    void getRequestListener(app.fetch)(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { port, url: `http://127.0.0.1:${port}/`, logged };
}

function endless(): { parts: AsyncIterable<Uint8Array>; made: () => number; ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let made = 0;
  async function* parts(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        made += 1;
        yield await Promise.resolve(Buffer.alloc(1024 * 1024, 120));
      }
    } finally {
      resolve();
    }
  }
  return { parts: parts(), made: () => made, ended: promise };
}

test("a client that takes nothing is sent little, and is cut off in the end", async () => {
  const { parts, made, ended } = endless();
  const { port } = await givenAnswer(parts, { stallMs: 300 });
  const socket = connect(port, "127.0.0.1", () => {
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await ended;
  expect(made()).toBeLessThan(100);
});

test("a client that takes a little at a time holds an answer no longer than it may take", async () => {
  const { parts, ended } = endless();
  const { url } = await givenAnswer(parts, { longestMs: 500 });
  const reader = (await fetch(url)).body?.getReader();
  const takeAll = async (): Promise<void> => {
    while ((await reader?.read())?.done === false);
  };
  await expect(takeAll()).rejects.toThrow();
  await ended;
});

test("a client that goes away ends the work for it", async () => {
  const { parts, ended } = endless();
  const { url } = await givenAnswer(parts);
  const response = await fetch(url);
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await ended;
  expect(response.status).toBe(200);
});

test("a fault on the way is logged and cuts the connection", async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from("begun"));
    throw new Error("the disk is gone");
  }
  const { url, logged } = await givenAnswer(broken());
  const response = await fetch(url);
  await expect(response.text()).rejects.toThrow();
  expect(logged.join("")).toContain("the disk is gone");
});
