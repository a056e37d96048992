import { readFileSync } from "node:fs";
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Broker } from "../broker.ts";

const defaultFileLimit = 1024;
const shed = 100;

/**
 * Keeps the number of connections below the limit of open files: a client past it is told 503 and sent away,
 * where a full table of files would fail the database's connections too.
 */
export function limitConnections(
  broker: Broker,
  listener: RequestListener,
): { readonly listener: RequestListener; readonly watch: (server: Server) => void } {
  const most = broker.config.maxConnections ?? Math.floor(openFileLimit() * 0.8);
  let open = 0;
  broker.metrics.gauge("svc_http_connections", "Connections open.", () => open);
  return {
    listener: (request, response) => (open > most ? refuse(response) : listener(request, response)),
    watch(server) {
      server.maxConnections = most + shed; // past even that, a connection is closed without a word
      server.on("connection", (socket) => {
        open += 1;
        socket.once("close", () => (open -= 1));
      });
    },
  };
}

function refuse(response: ServerResponse): void {
  response.writeHead(503, {
    "content-type": "application/json", // it is not known whose this is, and runners decode no other
    "retry-after": "5",
    connection: "close",
  });
  const title = "Service Unavailable";
  const detail = "This broker has as many connections as it can serve.";
  const members = { error: detail, description: detail, user_error: false };
  response.end(JSON.stringify({ title, status: 503, code: "unavailable", detail, ...members }));
}

/** The soft limit of open files of this process, where the system tells it. */
function openFileLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? defaultFileLimit);
  } catch {
    return defaultFileLimit;
  }
}
