import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterFile } from "../run/after-file.ts";

export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};
type Reply = {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
};

/** An HTTP server on a free port unless told. A path without a reply here is answered 200; a reply may be a promise, which holds the call. */
export async function startReceiver(
  replies: Readonly<Record<string, (nth: number) => Reply | Promise<Reply>>> = {},
  at = 0,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const path = request.url ?? "";
      const { method = "", headers } = request;
      received.push({ method, path, headers, body: await text(request) });
      const nth = received.filter((one) => one.path === path).length;
      const reply = (await replies[path]?.(nth)) ?? { status: 200, body: "thanks" };
      response.writeHead(reply.status, reply.headers).end(reply.body);
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}
