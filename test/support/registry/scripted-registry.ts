import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterFile } from "../run/after-file.ts";

export type ScriptedAnswer =
  | "hang"
  | "cut"
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: object;
    };
export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
};

/** A server that answers as a test says, and remembers what it was asked. */
export async function startScripted(answer: (seen: Seen) => ScriptedAnswer) {
  const seen: Seen[] = [];
  const script = { answer };
  const server = createServer((request, response) => {
    const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers };
    seen.push(one);
    const told = script.answer(one);
    if (told === "cut") request.socket.destroy();
    else if (told !== "hang")
      response
        .writeHead(told.status, told.headers)
        .end(told.body === undefined ? undefined : JSON.stringify(told.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return { host: `127.0.0.1:${port}`, seen, script };
}
