import { STATUS_CODES, type Server } from "node:http";
import { RequestError } from "@hono/node-server";
import type { Broker } from "../../broker.ts";
import { takeRequestId } from "../gate/request-id.ts";

/** The answer to a request with an invalid address or Host, which no route sees. */
export function answerUnreadable(broker: Broker, error: unknown): Response {
  const status = error instanceof RequestError ? 400 : 500;
  if (status === 500) broker.log.error({ err: error }, "a request failed before any route");
  return new Response(problemText(status, "The request line or the Host header is invalid."), {
    status,
    headers: { "content-type": "application/json" },
  });
}

/** Answers invalid HTTP, slow requests and too many headers, and closes the connection. */
export function answerClientErrors(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const status = statusOf(error.code);
    const body = problemText(status, "The request could not be read.");
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
      "connection: close",
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

function statusOf(code: string | undefined): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}

function problemText(status: number, detail: string): string {
  const title = STATUS_CODES[status] ?? "Error";
  const instance = `urn:request:${takeRequestId(undefined)}`;
  const code = "unreadable_request";
  const said = { error: detail, description: detail, user_error: status < 500 };
  return JSON.stringify({ type: "about:blank", title, status, detail, instance, code, ...said });
}
