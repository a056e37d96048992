import { connect, type Socket } from "node:net";

export type Answer = { readonly status: number; readonly body: string };

/** One HTTP/1.1 connection that stays open. Requests are answered in the order in which they were sent. */
export type Connection = {
  /** Sends a request made by `requestText`; rejects when the connection is lost. */
  readonly send: (request: string | Uint8Array) => Promise<Answer>;
  readonly close: () => void;
};

type Pending = {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
};

/**
 * Opens a connection. As thin as it can be, so that the machine's time goes to the server: no pool, no redirect,
 * no streaming; answers are ASCII with a length or chunked. Everything else about them is left unread.
 */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = await open(hostname, Number(port));
  const pending: Pending[] = [];
  let rest = "";
  let isLost = false;

  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    rest = rest === "" ? chunk : rest + chunk;
    for (;;) {
      const found = readAnswer(rest);
      if (found === undefined) return;
      rest = rest.slice(found.end);
      pending.shift()?.resolve(found.answer);
    }
  });
  const lose = (): void => {
    isLost = true;
    for (const { reject } of pending.splice(0)) reject(new Error("the connection was lost"));
  };
  socket.on("error", lose);
  socket.on("close", lose);

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (isLost) return reject(new Error("the connection is lost"));
        pending.push({ resolve, reject });
        if (typeof request === "string") socket.write(request, "latin1");
        else socket.write(request);
      }),
    close: () => void socket.destroy(),
  };
}

/** Opens many connections, some at a time, so that no accept queue overflows. */
export async function openConnections(url: string, count: number): Promise<Connection[]> {
  const connections: Connection[] = [];
  while (connections.length < count) {
    const wanted = Math.min(100, count - connections.length);
    connections.push(
      ...(await Promise.all(Array.from({ length: wanted }, () => openConnection(url)))),
    );
  }
  return connections;
}

/** A request as it goes over the wire; the body is ASCII JSON. */
export function requestText(what: string, token: string, body = ""): string {
  return (
    `${what} HTTP/1.1\r\nhost: broker\r\nauthorization: Bearer ${token}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  );
}

function readAnswer(text: string): { answer: Answer; end: number } | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const bodyAt = headEnd + 4;
  const status = Number(text.slice(9, 12));
  const head = text.slice(0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = bodyAt + Number(length);
    return text.length < end
      ? undefined
      : { answer: { status, body: text.slice(bodyAt, end) }, end };
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return readChunks(text, bodyAt, status);
  return { answer: { status, body: "" }, end: bodyAt };
}

function readChunks(
  text: string,
  bodyAt: number,
  status: number,
): { answer: Answer; end: number } | undefined {
  let at = bodyAt;
  let body = "";
  for (;;) {
    const lineEnd = text.indexOf("\r\n", at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (text.length < end) return undefined;
    if (size === 0) return { answer: { status, body }, end };
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = end;
  }
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}
