import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { http } from "../client/node-http.ts";
import type { Log } from "../log.ts";
import type { LoopParts } from "../loops/loop-parts.ts";
import { metricsText } from "./metrics-text.ts";
import { stalledBy, statusOf } from "./status.ts";

export type WatchServer = {
  /** Where it answers; null when it is off. */
  readonly url: string | null;
  readonly close: () => void;
};

type Shown = { readonly status: number; readonly type: string; readonly text: string };
type Page = (parts: LoopParts) => Shown;

const json = "application/json";

const pages: Readonly<Record<string, Page>> = {
  "/livez": (parts) => {
    const stalled = stalledBy(parts);
    const status = stalled === undefined ? 200 : 503;
    return { status, type: "text/plain", text: `${stalled ?? "ok"}\n` };
  },
  "/readyz": (parts) => {
    const { is_ready, not_ready } = statusOf(parts);
    const text = `${JSON.stringify({ is_ready, not_ready })}\n`;
    return { status: is_ready ? 200 : 503, type: json, text };
  },
  "/metrics": (parts) => ({
    status: 200,
    type: "text/plain; version=0.0.4; charset=utf-8",
    text: metricsText(parts),
  }),
  "/status.json": (parts) => {
    return { status: 200, type: json, text: `${JSON.stringify(statusOf(parts))}\n` };
  },
};

/** Answers on 127.0.0.1 how the agent is. A port that is taken is told and is no reason not to work. */
export async function startWatchServer(
  port: number | "auto",
  log: Log,
  parts: LoopParts,
): Promise<WatchServer> {
  if (port === 0) return { url: null, close: () => {} };
  const server = http.createServer((request, response) => {
    const { status, type, text } = show(request, parts);
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
    response.end(request.method === "HEAD" ? undefined : text);
  });
  server.unref();
  try {
    server.listen(port === "auto" ? 0 : port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    log.warn({ err: error, port }, "nobody can watch this agent: its port cannot be had");
    return { url: null, close: () => {} };
  }
  const { port: given } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${given}`,
    close: () => server.close().closeAllConnections(),
  };
}

function show({ method, url = "/" }: IncomingMessage, parts: LoopParts): Shown {
  const page = pages[url.replace(/\?.*$/, "")];
  const names = `${Object.keys(pages).join("\n")}\n`;
  if (page === undefined) return { status: 404, type: "text/plain", text: names };
  if (method !== "GET" && method !== "HEAD")
    return { status: 405, type: "text/plain", text: names };
  return page(parts);
}
