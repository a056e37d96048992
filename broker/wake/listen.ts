import { repeat } from "../clocks/repeat.ts";
import { runningTimer } from "../clocks/running-timer.ts";
import { connect, type Db } from "../database/connect.ts";
import { watchReconnects } from "../database/driver-workarounds.ts";
import type { Log } from "../log.ts";
import type { Topic } from "./wakes.ts";

const ping = "ping";
const pingMs = 5_000;
const answerMs = 3_000;
const retryMs = 1_000;

export type Listening = {
  readonly isConnected: () => boolean;
  readonly stop: () => Promise<void>;
};

export type ListenHandlers = {
  readonly url: string;
  readonly brokerId: string;
  readonly log: Log;
  /** Another broker's topics; none for a ping. */
  readonly onTopics: (changed: readonly Topic[]) => void;
  /** A token or account changed; the payload is its id. */
  readonly onTokens: (payload: string) => void;
  /** Called when the connection is lost and when it is up again, after which anything may have been missed. */
  readonly onChange: (isConnected: boolean) => void;
};

/**
 * The broker's one LISTEN connection. A half-open socket stays silent for ever, so the broker notifies itself
 * every 5 s through another connection; if that does not arrive within 3 s, it opens a new connection.
 */
export function startListening(db: Db, ears: ListenHandlers): Listening {
  const stopped = new AbortController();
  const { signal } = stopped;
  let isConnected = false;
  const setConnected = (now: boolean): void => {
    if (isConnected === now) return;
    isConnected = now;
    ears.onChange(now);
  };
  const running = repeat({ signal, log: ears.log }, "listen", retryMs, async () => {
    const line = openLine(ears);
    try {
      await line.opened;
      setConnected(true);
      await line.untilDeaf(db, signal);
    } finally {
      setConnected(false);
      await line.close();
    }
  });
  return {
    isConnected: () => isConnected,
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

type Line = {
  readonly opened: Promise<void>;
  /** Resolves when the signal aborts; rejects when the connection's own pings do not arrive any more. */
  readonly untilDeaf: (db: Db, signal: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
};

function openLine({ url, brokerId, onTopics, onTokens }: ListenHandlers): Line {
  const connection = connect(url, { applicationName: "svc listen", max: 1 });
  let onPing: (() => void) | undefined;
  const { onListen, onReopened } = watchReconnects();
  const hear = (payload: string): void => {
    const [from, ...changed] = payload.split("\n");
    if (from === brokerId) onPing?.();
    else onTopics(changed.filter((topic) => topic !== ping) as Topic[]); // brokers alone notify on this channel
  };
  const sendPing = (db: Db): Promise<unknown> => {
    const heard = new Promise<void>((resolve) => (onPing = resolve));
    return Promise.all([heard, db`select pg_notify('svc_wake', ${`${brokerId}\n${ping}`})`]);
  };
  return {
    opened: within(
      connection
        .listen("svc_wake", hear, onListen)
        .then(() => connection.listen("svc_tokens", onTokens)),
    ).then(() => {}),
    untilDeaf: async (db, signal) => {
      await within(sendPing(db));
      const pinging = new AbortController();
      await new Promise<void>((resolve, reject) => {
        onReopened(() => reject(new Error("LISTEN connection restored after an interruption")));
        const timer = setInterval(() => void within(sendPing(db)).catch(reject), pingMs);
        pinging.signal.addEventListener("abort", () => clearInterval(timer));
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { signal: pinging.signal });
      }).finally(() => pinging.abort());
    },
    close: () => connection.end({ timeout: 0 }),
  };
}

/** Rejects when the promise takes longer than a healthy connection would. */
async function within<T>(promise: Promise<T>): Promise<T> {
  const time = runningTimer(answerMs);
  const late = time.over.then(() => {
    throw new Error(`no answer within ${answerMs} ms`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    time.stop();
  }
}
