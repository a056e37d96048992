import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import type { Seals } from "../../../broker/seals/seals.ts";
import { claim, type GivenRunner, report } from "../rows/given.ts";
import { awaitedJob, endOfSignal, type EndedSignal } from "./given-turns.ts";

/** What tests do with signals whose turns are runner jobs. */
export type JobTurns = {
  /** How a signal ended, once it has. */
  readonly ended: (id: string) => Promise<EndedSignal | undefined>;
  /** The job that a signal waits for, once it does. */
  readonly awaited: (id: string) => Promise<string>;
  readonly jobsOf: (runner: GivenRunner) => Promise<string[]>;
  /** A process takes the runner's next job, and has it in progress. */
  readonly takes: (given: Taking) => Promise<{ jobId: string; executionId: string }>;
  readonly finishes: (runner: GivenRunner, executionId: string) => Promise<unknown>;
};
type Taking = { readonly runner: GivenRunner; readonly processId: string };

/** Plays the runners of signals' jobs. */
export function jobTurns(db: Db, seals: Seals): JobTurns {
  return {
    ended: async (id) => {
      await expect.poll(async () => await endOfSignal(db, seals, id)).toBeDefined();
      return await endOfSignal(db, seals, id);
    },
    awaited: (id) => awaitedJob(db, id),
    jobsOf: async ({ runnerId }) => {
      const rows = await db<{ id: string }[]>`
        select id from runner_jobs where runner_id = ${runnerId} order by id`;
      return rows.map(({ id }) => id);
    },
    takes: async ({ runner, processId }) => {
      const [claimed] = await claim(db, runner, { processId });
      if (claimed === undefined) throw new Error("nothing was claimed");
      await report(db, runner, { executionId: claimed.executionId, status: "in-progress" });
      return claimed;
    },
    finishes: (runner, executionId) =>
      report(db, runner, { executionId, status: "finished", result: { success: true } }),
  };
}
