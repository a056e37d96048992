import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import type { CollectorTarget } from "./collector-settings.ts";

export type Signal = "traces" | "metrics";
/** A request as it came: a collector gets the very same bytes. */
export type Export = {
  readonly type: string;
  readonly encoding: string | undefined;
  readonly body: Buffer;
};

/** Forwards telemetry to a collector; without one it does nothing. */
export type Collector = {
  /** Queues a request and never waits; when the queue is full, requests are dropped and counted. */
  readonly pass: (signal: Signal, request: Export) => void;
  /** Sends what is queued, for a limited time, and accepts no more. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly config: Pick<Config, "collector">;
  readonly metrics: Metrics;
  readonly log: Log;
};

const mostWaiting = { requests: 2048, bytes: 16 * 1024 * 1024 } as const;
const sendersAtOnce = 4;
const triesAtMost = 5;
const mostWaitMs = 30_000;
const stopMs = 3000;

/** One queue for each signal that has an endpoint. */
export function makeCollector({ config, metrics, log }: Parts): Collector {
  const passed = metrics.counter(
    "svc_telemetry_passed_total",
    "Telemetry requests for the collector, by outcome.",
  );
  const stopped = new AbortController();
  const count = (signal: Signal) => (result: string) => passed.add({ signal, result });
  const queueOf = (signal: Signal): Queue | undefined => {
    const where = config.collector[signal];
    if (where === undefined) return undefined;
    const target = { ...where, signal: stopped.signal };
    return makeQueue({ target, count: count(signal), log });
  };
  const queues = { traces: queueOf("traces"), metrics: queueOf("metrics") };
  const drained = async (): Promise<void> => {
    await queues.traces?.drained();
    await queues.metrics?.drained();
  };
  return {
    pass: (signal, request) => queues[signal]?.add(request),
    stop: async () => {
      const late = new AbortController();
      await Promise.race([drained(), pause(stopMs, undefined, { signal: late.signal })]);
      late.abort();
      stopped.abort();
    },
  };
}

type Target = CollectorTarget & { readonly signal: AbortSignal };
type Queue = {
  readonly add: (request: Export) => void;
  readonly drained: () => Promise<void>;
};

function makeQueue({
  target,
  count,
  log,
}: {
  readonly target: Target;
  readonly count: (result: string) => void;
  readonly log: Log;
}): Queue {
  const waiting: Export[] = [];
  let bytes = 0;
  let senders = 0;
  let idle = Promise.withResolvers<void>();
  idle.resolve();

  function add(request: Export): void {
    const isFull = waiting.length >= mostWaiting.requests;
    if (isFull || bytes + request.body.length > mostWaiting.bytes) return count("dropped");
    waiting.push(request);
    bytes += request.body.length;
    if (senders >= sendersAtOnce) return;
    if (senders++ === 0) idle = Promise.withResolvers();
    void sendAll();
  }

  async function sendAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      bytes -= next.body.length;
      const result = await send(target, next);
      count(result);
      if (result !== "sent") log.warn({ result }, "the collector did not accept telemetry");
    }
    if (--senders === 0) idle.resolve();
  }

  return { add, drained: () => idle.promise };
}

/** Sends one request; retryable failures are tried again with exponential backoff. Never rejects. */
async function send(target: Target, request: Export): Promise<"sent" | "refused" | "failed"> {
  for (let attempt = 1; attempt <= triesAtMost; attempt++) {
    const { status, waitMs } = await sendOnce(target, request);
    if (status >= 200 && status < 300) return "sent";
    if (status !== 0 && ![429, 502, 503, 504].includes(status)) return "refused";
    if (attempt === triesAtMost || target.signal.aborted) break;
    const pauseMs = 200 * 2 ** attempt * (0.5 + Math.random() / 2);
    await pause(Math.max(pauseMs, waitMs), undefined, { signal: target.signal }).catch(() => {}); // see the loop
  }
  return "failed";
}

type Answer = { readonly status: number; readonly waitMs: number };

/** The status, 0 without an answer, and how long the collector asks us to wait. */
async function sendOnce(target: Target, { type, encoding, body }: Export): Promise<Answer> {
  const headers = new Headers(target.headers);
  headers.set("content-type", type);
  if (encoding !== undefined) headers.set("content-encoding", encoding);
  const signal = AbortSignal.any([target.signal, AbortSignal.timeout(target.timeoutMs)]);
  try {
    const response = await fetch(target.url, {
      method: "POST",
      headers,
      body: new Uint8Array(body),
      signal,
      redirect: "manual", // the headers may hold a secret that is for this address only
    });
    await response.body?.cancel();
    return { status: response.status, waitMs: waitOf(response) };
  } catch {
    return { status: 0, waitMs: 0 };
  }
}

/** Retry-After in seconds; a date counts as none, and the value is capped. */
function waitOf({ headers }: Response): number {
  const asked = headers.get("retry-after") ?? "";
  return /^\d{1,9}$/.test(asked) ? Math.min(Number(asked) * 1000, mostWaitMs) : 0;
}
