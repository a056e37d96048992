import { connect, type Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import type { Topic } from "./wakes.ts";

const pingMs = 5_000;
const answerMs = 3_000;
const retryLeastMs = 250;
const retryMostMs = 10_000;

export type Listening = {
  readonly isConnected: () => boolean;
  readonly stop: () => Promise<void>;
};

export type Ears = {
  readonly url: string;
  readonly brokerId: string;
  readonly log: Log;
  /** Other brokers' topics. */
  readonly onTopics: (changed: readonly Topic[]) => void;
  /** A token or account changed; the payload is its id. */
  readonly onTokens: (payload: string) => void;
  /** Called when listening (again), after a time in which anything may have been missed; and when it is lost. */
  readonly onChange: (isConnected: boolean) => void;
};

/**
 * The broker's one LISTEN connection. A half-open socket stays silent for ever, so the broker notifies itself
 * every 5 s through another connection; 3 s without hearing it, and the connection is thrown away for a new one.
 */
export function startListening(db: Db, ears: Ears): Listening {
  let isStopped = false;
  let isConnected = false;
  let wake = (): void => {};
  const running = run();

  async function run(): Promise<void> {
    let failures = 0;
    while (!isStopped) {
      const heardFor = await listenUntilDeaf();
      if (isStopped) return;
      failures = heardFor ? 0 : failures + 1;
      await pause(Math.min(retryMostMs, retryLeastMs * 2 ** failures) * (0.5 + Math.random() / 2));
    }
  }

  /** One connection's life; true when it had worked. */
  async function listenUntilDeaf(): Promise<boolean> {
    const connection = connect(ears.url, { applicationName: "svc-listen", max: 1 });
    let onPing = (): void => {};
    const hear = (payload: string): void => {
      const [from, ...changed] = payload.split("\n");
      if (from !== ears.brokerId) ears.onTopics(changed as Topic[]); // only brokers notify here
      else if (changed[0] === "ping") onPing();
    };
    try {
      await within(connection.listen("svc_wake", hear));
      await within(connection.listen("svc_tokens", ears.onTokens));
      setConnected(true);
      while (!isStopped) {
        await within(
          Promise.all([
            new Promise<void>((resolve) => (onPing = resolve)),
            db`select pg_notify('svc_wake', ${`${ears.brokerId}\nping`})`,
          ]),
        );
        await pause(pingMs);
      }
    } catch (error) {
      if (!isStopped) ears.log.warn({ err: error }, "the LISTEN connection went deaf; opening another");
    }
    const worked = isConnected;
    setConnected(false);
    await connection.end({ timeout: 0 });
    return worked;
  }

  function setConnected(now: boolean): void {
    if (isConnected === now) return;
    isConnected = now;
    ears.onChange(now);
  }

  function pause(ms: number): Promise<void> {
    if (isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  return {
    isConnected: () => isConnected,
    stop: async () => {
      isStopped = true;
      wake();
      await running;
    },
  };
}

/** Rejects when the promise takes longer than a healthy connection would. */
async function within<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${answerMs} ms`)), answerMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
