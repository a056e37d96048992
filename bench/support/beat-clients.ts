import { connect, type Socket } from "node:net";

export type BeatClients = {
  /** Sends the next beats, each process in its turn. */
  readonly beat: (count: number) => void;
  /** What came back since the last look. */
  readonly take: () => {
    readonly latenciesMs: number[];
    readonly refused: number;
    /** Beats that were not sent because the one before had no answer yet: an agent beats once at a time. */
    readonly late: number;
  };
  readonly close: () => void;
};

type Client = { readonly socket: Socket; readonly sentAtMs: number[]; rest: string };

/**
 * Clients with connections that stay, as thin as they can be: requests are made beforehand, of an answer only
 * its end is looked for, so that the machine's time goes to the broker.
 */
export async function openBeatClients(
  url: string,
  requests: readonly Buffer[],
  connections: number,
): Promise<BeatClients> {
  const { hostname, port } = new URL(url);
  let latenciesMs: number[] = [];
  let refused = 0;
  let late = 0;
  let next = 0;

  const receive = (client: Client, chunk: string): void => {
    client.rest += chunk;
    for (;;) {
      const headEnd = client.rest.indexOf("\r\n\r\n");
      if (headEnd === -1) return;
      const length = /content-length: (\d+)/i.exec(client.rest)?.[1] ?? "0";
      const end = headEnd + 4 + Number(length);
      if (client.rest.length < end) return;
      latenciesMs.push(performance.now() - (client.sentAtMs.shift() ?? 0));
      if (!client.rest.startsWith("HTTP/1.1 201")) {
        refused += 1;
        if (refused === 1) process.stderr.write(`${client.rest.slice(0, end)}\n`);
      }
      client.rest = client.rest.slice(end);
    }
  };

  const clients: Client[] = [];
  while (clients.length < connections) {
    const wanted = Math.min(200, connections - clients.length);
    const sockets = Array.from({ length: wanted }, () => open(hostname, Number(port)));
    for (const socket of await Promise.all(sockets)) {
      const client: Client = { socket, sentAtMs: [], rest: "" };
      socket.setEncoding("latin1").on("data", (chunk) => receive(client, String(chunk)));
      clients.push(client);
    }
  }
  return {
    beat(count) {
      for (let at = 0; at < count; at++) {
        const client = clients[next % clients.length];
        const request = requests[next % requests.length];
        next += 1;
        if (client === undefined || request === undefined) continue;
        if (client.sentAtMs.length > 0) {
          late += 1;
          continue;
        }
        client.sentAtMs.push(performance.now());
        client.socket.write(request);
      }
    },
    take() {
      const taken = { latenciesMs, refused, late };
      latenciesMs = [];
      refused = 0;
      late = 0;
      return taken;
    },
    close: () => clients.forEach(({ socket }) => socket.destroy()),
  };
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.once("error", reject);
  });
}
