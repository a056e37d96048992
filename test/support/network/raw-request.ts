import { connect, type Socket } from "node:net";

/** A JSON request on a socket of its own, written by hand, so that a test can break it off where it likes. */
export async function rawRequest(
  url: string,
  what: string,
  { token, body }: { readonly token: string; readonly body: unknown },
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}); // a broken connection is what these tests are about
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  const text = JSON.stringify(body);
  socket.write(
    `${what} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return socket;
}
