import type { IncomingMessage, ServerResponse } from "node:http";

/** Where the token server is: at the registry's own address, as clients do not take logins elsewhere without TLS. */
export const tokenPath = "/v1/registry/token";

const patienceMs = 30_000;

/** Has the broker at this URL answer a request for a token. */
export async function passToBroker(
  brokerUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { authorization } = request.headers;
  const answer = await fetch(`${brokerUrl}${request.url ?? ""}`, {
    headers: { accept: "application/json", ...(authorization !== undefined && { authorization }) },
    redirect: "error",
    signal: AbortSignal.timeout(patienceMs),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, {
    "content-type": answer.headers.get("content-type") ?? "application/json",
    "content-length": body.length,
    "cache-control": "no-store",
  });
  response.end(body);
}
