import { backoffMs } from "../client/backoff.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { http, https } from "../client/node-http.ts";
import { pause } from "../client/pause.ts";
import {
  type Opened,
  type Received,
  send,
  sendForBody,
  type Sending,
  TooLong,
  type Transport,
} from "../client/send.ts";
import { ApiRefusal, isOfSchema } from "./api-refusal.ts";
import { deployFailure } from "./deploy-failure.ts";
import type { KubeLogin } from "./kube-login.ts";

export type ApiCall = {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The Accept header; JSON by default. */
  readonly accept?: string;
  readonly timeoutMs?: number;
  /** The largest answer; a longer one throws TooLong and is not retried. */
  readonly mostBytes?: number;
};

/** Sends requests to a cluster; bodies are sent and returned unchanged. */
export type KubeApi = {
  /** The URL of the API server. */
  readonly server: string;
  /** Returns the answer's JSON. Throws ApiRefusal, or JobFailure when there is no answer. */
  readonly call: <T>(call: ApiCall) => Promise<T>;
  readonly text: (call: ApiCall) => Promise<string>;
  /** Streams the answer's bytes; the request is sent once. `until` ends it. Throws ApiRefusal, or Unanswered. */
  readonly stream: (call: ApiCall, until: AbortSignal) => Promise<AsyncIterable<Buffer>>;
  readonly close: () => void;
};

/** The address of a cluster, and the login. */
export type ClusterAccess = {
  readonly server: string;
  readonly tls: {
    readonly ca?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: false;
  };
  /** The variables from which Node's agents read proxies. */
  readonly proxyEnv: Readonly<Record<string, string>>;
  readonly login: () => Promise<KubeLogin>;
};

const mostRepeats = 5;
const usualTimeoutMs = 60_000;
const usualMostBytes = 64 * 2 ** 20;
const repeated = [429, 500, 502, 503, 504];

/**
 * Opens a client of a cluster that keeps connections. Overload, network errors and the like are retried, up to five
 * attempts; `signal` aborts everything.
 */
export function openKubeApi(access: ClusterAccess, signal: AbortSignal): KubeApi {
  const caller = openCaller(access);
  const ask = async (call: ApiCall): Promise<Received> => {
    for (let nth = 0; ; nth++) {
      const answer = await attempt(() => caller.send(call, signal));
      if (!(answer instanceof Error) && answer.status < 300) return answer;
      const refusal = answer instanceof Error ? answer : refusalOf(answer);
      signal.throwIfAborted();
      if (call.mostBytes !== undefined && refusal instanceof TooLong) throw refusal;
      if (nth >= mostRepeats || !isWorthRepeating(refusal)) throw told(refusal, access);
      if (refusal instanceof ApiRefusal && refusal.status === 401) caller.forgetLogin();
      const asked = refusal instanceof ApiRefusal ? refusal.retryAfterMs : undefined;
      await pause(backoffMs(nth, { fromMs: 200, mostMs: 5_000 }, asked), signal);
      signal.throwIfAborted();
    }
  };
  return {
    server: new URL(access.server).href,
    call: async <T>(call: ApiCall) => JSON.parse((await ask(call)).text) as T, // as the API's documentation says
    text: async (call) => (await ask(call)).text,
    stream: async (call, until) => {
      const { status, headers, body } = await caller.open(call, AbortSignal.any([signal, until]));
      if (status < 300) return body as AsyncIterable<Buffer>; // no encoding is set: it is bytes
      const refusal = new ApiRefusal(status, await beginningOf(body), headers["retry-after"]);
      if (status === 401) caller.forgetLogin();
      throw refusal;
    },
    close: () => caller.close(),
  };
}

/** One sender for each client certificate, because its connections use it. */
function openCaller({ server, tls, proxyEnv, login }: ClusterAccess) {
  const origin = new URL(server);
  let known: KubeLogin | undefined;
  let transport: Transport | undefined;
  const sign = async (): Promise<{ who: KubeLogin; over: Transport }> => {
    const who = known !== undefined && known.untilMs > Date.now() ? known : await login();
    if (transport === undefined || who.cert !== known?.cert || who.key !== known?.key) {
      transport?.close();
      transport = open(who);
    }
    known = who;
    return { who, over: transport };
  };
  const open = ({ cert, key }: KubeLogin): Transport => {
    const options = { keepAlive: true, maxSockets: 16, timeout: 90_000, proxyEnv };
    const certificates = { ...tls, ...(cert && { cert }), ...(key && { key }) };
    const agent =
      origin.protocol === "https:"
        ? new https.Agent({ ...options, ...certificates })
        : new http.Agent(options);
    return { origin, agent, close: () => agent.destroy() };
  };
  let signing: ReturnType<typeof sign> | undefined;
  const prepare = async (
    call: ApiCall,
    signal: AbortSignal,
  ): Promise<[over: Transport, sending: Sending]> => {
    // Concurrent requests share one call of the plugin.
    const { who, over } = await (signing ??= sign().finally(() => (signing = undefined)));
    const query = call.query === undefined ? "" : `?${new URLSearchParams(call.query).toString()}`;
    const sending = {
      method: call.method,
      path: call.path + query,
      headers: headersOf(call, who),
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      timeoutMs: call.timeoutMs ?? usualTimeoutMs,
      signal,
      mostBytes: call.mostBytes ?? usualMostBytes,
    };
    return [over, sending];
  };
  return {
    send: async (call: ApiCall, signal: AbortSignal): Promise<Received> =>
      await send(...(await prepare(call, signal))),
    open: async (call: ApiCall, signal: AbortSignal): Promise<Opened> =>
      await sendForBody(...(await prepare(call, signal))),
    forgetLogin: () => void (known = undefined),
    close: () => transport?.close(),
  };
}

const mostRefusalBytes = 65_536;

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const chunk of body) {
    text += chunk.toString("utf8");
    if (text.length >= mostRefusalBytes) break;
  }
  return text;
}

function headersOf(call: ApiCall, { token, basic }: KubeLogin): Record<string, string> {
  const authorization = token ? `Bearer ${token}` : basic ? `Basic ${basic}` : undefined;
  return {
    accept: call.accept ?? "application/json",
    "user-agent": "svc-agent",
    ...(call.body !== undefined && { "content-type": call.contentType ?? "application/json" }),
    ...(authorization !== undefined && { authorization }),
  };
}

async function attempt(act: () => Promise<Received>): Promise<Received | Unanswered> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Unanswered) return error;
    throw error;
  }
}

const refusalOf = ({ status, text, headers }: Received): ApiRefusal =>
  new ApiRefusal(status, text, headers["retry-after"]);

/** A conflict of two writers may pass with a retry; a conflict of field managers does not. */
function isWorthRepeating(error: Error): boolean {
  if (error instanceof TooLong) return false;
  if (!(error instanceof ApiRefusal)) return !isHopeless(error.message);
  const isOfManagers = error.causes.some(({ reason }) => reason === "FieldManagerConflict");
  if (isOfSchema(error)) return false;
  if (error.status === 409) return error.reason === "Conflict" && !isOfManagers;
  return error.status === 401 || repeated.includes(error.status);
}

/** Errors of certificates and names do not pass with a retry. */
const isHopeless = (words: string): boolean => /CERT|SELF_SIGNED|ENOTFOUND|ERR_TLS/.test(words);

function told(error: Error, { server }: ClusterAccess): Error {
  if (error instanceof ApiRefusal) {
    if (error.status !== 401) return error;
    return deployFailure(`The cluster ${server} does not accept the credentials (401).`, "auth");
  }
  const words = `The cluster does not answer: ${error.message.replace(/\.$/, "")}.`;
  return deployFailure(words, "network");
}
