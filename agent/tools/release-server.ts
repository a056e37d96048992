import type { IncomingMessage } from "node:http";
import { openTransport } from "../client/network.ts";
import { http, https } from "../client/node-http.ts";
import { pause } from "../client/pause.ts";
import type { AgentConfig } from "../config/read-config.ts";
import { ToolFault } from "./tool-fault.ts";

/** The network settings, and the signal that ends the download. */
export type ReleaseNetwork = Pick<AgentConfig, "caFile" | "env"> & { readonly signal: AbortSignal };

const attempts = 4;
const silentAfterMs = 60_000;
const mostRedirects = 5;

/**
 * Downloads a file of a release server in chunks, with the agent's network settings. Temporary failures are retried
 * until the first byte has arrived. Throws ToolFault, or the signal's reason.
 */
export async function* readRelease(
  network: ReleaseNetwork,
  url: string,
  mostBytes: number,
): AsyncGenerator<Uint8Array> {
  const response = await patiently(network, url);
  let bytes = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > mostBytes)
        throw new ToolFault("too_large", `${shown(url)} is larger than ${mostBytes} bytes`);
      yield piece;
    }
  } catch (error) {
    if (error instanceof ToolFault) throw error;
    network.signal.throwIfAborted();
    throw new ToolFault(
      "network",
      `${shown(url)} closed the connection in the middle of its answer`,
    );
  }
}

async function patiently(network: ReleaseNetwork, url: string): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await follow(network, url).catch((error: unknown) => error as Error);
    const isLast = attempt === attempts;
    network.signal.throwIfAborted();
    if (response instanceof ToolFault) throw response;
    if (response instanceof Error) {
      const { code } = response as NodeJS.ErrnoException;
      const words = `${shown(url)} cannot be reached: ${code ?? response.message}`;
      if (isLast) throw new ToolFault("network", words);
    } else {
      const { statusCode = 0 } = response;
      if (statusCode === 200) return response;
      response.destroy();
      const isForNow = statusCode === 429 || statusCode >= 500;
      if (statusCode === 404) throw new ToolFault("not_found", `${shown(url)} was not found (404)`);
      if (isLast || !isForNow)
        throw new ToolFault("network", `${shown(url)} answered ${statusCode}`);
    }
    await pause(200 * 4 ** (attempt - 1) * (0.5 + Math.random()), network.signal);
  }
}

async function follow(network: ReleaseNetwork, from: string): Promise<IncomingMessage> {
  let url = from;
  for (let step = 0; step <= mostRedirects; step += 1) {
    const response = await ask(network, url);
    const { location } = response.headers;
    const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
    if (!isRedirect || location === undefined) return response;
    response.destroy();
    const next = new URL(location, url);
    if (next.protocol !== "https:" && next.protocol !== new URL(from).protocol) {
      throw new ToolFault("network", `${shown(from)} redirects to an address without TLS`);
    }
    url = next.href;
  }
  throw new ToolFault("network", `${shown(from)} redirects too many times`);
}

/** One request on a connection of its own. */
async function ask({ caFile, env, signal }: ReleaseNetwork, url: string): Promise<IncomingMessage> {
  const { agent, close } = openTransport({ brokerUrl: url, caFile, env });
  const { request: open } = url.startsWith("https:") ? https : http;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = open(url, { agent, signal, headers: { "user-agent": "svc-agent" } });
  request.setTimeout(silentAfterMs, () => request.destroy(new Error("it does not respond")));
  request.once("response", (response) => resolve(response.once("close", close)));
  request.once("error", (error) => (close(), reject(error)));
  request.end();
  return await promise;
}

/** Without the query, which may contain secrets. */
const shown = (url: string): string => url.replace(/\?.*$/s, "");
