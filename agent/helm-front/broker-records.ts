import { backoffMs, retryAfterMs } from "../client/backoff.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { openTransport } from "../client/network.ts";
import { pause } from "../client/pause.ts";
import { type Opened, type Received, send, sendForBody, type Transport } from "../client/send.ts";
import { eachRecord, mostRecordBytes } from "./each-record.ts";
import { FrontRefusal } from "./status-answer.ts";

export type RecordPlace = { readonly namespace: string; readonly key: string };

/** Helm's release records at the broker. A refusal is thrown as FrontRefusal; while the broker is away, calls are retried. */
export type BrokerRecords = {
  /** The records with these labels, streamed: one is in memory at a time. */
  readonly list: (namespace: string, labels: Readonly<Record<string, string>>) => AsyncGenerator;
  /** The record; undefined if there is none. */
  readonly read: (place: RecordPlace) => Promise<unknown>;
  /** False if one of that name exists. */
  readonly create: (place: RecordPlace, record: string) => Promise<boolean>;
  /** False if none of that name exists. */
  readonly replace: (place: RecordPlace, record: string) => Promise<boolean>;
  readonly remove: (place: RecordPlace) => Promise<boolean>;
  readonly close: () => void;
};

type Ask = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string;
};
type Head = Pick<Received, "status" | "headers">;
type Anew = { readonly isAnew: boolean };
type Answer = Pick<Received, "status" | "text">;

/** Long enough for a broker to restart without a failed release. */
const patienceMs = 240_000;
const tryMs = 60_000;

/** How to reach the broker, and the signal that ends waiting for it. */
export type RecordsWay = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly caFile?: string | undefined;
  readonly signal?: AbortSignal;
};

/** Opens the broker's records for one job. */
export function openBrokerRecords(
  { url, token, chartId }: Readonly<Record<"url" | "token" | "chartId", string>>,
  { env, caFile, signal = new AbortController().signal }: RecordsWay,
): BrokerRecords {
  const transport = openTransport({ brokerUrl: url, caFile, env });
  const headers = { authorization: `Bearer ${token}`, "user-agent": "svc-agent helm-front" };
  const base = `/v1/helm-releases/${encodeURIComponent(chartId)}/releases`;
  const at = ({ namespace, key }: RecordPlace): string =>
    `${base}/${encodeURIComponent(namespace)}/${encodeURIComponent(key)}`;
  const { ask, open } = openAsking({ transport, headers, signal });
  const read = async (place: RecordPlace): Promise<unknown> => {
    const answer = await ask({ method: "GET", path: at(place) });
    return isAbsent(answer) ? undefined : JSON.parse(goodText(answer));
  };
  return {
    list: (namespace, labels) => {
      const query = new URLSearchParams(labels).toString();
      const path = `${base}/${encodeURIComponent(namespace)}/query?${query}`;
      return eachRecord({ open: () => open(path), silenceMs: tryMs, patienceMs, signal });
    },
    read,
    create: async (place, record) => {
      const answer = await ask({ method: "POST", path: at(place), body: record });
      if (answer.status !== 409) return goodText(answer) !== undefined;
      // An earlier attempt may have succeeded and its answer been lost.
      const found = JSON.stringify(await read(place));
      return found === JSON.stringify(JSON.parse(record));
    },
    replace: async (place, record) => {
      const answer = await ask({ method: "PUT", path: at(place), body: record });
      return !isAbsent(answer) && goodText(answer) !== undefined;
    },
    remove: async (place) => {
      const answer = await ask({ method: "DELETE", path: at(place) });
      if (isAbsent(answer)) return answer.isAnew;
      return goodText(answer) !== undefined;
    },
    close: transport.close,
  };
}

type Asking = {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** Retries until there is an answer; `open` returns the unread body of a successful one. */
function openAsking({ transport, headers, signal }: Asking) {
  const until = async <A extends Head>(trying: () => Promise<A>): Promise<A & Anew> => {
    const endsAtMs = Date.now() + patienceMs;
    for (let nth = 0; ; nth++) {
      const answer = await trying().catch(asUnanswered);
      if (!(answer instanceof Unanswered) && !isBusy(answer)) return { ...answer, isAnew: nth > 0 };
      const asked = answer instanceof Unanswered ? undefined : askedMs(answer);
      const waitMs = backoffMs(nth, { fromMs: 250, mostMs: 10_000 }, asked);
      if (Date.now() + waitMs > endsAtMs) throw away(answer);
      await pause(waitMs, signal);
      signal.throwIfAborted();
    }
  };
  const ask = async ({ method, path, body }: Ask): Promise<Received & Anew> => {
    const typed = body === undefined ? headers : { ...headers, "content-type": "application/json" };
    const how = { timeoutMs: tryMs, mostBytes: mostRecordBytes, signal };
    // The transport must not repeat it: whether an attempt was made before has to be known here.
    const sending = { ...how, method, path, body, headers: typed, isSentOnce: true };
    return await until(() => send(transport, sending));
  };
  const open = async (path: string): Promise<Opened["body"]> => {
    const sending = { method: "GET", path, headers, timeoutMs: tryMs, signal };
    const { status, body } = await until(async () => {
      const opened = await sendForBody(transport, sending);
      if (isBusy(opened)) opened.body.destroy();
      return opened;
    });
    if (status >= 300) throw refusalOf({ status, text: await beginningOf(body) });
    return body;
  };
  return { ask, open };
}

function asUnanswered(error: unknown): Unanswered {
  if (error instanceof Unanswered) return error;
  throw error;
}

const isBusy = ({ status }: Head): boolean => status === 429 || status >= 500;

const askedMs = ({ headers }: Head): number | undefined =>
  retryAfterMs(headers["retry-after"], Date.now(), "others");

function away(answer: Head | Unanswered): FrontRefusal {
  const why = answer instanceof Unanswered ? answer.message : `Its status is ${answer.status}.`;
  return new FrontRefusal(500, `the broker, which keeps helm's releases, does not answer: ${why}`);
}

/** Tells a 404 for a chart that the job may not access from one for a missing record. */
const isAbsent = (answer: Received): boolean =>
  answer.status === 404 && problemOf(answer).code === "release_not_found";

function goodText(answer: Answer): string {
  if (answer.status < 300) return answer.text;
  throw refusalOf(answer);
}

function refusalOf(answer: Answer): FrontRefusal {
  const { detail } = problemOf(answer);
  const code = answer.status === 404 ? 403 : answer.status;
  return new FrontRefusal(code, `the broker refuses helm's release: ${detail || answer.status}`);
}

function problemOf({ text }: Answer): { readonly code?: string; readonly detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string }; // a problem document of the broker
  } catch {
    return {};
  }
}

const mostRefusalBytes = 65_536;

async function beginningOf(body: Opened["body"]): Promise<string> {
  let text = "";
  for await (const chunk of body as AsyncIterable<Buffer>) {
    text += chunk.toString("utf8");
    if (text.length >= mostRefusalBytes) break;
  }
  return text;
}
