import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** As little as HTTP with JSON can be: what Hono alone would allow. */
const app = new Hono();
app.post("/v1/runners/:runner_id/jobs", async (c) => {
  const body = await c.req.json<{ type: string }>();
  return c.json({ id: c.req.param("runner_id"), type: body.type, status: "available" }, 201);
});

// Longer than the turns of all others, in which nobody asks it.
const serverOptions = { keepAliveTimeout: 600_000 };
const options = { fetch: app.fetch, port: 0, hostname: "127.0.0.1", serverOptions };
serve(options, ({ port }) => {
  process.send?.(`http://127.0.0.1:${port}`);
});
process.once("disconnect", () => process.exit(0));
