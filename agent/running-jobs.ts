import type { RunningJob } from "./running-job.ts";

/** The executions that an agent holds at present. */
export type RunningJobs = {
  /** Keeps the job until it is done. */
  readonly add: (job: RunningJob) => void;
  readonly get: (executionId: string) => RunningJob | undefined;
  readonly all: () => readonly RunningJob[];
  /** The number of jobs in a group. */
  readonly count: (group: string) => number;
  /** Calls the listener after each change; returns how to stop that. */
  readonly onChange: (listener: () => void) => () => void;
  /** Resolves when no job is left; at once if there is none. */
  readonly empty: () => Promise<void>;
};

/** Makes an empty set of running jobs. */
export function makeRunningJobs(): RunningJobs {
  const held = new Map<string, RunningJob>();
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const onChange = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    add(job) {
      held.set(job.executionId, job);
      changed();
      void job.done.then(() => {
        held.delete(job.executionId);
        changed();
      });
    },
    get: (executionId) => held.get(executionId),
    all: () => [...held.values()],
    count: (group) => [...held.values()].filter((job) => job.group === group).length,
    onChange,
    empty: () =>
      new Promise((resolve) => {
        if (held.size === 0) return resolve();
        const leave = onChange(() => {
          if (held.size > 0) return;
          leave();
          resolve();
        });
      }),
  };
}
