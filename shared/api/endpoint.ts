import { type Connection, openConnection } from "../../client/requests/connection.ts";
import type { Fetch } from "../../client/requests/fetch-like.ts";
import { isPassing } from "../../client/requests/is-passing.ts";
import type { SvcError } from "../../client/svc-error.ts";

/** A broker to call, and as whom. */
export type Endpoint = {
  readonly url: string;
  readonly token?: string | undefined;
  /** Chooses the org where the token reaches several. */
  readonly orgId?: string | undefined;
  readonly userAgent?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the network's: a broker asks itself so. */
  readonly fetch?: Fetch;
  /** How often a call is made again that may be; as often as the client's, unless told. */
  readonly retries?: number;
  /** Hears of each call that is made again, and in how many milliseconds. */
  readonly onAgain?: (error: SvcError, ms: number) => void;
  /** The longest answer that is read: about the longest text that a program can hold, unless told. */
  readonly maxAnswerBytes?: number;
};

const usualAnswerBytes = 512 * 2 ** 20;

const accept = "application/json, application/problem+json, */*;q=0.1";

/** A client's connection to an endpoint. */
export function connectionTo(endpoint: Endpoint): Connection {
  const { url, token, orgId, fetch, retries, maxAnswerBytes = usualAnswerBytes } = endpoint;
  const opened = openConnection({ url, token, orgId, fetch, retries, maxAnswerBytes });
  const agent = endpoint.userAgent === undefined ? {} : { "user-agent": endpoint.userAgent };
  const own = Object.entries({ accept, ...agent, ...endpoint.headers });
  return {
    ...opened,
    mayPass: mayPassSoon,
    ...(endpoint.onAgain !== undefined && { onAgain: endpoint.onAgain }),
    headers: async () => {
      const all = await opened.headers();
      for (const [name, value] of own) all.set(name, value);
      return all;
    },
  };
}

/** Connections that were there, and broke: whoever waits is told at once of a broker that is not there at all. */
const broken: readonly unknown[] = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];
/** What passes by itself, and soon. A full queue or a key that is missing may not: that is told at once. `unknown`: a proxy says it. */
const passing: readonly string[] = [
  "busy",
  "idempotency_in_flight",
  "rate_limited",
  "too_many_bytes",
  "unavailable",
  "unknown",
];

function mayPassSoon(error: SvcError): boolean {
  if (!isPassing(error)) return false;
  if (error.status !== 0) return passing.includes(error.code);
  const { cause } = (error.cause ?? {}) as { cause?: { code?: unknown } }; // fetch tells the reason there
  return broken.includes(cause?.code);
}
