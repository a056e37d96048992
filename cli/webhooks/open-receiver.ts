import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

const mostBytes = 1024 * 1024;

export type Receiver = {
  readonly url: string;
  /** What its answer says of an event. */
  readonly wordOf: (status: number) => string;
  readonly close: () => void;
};

/** Receives webhooks on a port of this machine, and checks each signature as docs/webhooks.md says a receiver must. */
export async function openReceiver(secret: string): Promise<Receiver> {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const isOurs = body !== undefined && isSigned(secret, body, request);
      response.writeHead(isOurs ? 204 : 401).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/`,
    wordOf: (status) => (status === 204 ? ", signature good" : ", signature bad"),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
    if (bytes > mostBytes) return undefined;
  }
  return Buffer.concat(pieces);
}

function isSigned(secret: string, body: Buffer, { headers }: IncomingMessage): boolean {
  const given = Buffer.from(String(headers["x-svc-signature"] ?? ""), "hex");
  const wanted = createHmac("sha256", secret).update(body).digest();
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
