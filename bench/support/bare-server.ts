import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";

// What HTTP alone costs: reads a JSON body, answers it. A process of its own, so that its CPU can be told apart.
const app = new Hono();
app.post("/v1/runners/:runner_id/heart-beats", async (c) =>
  c.json(await c.req.json<Record<string, unknown>>(), 201),
);
const answer = getRequestListener(app.fetch);
const server = createServer(
  { noDelay: true },
  (request, response) => void answer(request, response),
);
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  process.stdout.write(`${JSON.stringify({ level: "info", url: `http://127.0.0.1:${port}` })}\n`);
});
