import { once } from "node:events";
import type http from "node:http";
import { buffer } from "node:stream/consumers";

/** Passes an answer on up to its first piece, and breaks off (`cut`); or only when it is all there (`whole`). */
export async function passInPart(
  how: "cut" | "whole",
  answer: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const { "transfer-encoding": _, ...headers } = answer.headers;
  const status = answer.statusCode ?? 502;
  if (how === "whole") {
    const body = await buffer(answer);
    response.writeHead(status, headers).end(body);
    return;
  }
  const [first] = (await once(answer, "data")) as [Buffer]; // of an answer without an encoding
  answer.destroy();
  await new Promise<void>((resolve) => {
    response.writeHead(status, headers).write(first, () => resolve());
  });
  response.socket?.destroy();
}
