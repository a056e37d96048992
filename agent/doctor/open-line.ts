import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import { http } from "../client/node-http.ts";
import type { DoctorContext } from "./finding.ts";

/** The proxy refused a tunnel. */
export class TunnelRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`The proxy answered ${status}.`);
    this.status = status;
  }
}

/** The port of a URL, explicit or default. */
export function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** Opens a TCP connection; rejects at the timeout. */
export async function connectTo(url: URL, patienceMs: number): Promise<net.Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const socket = net.connect({ host, port: portOf(url) });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(patienceMs) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Opens a connection to the broker, through a proxy's tunnel if there is one. */
export async function openLine({ broker, proxy, patienceMs }: DoctorContext): Promise<net.Socket> {
  if (proxy === undefined) return await connectTo(broker, patienceMs);
  const isSecure = proxy.protocol === "https:";
  const line = await connectTo(proxy, patienceMs);
  const toProxy = isSecure ? tls.connect({ socket: line, servername: proxy.hostname }) : line;
  const target = `${broker.hostname}:${portOf(broker)}`;
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const request = http.request({
    createConnection: () => toProxy,
    method: "CONNECT",
    path: target,
    headers: {
      host: target,
      ...(proxy.username !== "" && {
        "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}`,
      }),
    },
    signal: AbortSignal.timeout(patienceMs),
  });
  request.end();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request.on("connect", ({ statusCode = 0 }) => resolve(statusCode)).on("error", reject);
  const status = await promise;
  if (status === 200) return toProxy;
  toProxy.destroy();
  throw new TunnelRefused(status);
}
