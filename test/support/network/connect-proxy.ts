import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";

export type ConnectProxy = {
  readonly url: string;
  /** Where it was asked to go, `host:port`, first to last. */
  readonly asked: readonly string[];
};

/** An HTTP proxy as companies have them: it opens tunnels, and passes plain requests on. Closed after the test. */
export async function connectProxy(): Promise<ConnectProxy> {
  const asked: string[] = [];
  const ends = new Set<Duplex>();
  const server = http.createServer((request, response) => {
    const target = new URL(request.url ?? "");
    asked.push(target.host);
    const { method, headers } = request;
    const onward = http.request(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("connect", (request, client: Duplex) => {
    asked.push(request.url ?? "");
    const [host = "", port = ""] = (request.url ?? "").split(":");
    const target = connect(Number(port), host, () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(target).pipe(client);
    });
    for (const end of [client, target]) {
      ends.add(end);
      end.on("error", () => {}).on("close", () => (end === client ? target : client).destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const end of ends) end.destroy();
    server.close().closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `http://127.0.0.1:${port}`, asked };
}
