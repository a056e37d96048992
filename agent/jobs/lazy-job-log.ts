import { pause } from "../client/pause.ts";
import type { JobLog, JobLogSpec } from "../logs/job-log.ts";
import type { ChildOutput } from "../processes/child.ts";
import type { StoredExecution } from "./stored-execution.ts";

/** A job's log that is opened at the first line, so that a silent job costs nothing. */
export type LazyJobLog = Pick<JobLog, "write" | "close"> & {
  /** Never rejects: output that cannot be read or stored after all retries is read to its end and dropped. */
  readonly pipe: JobLog["pipe"];
  /** Starts to send what was written so far, without waiting for it. */
  readonly sendOff: () => void;
  /** The last line with severity error. */
  readonly lastError: () => string | undefined;
};

const tries = 5;
const firstPauseMs = 100;

/** Opens the log when it is first needed; lines keep their order. `onFault` gets the errors. */
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
        opening = undefined; // the next write tries again
        throw error;
      },
    ));

  /** Retries from where it stopped: the log records how far the output was read. */
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

/** Read and discard, so that the child is not blocked. */
async function drop(output: ChildOutput): Promise<void> {
  for await (const { bytes, offset } of output) output.release(offset + bytes.length);
}

/** Identifies the log of a stored execution. */
export function logSpec(state: StoredExecution): JobLogSpec {
  const { id, type, log_stream_id } = state.job;
  const attributes = {
    "runner_job.id": id,
    "runner_job.type": type,
    "runner_job_execution.id": state.execution_id,
  };
  return { executionId: state.execution_id, streamId: log_stream_id ?? id, attributes };
}
