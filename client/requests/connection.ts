import type { SvcError } from "../svc-error.ts";
import type { Fetch } from "./fetch-like.ts";
import { isPassing } from "./is-passing.ts";

/** What a client is made of. */
export type ClientOptions = {
  /** The broker's address; a path in it comes before that of every route. */
  readonly url: string | URL;
  /** Sent to the address's own origin alone. A function is asked at every attempt, so that a token can be rotated. */
  readonly token?: string | (() => string | Promise<string>) | undefined;
  /** Chooses the org where the token reaches several. */
  readonly orgId?: string | undefined;
  /** In place of the global one. It must not follow redirects when it is told not to. */
  readonly fetch?: Fetch | undefined;
  /** For one attempt, its answer included: 40 s unless told, which is longer than any parked request. */
  readonly timeoutMs?: number | undefined;
  /** How often a call is made again that may be: four times unless told. */
  readonly retries?: number | undefined;
  /** The longest answer that is read: 64 MiB unless told. */
  readonly maxAnswerBytes?: number | undefined;
};

/** Where requests go, and as whom. */
export type Connection = {
  readonly base: Base;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxAnswerBytes: number;
  /** Paths, as the document has them, whose POSTs are known again by their idempotency key. */
  readonly keyedPosts: ReadonlySet<string>;
  /** Whether a request that failed so may be sent again. */
  readonly mayPass: (error: SvcError) => boolean;
  /** Hears of each request that is sent again, and in how many milliseconds. */
  readonly onAgain?: (error: SvcError, ms: number) => void;
  /** What every request has; asks for the token. */
  readonly headers: () => Promise<Headers>;
};

/** An address without an ending slash. */
export type Base = { readonly origin: string; readonly path: string };

const usualTimeoutMs = 40_000;
const usualRetries = 4;
const usualAnswerBytes = 64 * 1024 * 1024;

/** Checks the options; a TypeError says which is wrong, and never what a secret one is. */
export function openConnection(
  options: ClientOptions,
  keyedPosts: ReadonlySet<string> = new Set(),
): Connection {
  return {
    keyedPosts,
    base: baseOf(String(options.url)),
    fetch: options.fetch ?? (async (url, init) => await fetch(url, init)),
    timeoutMs: atLeast("timeoutMs", options.timeoutMs ?? usualTimeoutMs, 1),
    retries: atLeast("retries", options.retries ?? usualRetries, 0),
    maxAnswerBytes: atLeast("maxAnswerBytes", options.maxAnswerBytes ?? usualAnswerBytes, 1),
    mayPass: isPassing,
    headers: async () => {
      const accept = "application/json, application/problem+json, */*;q=0.1";
      const headers = new Headers({ "user-agent": "svc-client", accept });
      const { token, orgId } = options;
      if (token !== undefined) headers.set("authorization", await bearerOf(token));
      if (orgId !== undefined) headers.set("x-svc-org-id", orgId);
      return headers;
    },
  };
}

function baseOf(text: string): Base {
  if (!URL.canParse(text)) throw new TypeError("The client's url is not a URL.");
  const { protocol, username, password, search, hash, origin, pathname } = new URL(text);
  if (!/^https?:$/.test(protocol)) throw new TypeError("The client's url is not http or https.");
  if (username + password + search + hash !== "")
    throw new TypeError("The client's url must have no user, password, query or fragment.");
  return { origin, path: pathname.replace(/\/+$/, "") };
}

/** Checked here: what `Headers` says of a bad value repeats it. */
async function bearerOf(token: NonNullable<ClientOptions["token"]>): Promise<string> {
  const text = typeof token === "function" ? await token() : token;
  if (/^[\x21-\x7e]+$/.test(text)) return `Bearer ${text}`;
  throw new TypeError("The client's token is empty, or has characters that no token has.");
}

function atLeast(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new TypeError(`The client's ${name} must be a number, ${least} or more.`);
}
