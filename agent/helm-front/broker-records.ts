import { backoffMs, retryAfterMs } from "../client/backoff.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { openTransport } from "../client/network.ts";
import { pause } from "../client/pause.ts";
import { type Received, send } from "../client/send.ts";
import { FrontRefusal } from "./status-answer.ts";

export type RecordPlace = { readonly namespace: string; readonly key: string };

/** Helm's records at the broker. What it refuses is thrown as FrontRefusal; while it is away it is asked again. */
export type BrokerRecords = {
  readonly list: (
    namespace: string,
    labels: Readonly<Record<string, string>>,
  ) => Promise<readonly unknown[]>;
  /** The record; undefined where there is none. */
  readonly read: (place: RecordPlace) => Promise<unknown>;
  /** False where there is one of that name. */
  readonly create: (place: RecordPlace, record: string) => Promise<boolean>;
  /** False where there is none of that name. */
  readonly replace: (place: RecordPlace, record: string) => Promise<boolean>;
  readonly remove: (place: RecordPlace) => Promise<boolean>;
  readonly close: () => void;
};

type Ask = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string;
};
type Answer = Received & { readonly isAnew: boolean };

/** A broker that is started anew costs no release. */
const patienceMs = 240_000;
const tryMs = 60_000;
/** Eleven revisions, each as long as may be. */
const mostBytes = 192 * 2 ** 20;

/** The way to the broker, and the signal that ends waiting for it. */
export type RecordsWay = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly caFile?: string | undefined;
  readonly signal?: AbortSignal;
};

/** Speaks to the broker for one job. */
export function openBrokerRecords(
  { url, token, chartId }: Readonly<Record<"url" | "token" | "chartId", string>>,
  { env, caFile, signal = new AbortController().signal }: RecordsWay,
): BrokerRecords {
  const transport = openTransport({ brokerUrl: url, caFile, env });
  const headers = { authorization: `Bearer ${token}`, "user-agent": "svc-agent helm-front" };
  const base = `/v1/helm-releases/${encodeURIComponent(chartId)}/releases`;
  const at = ({ namespace, key }: RecordPlace): string =>
    `${base}/${encodeURIComponent(namespace)}/${encodeURIComponent(key)}`;
  const ask = async ({ method, path, body }: Ask): Promise<Answer> => {
    const endsAtMs = Date.now() + patienceMs;
    // Whether it was asked before has to be known here.
    const sending = { method, path, body, timeoutMs: tryMs, mostBytes, signal, isSentOnce: true };
    const typed = body === undefined ? headers : { ...headers, "content-type": "application/json" };
    for (let nth = 0; ; nth++) {
      const answer = await send(transport, { ...sending, headers: typed }).catch(asUnanswered);
      if (!(answer instanceof Unanswered) && !isBusy(answer)) return { ...answer, isAnew: nth > 0 };
      const asked = answer instanceof Unanswered ? undefined : askedMs(answer);
      const waitMs = backoffMs(nth, { fromMs: 250, mostMs: 10_000 }, asked);
      if (Date.now() + waitMs > endsAtMs) throw away(answer);
      await pause(waitMs, signal);
      signal.throwIfAborted();
    }
  };
  const read = async (place: RecordPlace): Promise<unknown> => {
    const answer = await ask({ method: "GET", path: at(place) });
    return isAbsent(answer) ? undefined : JSON.parse(goodText(answer));
  };
  return {
    list: async (namespace, labels) => {
      const query = new URLSearchParams(labels).toString();
      const path = `${base}/${encodeURIComponent(namespace)}/query?${query}`;
      return JSON.parse(goodText(await ask({ method: "GET", path }))) as unknown[];
    },
    read,
    create: async (place, record) => {
      const answer = await ask({ method: "POST", path: at(place), body: record });
      if (answer.status !== 409) return goodText(answer) !== undefined;
      // A try before it may have come through, and its answer have been lost.
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

function asUnanswered(error: unknown): Unanswered {
  if (error instanceof Unanswered) return error;
  throw error;
}

const isBusy = ({ status }: Received): boolean => status === 429 || status >= 500;

const askedMs = ({ headers }: Received): number | undefined =>
  retryAfterMs(headers["retry-after"], Date.now(), "others");

function away(answer: Received | Unanswered): FrontRefusal {
  const why = answer instanceof Unanswered ? answer.message : `It says ${answer.status}.`;
  return new FrontRefusal(500, `the broker, which keeps helm's releases, does not answer: ${why}`);
}

/** A chart that the job may not reach is another 404 than a record that is not there. */
const isAbsent = (answer: Received): boolean =>
  answer.status === 404 && problemOf(answer).code === "release_not_found";

function goodText(answer: Received): string {
  if (answer.status < 300) return answer.text;
  const { detail } = problemOf(answer);
  const code = answer.status === 404 ? 403 : answer.status;
  throw new FrontRefusal(code, `the broker refuses helm's release: ${detail || answer.status}`);
}

function problemOf({ text }: Received): { readonly code?: string; readonly detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string }; // a problem of the broker's
  } catch {
    return {};
  }
}
