import { Logger, run, type Runner, type RunnerOptions } from "graphile-worker";
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

/**
 * Runs graphile-worker for these tasks, which gives each to one broker. It has a small pool of its own, so that no claim waits
 * for it, and is started again when it fails.
 */
export async function runWorker(
  { config, log }: Pick<Broker, "config" | "log">,
  { name, stopped, options: chosen }: Worker,
): Promise<RunningTasks> {
  const options: RunnerOptions = {
    connectionString: config.databaseUrl,
    maxPoolSize: chosen.concurrency + 1, // one connection listens
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
    },
  };
}

function loggerOf(log: Log): Logger {
  const levels = { error: "error", warning: "warn", info: "debug", debug: "trace" } as const;
  return new Logger((scope) => (level, message) => {
    log[levels[level]]({ worker: scope.label, task: scope.taskIdentifier }, message);
  });
}
