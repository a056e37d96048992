import type { Broker } from "../../../broker/broker.ts";
import { readConfig } from "../../../broker/config.ts";
import { openLog } from "../../../broker/log.ts";
import { startBroker as start } from "../../../broker/start-broker.ts";
import { afterFile } from "../run/after-file.ts";
import { loopbackEgress } from "./loopback-egress.ts";
import { sealKeysFile } from "./seal-keys-file.ts";

export type Call = {
  readonly token?: string | undefined;
  /** Sent as JSON; a string and bytes are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Answer<Body> = {
  readonly status: number;
  readonly headers: Headers;
  /** JSON where the answer is JSON, else its text. */
  readonly body: Body;
};

export type TestBroker = {
  readonly url: string;
  readonly broker: Broker;
  /** Every line the broker logged. */
  readonly logged: string[];
  /** One request: `await call("POST /v1/runners", {token, body: {…}})`. */
  readonly call: <Body = Record<string, unknown>>(
    what: string,
    call?: Call,
  ) => Promise<Answer<Body>>;
  readonly stop: () => Promise<void>;
};

/**
 * A broker on a free port, speaking real HTTP; it is stopped after the file. Background work that is due by the
 * real clock is left out unless told: it would come between a test's steps now and then.
 */
export async function startBroker(options: {
  readonly url: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly hasCron?: boolean;
}): Promise<TestBroker> {
  const logged: string[] = [];
  const config = readConfig({
    DATABASE_URL: options.url,
    SVC_PORT: "0",
    SVC_DRAIN_LINGER_MS: "0",
    SVC_LOG_LEVEL: "debug",
    SVC_SEAL_KEYS: `file:${sealKeysFile()}`,
    ...loopbackEgress,
    SVC_WORK_NICE: "0", // beside other tests it would have no turn
    SVC_LOCK_WAIT_MS: "30000", // on a machine that does much else, locks are held for long
    ...options.env,
  });
  const log = openLog(config.logLevel, { write: (line) => void logged.push(line) });
  const { url, broker, stop } = await start(config, log, { hasCron: options.hasCron ?? false });
  afterFile(stop);
  return { url, broker, logged, stop, call: (what, call) => send(url, what, call) };
}

/** What our own programs accept: it chooses their shape where others read another. */
const oursAccept = "*/*, application/problem+json;q=0.9";

/** One request to the broker at this URL, wherever it runs; as one of our own programs, unless its headers say otherwise. */
export async function send<Body = Record<string, unknown>>(
  url: string,
  what: string,
  call: Call = {},
): Promise<Answer<Body>> {
  const [method = "GET", path = "/"] = what.split(" ");
  const headers = new Headers({ accept: oursAccept, ...call.headers });
  if (call.token !== undefined) headers.set("authorization", `Bearer ${call.token}`);
  const hasBody = call.body !== undefined;
  if (hasBody && !headers.has("content-type")) headers.set("content-type", "application/json");
  const isText = typeof call.body === "string";
  const body =
    isText || call.body instanceof Uint8Array
      ? (call.body as string | Uint8Array<ArrayBuffer>)
      : JSON.stringify(call.body);
  const response = await fetch(url + path, { method, headers, ...(hasBody && { body }) });
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as Body,
  };
}
