import type { JobLog } from "../logs/job-log.ts";

/** A job's log that is opened when something is to be written: a job that says nothing costs nothing. */
export type LazyJobLog = Pick<JobLog, "write" | "pipe" | "close">;

/** Opens the log at the first need; lines keep their order. */
export function makeLazyJobLog(open: () => Promise<JobLog>): LazyJobLog {
  let opening: Promise<JobLog> | undefined;
  let log: JobLog | undefined;
  const early: Parameters<JobLog["write"]>[] = [];
  const opened = (): Promise<JobLog> =>
    (opening ??= open().then((made) => {
      for (const line of early.splice(0)) made.write(...line);
      return (log = made);
    }));
  return {
    write(...line) {
      if (log !== undefined) return log.write(...line);
      early.push(line);
      opened().catch(() => {}); // whoever closes it is told
    },
    pipe: async (source, output) => await (await opened()).pipe(source, output),
    close: async () => (opening === undefined ? { lastRecord: 0 } : await (await opening).close()),
  };
}
