import { readFileSync } from "node:fs";
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Broker } from "../../broker.ts";
import { recogniseProxies } from "../gate/trusted-proxies.ts";
import { addressKey } from "./address-key.ts";

const defaultFileLimit = 1024;
const shed = 100;

/**
 * Keeps the number of connections below the limit of open files: a client beyond it gets 503 and is closed,
 * because running out of files would break the database's connections, too. One address may have half of them at most, so that
 * it cannot keep all others out.
 */
export function limitConnections(
  broker: Broker,
  listener: RequestListener,
): { readonly listener: RequestListener; readonly watch: (server: Server) => void } {
  const { maxConnections, maxConnectionsPerAddress, trustedProxies } = broker.config;
  const most = maxConnections ?? Math.floor(openFileLimit() * 0.8);
  const addresses = countByAddress(
    maxConnectionsPerAddress ?? Math.ceil(most / 2),
    recogniseProxies(trustedProxies),
  );
  let open = 0;
  broker.metrics.gauge("svc_http_connections", "Connections open.", () => open);
  return {
    listener(request, response) {
      if (open > most)
        refuse(response, "This broker has reached its connection limit. Try again later.");
      else if (addresses.isPast(request.socket)) refuse(response, addresses.words);
      else listener(request, response);
    },
    watch(server) {
      server.maxConnections = most + shed; // past even that, a connection is closed without a word
      server.on("connection", (socket) => {
        open += 1;
        socket.once("close", () => (open -= 1));
        addresses.count(socket);
      });
    },
  };
}

/** The connections of one address: those beyond the limit are refused, and far beyond it closed without an answer. */
function countByAddress(
  most: number,
  isProxy: (address: string) => boolean,
): {
  readonly count: (socket: Socket) => void;
  readonly isPast: (socket: Socket) => boolean;
  readonly words: string;
} {
  const counts = new Map<string, number>(); // as many entries as there are addresses connected now
  const past = new Set<string>(); // by name: a request over TLS comes with another socket than the connection
  return {
    words: `This address already has ${most} connections, the limit set by SVC_MAX_CONNECTIONS_PER_ADDRESS.`,
    isPast: (socket) => past.size > 0 && past.has(nameOf(socket)),
    count(socket) {
      const address = socket.remoteAddress ?? "";
      if (most === 0 || isProxy(address)) return;
      const key = addressKey(address);
      const before = counts.get(key) ?? 0;
      const name = nameOf(socket);
      if (before >= most) past.add(name);
      if (before >= most + shed) socket.destroy();
      counts.set(key, before + 1);
      socket.once("close", () => {
        past.delete(name);
        const left = (counts.get(key) ?? 1) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
      });
    },
  };
}

const nameOf = (socket: Socket): string => `${socket.remoteAddress} ${socket.remotePort}`;

function refuse(response: ServerResponse, detail: string): void {
  response.writeHead(503, {
    "content-type": "application/json", // the caller is unknown, and runners decode only this type
    "retry-after": "5",
    connection: "close",
  });
  const title = "Service Unavailable";
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
