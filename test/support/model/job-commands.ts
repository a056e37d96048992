import type fc from "fast-check";
import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { expectSoundQueues } from "../database/expect-sound-queues.ts";
import { claim, type GivenRunner, givenJob, report } from "../rows/given.ts";
import type { Cause, JobModel, ModelClocks } from "./job-model.ts";

export type Real = { readonly db: Db; readonly runner: GivenRunner; readonly alive: string[] };
export type Command = fc.AsyncCommand<JobModel, Real>;

/** A command is what it does and says it causes; after it, everything that happened must be explained. */
export function command(
  words: string,
  act: (model: JobModel, real: Real) => Promise<Cause>,
): Command {
  return {
    check: () => true,
    toString: () => words,
    run: async (model, real) => {
      const cause = await act(model, real);
      await model.follow(real.db, real.runner.runnerId, cause);
      await expectSoundQueues(real.db);
    },
  };
}

/** Nothing but what clocks and free slots do by themselves. */
export const nothing: Cause = {};
/** One of them, whichever number comes. */
export const pick = <Item>(items: readonly Item[], at: number): Item | undefined =>
  items[at % Math.max(1, items.length)];
/** The database's own time. */
export const dbNow = async (db: Db): Promise<number> => {
  const [row] = await db<{ now: Date }[]>`select svc_now() as now`;
  return row?.now.getTime() ?? 0;
};

export const enqueue = (clocks: ModelClocks): Command =>
  command(`enqueue ${JSON.stringify(clocks)}`, async (model, { db, runner }) => {
    const id = await givenJob(db, runner, {
      queueTimeout: clocks.queueMs * 1e6,
      availableTimeout: clocks.availableMs * 1e6,
      executionTimeout: clocks.executionMs * 1e6,
      overallTimeout: clocks.overallMs * 1e6,
      maxExecutions: clocks.maxExecutions,
    });
    const fresh = { createdAt: 0, statusAt: 0, attempts: 0, execution: null };
    model.jobs.set(id, { ...clocks, ...fresh, id, status: "queued" });
    return nothing;
  });

export const take = (who: number, want: number): Command =>
  command(`claim ${want}`, async (_, { db, runner, alive }) => {
    const processId = pick(alive, who);
    if (processId === undefined) return nothing;
    const claimed = await claim(db, runner, { processId, want });
    expect(claimed.length).toBeLessThanOrEqual(want);
    return { claimedBy: processId };
  });

export const say = (which: number, status: string): Command =>
  command(`report ${status}`, async (model, { db, runner }) => {
    const execution = pick(model.executions, which);
    if (execution === undefined) return nothing;
    const { outcome, event } = model.judge(execution, status, await dbNow(db));
    expect(await report(db, runner, { executionId: execution.executionId, status })).toBe(outcome);
    if (outcome !== "ok") return nothing;
    execution.status = status;
    execution.isConfirmed = true;
    return event === undefined ? nothing : { expected: new Map([[execution.jobId, event]]) };
  });

export const result = (which: number): Command =>
  command("result", async (model, { db, runner }) => {
    const execution = pick(model.executions, which);
    if (execution === undefined) return nothing;
    const { executionId } = execution;
    expect(await report(db, runner, { executionId, result: { success: true } })).toBe("ok");
    execution.hasResult = true;
    execution.isConfirmed = true;
    return nothing;
  });

export const giveBack = (which: number): Command =>
  command("give back", async (model, { db, runner }) => {
    const execution = pick(model.executions, which);
    if (execution === undefined) return nothing;
    const isOpen = execution.endedBy === null;
    const isEarly = execution.status === "pending" || execution.status === "initializing";
    const outcome = await report(db, runner, {
      executionId: execution.executionId,
      giveBack: true,
    });
    expect(outcome === "ok").toBe(isOpen && isEarly);
    return isOpen && isEarly ? { expected: new Map([[execution.jobId, "return"]]) } : nothing;
  });
