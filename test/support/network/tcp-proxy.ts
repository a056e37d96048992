import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export type TcpProxy = {
  /** The proxied URL: the same server by way of this proxy. */
  readonly url: string;
  /** From now on nothing passes, either way, on connections whose first bytes hold the text; they stay open. */
  readonly blackHole: (firstBytes: string) => void;
  /** Ends the connections whose first bytes hold the text. */
  readonly cut: (firstBytes: string) => void;
  /** While it is away it ends every connection, new ones too. */
  readonly setAway: (isAway: boolean) => void;
  /** How many connections began with bytes that hold the text. */
  readonly count: (firstBytes: string) => number;
};

/** Stands between a client and a server; it is closed after the test. */
export async function tcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const links: { first: string; client: Socket; server: Socket }[] = [];
  let isAway = false;
  const proxy = createServer((client) => {
    if (isAway) {
      client.destroy();
      return;
    }
    const server = connect(Number(port), hostname);
    const link = { first: "", client, server };
    links.push(link);
    client.once("data", (bytes) => (link.first = bytes.toString("latin1")));
    client.pipe(server).pipe(client);
    for (const end of [client, server]) {
      end.on("error", () => {});
      end.on("close", () => (end === client ? server : client).destroy());
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    for (const { client } of links) client.destroy();
    proxy.close();
  });
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((proxy.address() as AddressInfo).port); // it listens on TCP
  const of = (text: string) => links.filter(({ first }) => first.includes(text));
  return {
    url: url.href,
    count: (text) => of(text).length,
    setAway: (away) => {
      isAway = away;
      if (away) for (const { client } of links) client.destroy();
    },
    cut: (text) => {
      for (const { client } of of(text)) client.destroy();
    },
    blackHole: (text) => {
      for (const { client, server } of of(text)) {
        client.unpipe().pause();
        server.unpipe().pause();
      }
    },
  };
}
