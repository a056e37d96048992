import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterFile } from "../run/after-file.ts";

export type RawServer = {
  readonly port: number;
  readonly url: string;
  /** Every connection that was made, in order; `closed` once it is over, and what was read from it as text. */
  readonly connections: { readonly socket: Socket; isClosed: boolean; text: string }[];
};

/** A TCP server on the loopback that does with each connection what the test says, once a request's headers, or a TLS handshake, are there. */
export async function startRawServer(act: (socket: Socket) => void): Promise<RawServer> {
  const connections: RawServer["connections"] = [];
  const server = createServer((socket) => {
    const connection = { socket, isClosed: false, text: "" };
    connections.push(connection);
    socket.on("error", () => {}); // broken connections are what its tests are about
    socket.on("close", () => (connection.isClosed = true));
    let isTold = false;
    socket.on("data", (chunk) => {
      connection.text += chunk.toString("latin1");
      const isTls = connection.text.startsWith("\u0016");
      if (isTold || !(isTls || connection.text.includes("\r\n\r\n"))) return;
      isTold = true;
      act(socket);
    });
  });
  const port = await listen(server);
  afterFile(async () => {
    for (const { socket } of connections) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return { port, url: `http://127.0.0.1:${port}`, connections };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // a TCP server has one
}
