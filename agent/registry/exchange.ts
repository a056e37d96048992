import { lookup } from "node:dns";
import { lookup as lookUp } from "node:dns/promises";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { http, https } from "../client/node-http.ts";

/** Refuses an address by throwing; it is asked before anything is sent there. */
export type AddressGuard = (address: string) => void;

/** Whether a proxy makes the connection for a URL. */
export type IsProxiedTo = (url: URL) => boolean;

export type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** One request, without repeats. */
export type Exchange = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream's length is in the headers. */
  readonly body?: Body | undefined;
  /** The longest silence, before the answer and in the middle of it. */
  readonly silentMs: number;
  /** Ends all of it, the answer's body too. */
  readonly signal?: AbortSignal | undefined;
  readonly guard?: AddressGuard | undefined;
  /** A proxy connects, whose own address the guard is not asked of. */
  readonly isProxied?: boolean;
};

/** An answer whose body is still to be read, or to be dropped. */
export type RegistryAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage;
  readonly url: URL;
  /** Of the host that answered; behind a proxy, as far as its name can be resolved here. */
  readonly address: string;
};

/** The connection did not come about, or broke. */
export class LostConnection extends Error {
  override readonly name = "LostConnection";
}

/**
 * Sends one request and resolves with the head of the answer. Throws LostConnection; an error of the body's own stream is
 * thrown as it is, and then the request never ends as a whole one.
 */
export async function exchange(asked: Exchange): Promise<RegistryAnswer> {
  const { url, silentMs, guard, isProxied } = asked;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (guard !== undefined && isIP(host) !== 0) guard(host);
  const behind = guard !== undefined && isProxied ? await guardBehind(host, guard) : undefined;
  const { promise, resolve: answered, reject } = Promise.withResolvers<IncomingMessage>();
  const request = open(behind === undefined ? asked : { ...asked, guard: undefined }, host);
  request.on("error", (error) => reject(lost(error)));
  request.setTimeout(silentMs, () => request.destroy(new Error("it does not respond")));
  request.once("response", answered);
  feed(request, asked.body).catch((error: unknown) => {
    reject(error instanceof Error ? error : new Error("the body cannot be read"));
    request.destroy();
  });
  const body = await promise;
  // What was not sent by now is not asked for: the connection of a request that stays unfinished is of no further use.
  body.once("close", () => void (request.writableFinished || request.destroy()));
  return {
    status: body.statusCode ?? 0,
    headers: body.headers,
    body,
    url,
    address: behind ?? body.socket.remoteAddress ?? "",
  };
}

function open({ method, url, headers, body, signal, guard }: Exchange, host: string) {
  const length = body === undefined ? 0 : body instanceof Uint8Array ? body.length : undefined;
  const isBare = method === "GET" || method === "HEAD" || length === undefined;
  const request = (url.protocol === "https:" ? https : http).request({
    method,
    protocol: url.protocol,
    hostname: host,
    port: url.port === "" ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, ...(!isBare && { "content-length": String(length) }) },
    ...(signal !== undefined && { signal }),
    ...(guard !== undefined && { lookup: guardedLookup(guard) }),
  });
  if (guard !== undefined) guardKept(request, guard);
  return request;
}

/** Every address that a name stands for is looked at, as any of them may be taken. */
function guardedLookup(guard: AddressGuard): LookupFunction {
  return (host, options, done) => {
    lookup(host, options, (error, address, family) => {
      if (error !== null) return done(error, address, family);
      try {
        for (const one of typeof address === "string" ? [{ address }] : address) guard(one.address);
      } catch (refusal) {
        return done(refusal as Error, address, family); // a guard throws errors
      }
      done(null, address, family);
    });
  };
}

/** Unlike the proxy's, all addresses of a host count that are known here. What only the proxy can resolve is its own to refuse. */
async function guardBehind(host: string, guard: AddressGuard): Promise<string> {
  const all = await lookUp(host, { all: true }).catch(() => []);
  for (const { address } of all) guard(address);
  return all[0]?.address ?? "";
}

/** A connection that was kept was looked up by somebody else. */
function guardKept(request: ClientRequest, guard: AddressGuard): void {
  request.once("socket", ({ remoteAddress }) => {
    if (remoteAddress === undefined) return;
    try {
      guard(remoteAddress);
    } catch (refusal) {
      request.destroy(refusal as Error); // a guard throws errors
    }
  });
}

async function feed(request: ClientRequest, body: Body | undefined): Promise<void> {
  if (body === undefined || body instanceof Uint8Array) return void request.end(body);
  let isOver = false;
  let wake: (() => void) | undefined;
  const over = (): void => {
    isOver = true;
    wake?.();
  };
  request.once("response", over).once("close", over);
  request.on("drain", () => wake?.());
  for await (const piece of body) {
    if (isOver) return;
    if (!request.write(piece)) await new Promise<void>((resolve) => (wake = resolve));
    if (isOver) return;
  }
  request.end();
}

/** What a guard refused stays what it is. */
function lost(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (error.name === "RegistryFault") return error;
  return new LostConnection(code ?? error.message);
}
