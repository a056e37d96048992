import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { http } from "../client/node-http.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import type { Log } from "../log.ts";
import type { LoopContext } from "../loops/loop-context.ts";
import { stalledBy, statusOf } from "./agent-status.ts";
import { metricsText } from "./metrics-text.ts";

export type StatusServer = {
  /** Its URL; null when it is off. */
  readonly url: string | null;
  /** The loops run: from now on it shows the agent's status. */
  readonly show: (parts: LoopContext) => void;
  readonly close: () => void;
};

type Shown = { readonly status: number; readonly type: string; readonly text: string };
type Page = (parts: LoopContext) => Shown;

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

/**
 * Serves the status of the agent on 127.0.0.1. Throws an ExitError when a configured port is not available. The
 * default port may belong to another agent of the host: then the agent runs without, and logs it.
 */
export async function openStatusServer(
  { watchPort: port, sources }: Pick<AgentConfig, "watchPort" | "sources">,
  log: Log,
): Promise<StatusServer> {
  if (port === 0) return { url: null, show: () => {}, close: () => {} };
  let parts: LoopContext | undefined;
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
    const words = portWords(port, error);
    if (sources["watch-port"] !== "default") throw new ExitError("config", words, error);
    log.warn(`${words} Until then this agent has no status endpoint.`);
    return { url: null, show: () => {}, close: () => {} };
  }
  const { port: given } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${given}`,
    show: (shown) => void (parts = shown),
    close: () => server.close().closeAllConnections(),
  };
}

function portWords(port: number | "auto", error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: "the port is in use",
    EACCES: "permission denied",
  };
  const advice = "choose another watch-port, auto for a free one, or 0 to disable it.";
  return `Cannot listen on the watch-port ${port} of 127.0.0.1: ${why[code ?? ""] ?? code}; ${advice}`;
}

const starting: Shown = { status: 503, type: "text/plain", text: "starting\n" };
const alive: Shown = { status: 200, type: "text/plain", text: "ok\n" };

function show({ method, url = "/" }: IncomingMessage, parts: LoopContext | undefined): Shown {
  const page = pages[url.replace(/\?.*$/, "")];
  const names = `${Object.keys(pages).join("\n")}\n`;
  if (page === undefined) return { status: 404, type: "text/plain", text: names };
  if (method !== "GET" && method !== "HEAD")
    return { status: 405, type: "text/plain", text: names };
  if (parts !== undefined) return page(parts);
  return url.startsWith("/livez") ? alive : starting;
}
