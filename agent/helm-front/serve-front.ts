import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { http } from "../client/node-http.ts";
import type { Environment } from "../config/environment.ts";
import { writeWhole } from "../workspace/write-whole.ts";
import { openBrokerRecords } from "./broker-records.ts";
import { frontDoor } from "./front-door.ts";
import { type FrontOrder, frontOrder } from "./front-order.ts";
import { openUpstream } from "./upstream.ts";

/** Nobody has spoken to it for so long: whoever needed it has gone. */
const idleMs = 600_000;
const lookMs = 5_000;

/**
 * Stands between helm and the cluster of one job, on this host's loopback, until it is told to end: helm's own
 * releases go to the broker, everything else to the cluster with the credentials of the order in `file`.
 */
export async function serveFront(file: string, env: Environment): Promise<number> {
  // Who stops the job stops helm, which needs this to write down how it ended.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  const order = frontOrder.parse(JSON.parse(await readFile(file, "utf8")));
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const records = openBrokerRecords(order.broker, env);
  const upstream = openUpstream(order, env);
  const doorOf = (secret: string) =>
    frontDoor({ secret, namespace: order.namespace, records, upstream, end });
  const { server, port, secret } = await listening(doorOf, order.listen);
  await writeWhole(order.kubeconfig, { text: kubeconfigOf(port, secret) });
  let usedAtMs = Date.now();
  const looking = setInterval(() => {
    server.getConnections((_, count) => {
      if (count > 0) usedAtMs = Date.now();
      if (Date.now() - usedAtMs > idleMs) end();
    });
  }, lookMs);
  await over;
  clearInterval(looking);
  server.close();
  server.closeAllConnections();
  records.close();
  return 0;
}

type Place = NonNullable<FrontOrder["listen"]>;

/** At the place of a front before it, else, also where somebody has that by now, at a new one with a new secret. */
async function listening(
  doorOf: (secret: string) => RequestListener,
  at?: Place,
): Promise<Place & { readonly server: Server }> {
  const { port, secret } = at ?? { port: 0, secret: randomBytes(24).toString("hex") };
  const server = http.createServer(
    { maxHeaderSize: 2 ** 15, headersTimeout: 10_000, requestTimeout: 120_000 },
    doorOf(secret),
  );
  // Helm is not to send into a connection that is just being closed.
  server.keepAliveTimeout = idleMs;
  server.maxConnections = 256;
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (at === undefined) throw error;
    return await listening(doorOf);
  }
  return { server, secret, port: (server.address() as AddressInfo).port }; // it listens on one
}

/** JSON is YAML. Of a server without TLS, clients take nothing of its user: the path has to say who asks. */
function kubeconfigOf(port: number, secret: string): string {
  const name = "svc";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}/${secret}` } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
