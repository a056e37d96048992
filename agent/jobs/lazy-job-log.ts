import { pause } from "../client/pause.ts";
import type { JobLog, JobLogSpec } from "../logs/job-log.ts";
import type { ChildOutput } from "../processes/child.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** A job's log that is opened when something is to be written: a job that says nothing costs nothing. */
export type LazyJobLog = Pick<JobLog, "write" | "close"> & {
  /** Never rejects: an output that cannot be read or kept, however often it is tried, is read to its end and dropped. */
  readonly pipe: JobLog["pipe"];
  /** Sends what was written so far, while the job is cleaned up; nobody waits for it. */
  readonly sendOff: () => void;
  /** The error that was written last. */
  readonly lastError: () => string | undefined;
};

const tries = 5;
const firstPauseMs = 100;

/** Opens the log at the first need; lines keep their order. `onFault` is told what stands in the way. */
export function makeLazyJobLog(
  open: () => Promise<JobLog>,
  onFault: (error: unknown) => void,
): LazyJobLog {
  let opening: Promise<JobLog> | undefined;
  let log: JobLog | undefined;
  let lastError: string | undefined;
  const early: Parameters<JobLog["write"]>[] = [];
  const opened = (): Promise<JobLog> =>
    (opening ??= open().then(
      (made) => {
        for (const line of early.splice(0)) made.write(...line);
        return (log = made);
      },
      (error: unknown) => {
        opening = undefined; // whoever writes next tries again
        throw error;
      },
    ));

  /** Gone on with where it stopped: what was read is in the log, with how far that was. */
  async function pipe(...[source, output, signal]: Parameters<JobLog["pipe"]>): Promise<void> {
    for (let nth = 0; nth < tries; nth++) {
      try {
        const made = await opened();
        if (nth > 0) await made.flush();
        return await made.pipe(source, output, signal);
      } catch (error) {
        onFault(error);
        await pause(firstPauseMs * 2 ** nth);
      }
    }
    await drop(output).catch(onFault);
  }

  return {
    lastError: () => lastError,
    write(...line) {
      const [text, severity] = line;
      if (severity === "error") lastError = text;
      if (log !== undefined) return log.write(...line);
      early.push(line);
      opened().catch(() => {}); // whoever closes it is told
    },
    pipe,
    sendOff: () => void log?.sendOff().catch(() => {}), // whoever closes it is told
    close: async () =>
      opening === undefined && early.length === 0
        ? { lastRecord: 0 }
        : await (await opened()).close(),
  };
}

/** A child must not wait for a reader. */
async function drop(output: ChildOutput): Promise<void> {
  for await (const { bytes, offset } of output) output.release(offset + bytes.length);
}

/** Whose log it is. */
export function logSpec(state: StoredExecution): JobLogSpec {
  const { id, type, log_stream_id } = state.job;
  const attributes = {
    "runner_job.id": id,
    "runner_job.type": type,
    "runner_job_execution.id": state.execution_id,
  };
  return { executionId: state.execution_id, streamId: log_stream_id ?? id, attributes };
}
