import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { https } from "../client/node-http.ts";
import type { Environment } from "../config/environment.ts";
import { writeAtomically } from "../files/atomic-file.ts";
import { openBrokerRecords } from "./broker-records.ts";
import { frontDoor } from "./front-door.ts";
import { frontOrder } from "./front-order.ts";
import { makeCertificate } from "./own-certificate.ts";
import { openUpstream } from "./upstream.ts";

/** After this long without a request its job and agent are gone. */
const idleMs = 600_000;
const lookMs = 5_000;

/**
 * A proxy between helm and the cluster of one job, on this host's loopback, until it is told to end: helm's release
 * records go to the broker, everything else to the cluster with the credentials of the order in `file`.
 */
export async function serveFront(file: string, env: Environment): Promise<number> {
  // A stop of the job ends helm, which still needs this proxy to record how it ended.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  const order = frontOrder.parse(JSON.parse(await readFile(file, "utf8")));
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const records = openBrokerRecords(order.broker, { env });
  const upstream = openUpstream(order, env);
  const doorOf = (secret: string) =>
    frontDoor({ secret, namespace: order.namespace, records, upstream, end });
  const { server, place } = await listening(doorOf, await placeIn(order.place));
  await writeAtomically(order.place, { text: JSON.stringify(place) });
  await writeAtomically(order.kubeconfig, { text: kubeconfigOf(place) });
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

const frontPlace = z.object({
  port: z.int(),
  secret: z.string(),
  key: z.string(),
  cert: z.string(),
});
/** The address of a front, and the secrets by which helm recognizes it. */
type Place = z.infer<typeof frontPlace>;

/** The place of the front before a restart, else a new one. */
async function placeIn(file: string): Promise<Place> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text !== undefined) return frontPlace.parse(JSON.parse(text));
  return { port: 0, secret: randomBytes(24).toString("hex"), ...makeCertificate() };
}

/** Listens at that place, or at another port if that one is taken by now. */
async function listening(
  doorOf: (secret: string) => RequestListener,
  place: Place,
): Promise<{ readonly server: Server; readonly place: Place }> {
  const { port, secret, key, cert } = place;
  const server = https.createServer(
    { key, cert, maxHeaderSize: 2 ** 15, headersTimeout: 10_000, requestTimeout: 120_000 },
    doorOf(secret),
  );
  // Helm must not send into a connection that is just being closed.
  server.keepAliveTimeout = idleMs;
  server.maxConnections = 256;
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (port === 0) throw error;
    return await listening(doorOf, { ...place, port: 0 });
  }
  return { server, place: { ...place, port: (server.address() as AddressInfo).port } }; // it listens on one
}

/** JSON is YAML. The path authenticates helm; the certificate proves that no other program answers at this port. */
function kubeconfigOf({ port, secret, cert }: Place): string {
  const name = "svc";
  const server = `https://127.0.0.1:${port}/${secret}`;
  const authority = Buffer.from(cert).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [{ name, cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
