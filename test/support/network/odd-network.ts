import { once } from "node:events";
import http from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A balancer before a broker that cuts connections on which nothing was said for so long. */
export async function impatientBalancer(target: string, idleMs: number): Promise<string> {
  const server = forwarder(target, (headers) => headers);
  server.timeout = idleMs;
  return await urlOf(server);
}

/** A broker whose clock is off by so much, as far as its answers tell. */
export async function skewedBroker(target: string, skewMs: number): Promise<string> {
  const date = (): string => new Date(Date.now() + skewMs).toUTCString();
  return await urlOf(forwarder(target, (headers) => ({ ...headers, date: date() })));
}

/** A network's login page: it answers anything. */
export async function loginPage(): Promise<string> {
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome to the Hotel</h1>");
  });
  return await urlOf(server);
}

/** A page that goes on for as long as somebody takes it; `taken` counts the bytes. */
export async function endlessPage(): Promise<{ url: string; taken: () => number }> {
  const piece = Buffer.alloc(65_536, "x");
  let taken = 0;
  const server = http.createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    const go = (): void => {
      while (!response.destroyed && response.write(piece)) taken += piece.length;
      taken += piece.length;
    };
    response.on("drain", go);
    go();
  });
  return { url: await urlOf(server), taken: () => taken };
}

/** An HTTP proxy that opens tunnels, or answers each wish for one with a status. */
export async function tunnelProxy(refusal?: number): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = http.createServer();
  server.on("connect", ({ url = "" }, client: Socket) => {
    asked.push(url);
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
      return;
    }
    const [host, port] = url.split(":");
    const upstream = connect(Number(port), host);
    upstream.once("connect", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    tie(client, upstream);
  });
  return { url: await urlOf(server), asked };
}

type Headers = http.IncomingHttpHeaders;

/** Hands requests on, and answers back with their headers changed. */
function forwarder(target: string, changed: (headers: Headers) => Headers): http.Server {
  return http.createServer((request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const onward = http.request(new URL(url, target), { method, headers });
    request.pipe(onward);
    response.on("close", () => onward.destroy());
    onward.on("error", () => response.destroy());
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, changed(answer.headers));
      answer.pipe(response);
    });
  });
}

function tie(client: Socket, upstream: Socket): void {
  client.pipe(upstream).pipe(client);
  for (const end of [client, upstream]) {
    end.on("error", () => {});
    end.on("close", () => (end === client ? upstream : client).destroy());
  }
}

async function urlOf(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => void sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}
