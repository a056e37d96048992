import { setTimeout as pause } from "node:timers/promises";
import { Logger, run, type Runner, type RunnerOptions } from "graphile-worker";
import pg from "pg";
import type { Broker } from "../broker.ts";
import { repeat } from "../clocks/repeat.ts";
import type { Log } from "../log.ts";

export type RunningTasks = {
  /** Lets running tasks end their batch, and stops. */
  readonly stop: () => Promise<void>;
};

type Worker = {
  /** Of its loop, in logs. */
  readonly name: string;
  readonly stopped: AbortController;
  readonly options: Pick<RunnerOptions, "taskList" | "parsedCronItems"> & {
    readonly concurrency: number;
  };
};

const restartAfterMs = 5000;
const longestEndMs = 5000;

/**
 * Runs graphile-worker for these tasks, which gives each to one broker. It has a small pool of its own, so that no claim waits
 * for it, and is started again when it fails.
 */
export async function runWorker(
  { config, log }: Pick<Broker, "config" | "log">,
  { name, stopped, options: chosen }: Worker,
): Promise<RunningTasks> {
  const pool = openPool(config.databaseUrl, { max: chosen.concurrency + 1, log }); // one connection listens
  const options: RunnerOptions = {
    pgPool: pool,
    noHandleSignals: true,
    logger: loggerOf(log),
    ...chosen,
  };
  let runner: Runner | undefined = await run(options);
  const running = repeat({ signal: stopped.signal, log }, name, restartAfterMs, async () => {
    runner ??= await run(options);
    if (stopped.signal.aborted) await runner.stop();
    await runner.promise.finally(() => (runner = undefined));
  });
  return {
    stop: async () => {
      stopped.abort();
      await runner?.stop();
      await running;
      await Promise.race([pool.end(), pause(longestEndMs, undefined, { ref: false })]);
    },
  };
}

/**
 * graphile-worker does not wait for the end of a pool of its own, and hears nothing of its connections from then on: one that
 * is lost meanwhile would end the process.
 */
function openPool(url: string, { max, log }: { readonly max: number; readonly log: Log }): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  const onError = (error: Error): void =>
    log.warn({ err: error }, "a database connection of background work was lost");
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}

function loggerOf(log: Log): Logger {
  const levels = { error: "error", warning: "warn", info: "debug", debug: "trace" } as const;
  return new Logger((scope) => (level, message) => {
    log[levels[level]]({ worker: scope.label, task: scope.taskIdentifier }, message);
  });
}
