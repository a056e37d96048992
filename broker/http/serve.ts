import { readFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { OperatorError } from "../../shared/operator-error.ts";
import type { Broker } from "../broker.ts";
import { answerClientErrors, answerUnreadable } from "./answer/answer-client-errors.ts";
import type { App } from "./app-types.ts";
import { listenByBrands } from "./gate/listen-by-brands.ts";
import { limitConnections } from "./limits/limit-connections.ts";

/** A broker that listens. */
export type Serving = {
  /** Where it can be reached on this machine. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no more connections, lets requests in progress end for `graceMs`, then cuts the rest. Parked
   * polls and streams must have been answered by their own owners before.
   */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** Starts to listen as the settings say; an OperatorError when the port is taken or a TLS file is unreadable. */
export async function serve(app: App, broker: Broker): Promise<Serving> {
  const { config } = broker;
  const answer = getRequestListener(app.fetch, {
    autoCleanupIncoming: false, // discardBody reads what is left of a refused body, at its own pace
    errorHandler: (error) => answerUnreadable(broker, error),
  });
  const byBrands = listenByBrands((request, response) => {
    void answer(request, response);
  }, config.brands);
  const { listener, watch } = limitConnections(broker, byBrands);
  const options = {
    keepAliveTimeout: 75_000, // longer than the 60 s of common balancers, so that they close first
    headersTimeout: 80_000,
    requestTimeout: 600_000, // bodies have their own, stricter time limit
    noDelay: true,
  };
  const server =
    config.tls === undefined
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...(await readTls(config.tls)) }, listener);
  watch(server);
  answerClientErrors(server);
  const unasked = trackUnasked(
    server,
    config.tls === undefined ? "connection" : "secureConnection",
  );
  await listen(server, config.host, config.port);
  const { port } = server.address() as AddressInfo; // a listening TCP server has one
  const scheme = config.tls === undefined ? "http" : "https";
  return {
    url: `${scheme}://${hostInUrl(config.host)}:${port}`,
    port,
    stop: (graceMs) => stop(server, unasked, graceMs),
  };
}

async function readTls({ certFile, keyFile }: { certFile: string; keyFile: string }): Promise<{
  cert: Buffer;
  key: Buffer;
}> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    return { cert, key };
  } catch {
    throw new OperatorError("SVC_TLS_CERT_FILE or SVC_TLS_KEY_FILE cannot be read.");
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      reject(
        isTaken ? new OperatorError(`Port ${port} on ${host} is taken by another program.`) : error,
      );
    });
    server.listen({ port, host, backlog: 4096 }, resolve);
  });
}

function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

/** Connections that have not sent a request yet: Node does not count them as idle. */
function trackUnasked(server: Server, opened: string): Set<Socket> {
  const unasked = new Set<Socket>();
  server.on(opened, (socket: Socket) => {
    unasked.add(socket);
    socket.once("close", () => unasked.delete(socket));
  });
  server.on("request", ({ socket }) => unasked.delete(socket));
  return unasked;
}

async function stop(server: Server, unasked: ReadonlySet<Socket>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  for (const socket of unasked) socket.destroy();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  // A connection that falls idle after its last answer would otherwise stay for its keep-alive time.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}
