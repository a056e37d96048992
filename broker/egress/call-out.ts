import * as http from "node:http";
import * as https from "node:https";
import { isReservedHeader } from "../../shared/reserved-headers.ts";
import { version } from "../../shared/version.ts";
import { type Signing, signBody } from "../../shared/webhooks/sign-body.ts";
import { type Failure, failure, failureOf, hostFailure } from "./call-failure.ts";
import { checkUrl } from "./check-url.ts";
import { type EgressRules, targetOf } from "./egress-rules.ts";
import { type Answer, readAnswer } from "./read-answer.ts";
import type { Resolve } from "./resolver.ts";
import { makeVettedLookup } from "./vetted-lookup.ts";

/** One HTTP request to a server that an org named. */
export type Call = {
  readonly url: string;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Signs the body at the moment of sending, with or without a secret: see signBody. */
  readonly signing?: Omit<Signing, "at"> & { readonly secret: string | undefined };
  /** What calls, in the User-Agent; `svc` unless told. */
  readonly agent?: string;
  /** For everything from the name's resolution to the end of the answer; waiting for a turn is not part of it. */
  readonly timeoutMs: number;
  /** For the name's resolution and the connection alone, without its TLS; as long as the whole unless told. */
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly maxAnswerBytes?: number;
};

export type CallResult = Answer | Failure;

type Parts = { readonly rules: EgressRules; readonly resolve: Resolve };

const maxHeaderSize = 16 * 1024;
const defaultAnswerBytes = 16 * 1024;

/**
 * Makes calls without any queue. What happens to a call is its value, never an exception: an answer of any status, or why
 * there was none. Redirects are not followed, connections are not reused, proxies of the environment are not used.
 */
export function makeCallOut({ rules, resolve }: Parts): (call: Call) => Promise<CallResult> {
  const agents = {
    "http:": new http.Agent({ keepAlive: false }),
    // Sessions are connections' secrets: none of one org is kept for another.
    "https:": new https.Agent({ keepAlive: false, maxCachedSessions: 0, rejectUnauthorized: true }),
  };
  return async (call) => {
    const checked = checkUrl(call.url, rules);
    if (!checked.isOk) return failure(checked.code, checked.detail);
    const own = Object.keys(call.headers ?? {}).find(isReservedHeader);
    if (own !== undefined) return failure("invalid_request", `The header ${own} cannot be set.`);
    const { url } = checked;
    const agent = url.protocol === "https:" ? agents["https:"] : agents["http:"];
    const { port } = targetOf(url);
    return withinTime(call, (signal) => {
      const resolveName = (hostname: string) => resolve(hostname, signal);
      const lookup = makeVettedLookup({ rules, port, resolve: resolveName });
      return send(url, call, { agent, lookup, maxHeaderSize, signal });
    });
  };
}

/** The signal is aborted at the end of the call's time and with the call's own signal; its reason says which. */
async function withinTime(
  { timeoutMs, signal }: Call,
  act: (signal: AbortSignal) => Promise<CallResult>,
): Promise<CallResult> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort("timeout"), timeoutMs);
  const abort = (): void => ended.abort("aborted");
  if (signal?.aborted === true) abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    return await act(ended.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    ended.abort(); // whatever is left of the connection
  }
}

type Options = http.RequestOptions & { readonly signal: AbortSignal };

function send(url: URL, call: Call, options: Options): Promise<CallResult> {
  return new Promise((resolve) => {
    const sent = open(url, call, options);
    if (sent === undefined) {
      const detail = "A header's name or value has characters that HTTP does not allow.";
      return resolve(failure("invalid_request", detail));
    }
    let isInHandshake = false;
    const connecting = limitConnecting(sent, call.connectTimeoutMs);
    sent.on("socket", (socket) => {
      socket.once("connect", () => {
        connecting.end();
        isInHandshake = url.protocol === "https:";
      });
      socket.once("secureConnect", () => (isInHandshake = false));
    });
    sent.on("response", (response) => {
      resolve(readAnswer(response, call.maxAnswerBytes ?? defaultAnswerBytes, options.signal));
    });
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve(hostFailure("bad_answer", url));
    });
    sent.on("error", (error) => {
      const late = connecting.isLate() ? hostFailure("timeout", url) : undefined;
      resolve(late ?? abortOf(options.signal, url) ?? failureOf(error, url, isInHandshake));
    });
    sent.on("close", () => {
      connecting.end();
      resolve(hostFailure("reset", url));
    });
    sent.end(call.body);
  });
}

/** Gives up a request that has no connection in time. */
function limitConnecting(sent: http.ClientRequest, ms: number | undefined) {
  let isLate = false;
  const timer =
    ms === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          sent.destroy(new Error("no connection in time"));
        }, ms);
  return { isLate: () => isLate, end: () => clearTimeout(timer) };
}

/** Undefined for headers that cannot be sent: Node checks them before it does anything. */
function open(url: URL, call: Call, options: Options): http.ClientRequest | undefined {
  const { request } = url.protocol === "https:" ? https : http;
  try {
    return request(url, { ...options, method: call.method, headers: headersOf(call) });
  } catch {
    return undefined;
  }
}

function abortOf(signal: AbortSignal, url: URL): Failure | undefined {
  if (!signal.aborted) return undefined;
  return signal.reason === "timeout"
    ? hostFailure("timeout", url)
    : failure("aborted", "The call was given up by the broker.");
}

function headersOf({ headers, body, signing, agent = "svc" }: Call): http.OutgoingHttpHeaders {
  return {
    ...headers,
    ...(signing !== undefined &&
      signBody(signing.secret, body ?? "", { ...signing, at: new Date() })),
    ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
    "user-agent": `${agent}/${version}`,
  };
}
