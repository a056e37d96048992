import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request as a cloud's server sees it. */
export type CloudRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: http.IncomingHttpHeaders;
  /** Of a form. */
  readonly form: URLSearchParams;
};

/** What it answers: JSON, or a text as it is. */
export type CloudAnswer = { readonly status?: number; readonly body: object | string };

export type CloudDouble = { readonly url: string; readonly asked: CloudRequest[] };

/** A server of a cloud's documented REST protocol, as far as a test needs it: no emulator of it is to be had. */
export async function startCloudDouble(
  answer: (request: CloudRequest) => CloudAnswer,
): Promise<CloudDouble> {
  const asked: CloudRequest[] = [];
  const serve = async (
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const { method = "", headers } = request;
    const one = { method, url: new URL(request.url ?? "", "http://cloud"), headers, form };
    asked.push(one);
    const { status = 200, body } = answer(one);
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server = http.createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
