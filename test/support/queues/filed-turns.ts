import { createHmac } from "node:crypto";
import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import type { Seals } from "../../../broker/seals/seals.ts";
import { givenJob, givenProcess, givenRunner } from "../rows/given.ts";
import { jobState } from "../rows/job-state.ts";
import { emitterOf, givenEmitter, setEmitterPause } from "./given-emitters.ts";
import {
  aFollowUp,
  type GivenQueue,
  givenQueue,
  givenSignal,
  queueOf,
  signalStatus,
} from "./given-signals.ts";
import { givenTurn } from "./given-turns.ts";
import { jobTurns } from "./job-turns.ts";
import type { Receiver } from "./start-receiver.ts";

/** What a type's turn did, once its signal has ended. */
export type Expected = {
  readonly executions: number;
  /** Its effect was there, and was made again, or was sent again. */
  readonly isRepeated: boolean;
  /** What came after the kill was there when the turn was executed. */
  readonly isLateIncluded: boolean;
};

export type FiledTurn = {
  readonly id: string;
  /** Where its callback goes. */
  readonly followers: GivenQueue;
  /** After the kill. */
  readonly comesLate?: () => Promise<unknown>;
  /** What others do so that it ends. */
  readonly helps?: () => Promise<unknown>;
  readonly holds?: (expected: Expected) => Promise<unknown>;
};

type Parts = { readonly db: Db; readonly seals: Seals };

/** Expects that a signal ended as it should, and that its callback was made once. */
export async function expectEndedOnce(
  { db, seals }: Parts,
  filed: FiledTurn,
  expected: Expected,
): Promise<void> {
  const { executions } = expected;
  await filed.helps?.();
  const end = await jobTurns(db, seals).ended(filed.id);
  expect(end).toMatchObject({ status: "finished", executions });
  expect(await queueOf(db, filed.followers)).toMatchObject({ waiting: 1 });
  await filed.holds?.(expected);
}

/** A signal of a type whose turn leaves nothing to be looked at. */
export async function fileTurn(
  { db, seals }: Parts,
  queue: GivenQueue,
  type: string,
  contents: Readonly<Record<string, unknown>>,
): Promise<FiledTurn> {
  const followers = await givenQueue(db, { orgId: queue.orgId });
  const members = { callbacks: [aFollowUp(followers)] };
  return { id: await givenTurn(db, seals, { queue, type, contents, members }), followers };
}

/** A turn that enqueues one job, however often it is executed. */
export async function fileJob(parts: Parts, waitFor: "end" | "enqueue"): Promise<FiledTurn> {
  const { db, seals } = parts;
  const { awaited, finishes, jobsOf, takes } = jobTurns(db, seals);
  const runner = await givenRunner(db);
  const contents = { runner_id: runner.runnerId, type: "noop-deploy", wait_for: waitFor };
  const filed = await fileTurn(parts, await givenQueue(db, runner), "runner-job", contents);
  const helps = async (): Promise<void> => {
    const jobId = await awaited(filed.id);
    const taken = await takes({ runner, processId: await givenProcess(db, runner) });
    expect(taken.jobId).toBe(jobId);
    await finishes(runner, taken.executionId);
  };
  const holds = async (): Promise<void> => expect(await jobsOf(runner)).toHaveLength(1);
  return { ...filed, holds, ...(waitFor === "end" && { helps }) };
}

/** A turn that calls a receiver: each time with the same id, and signed. */
export async function fileCall(parts: Parts, receiver: Receiver): Promise<FiledTurn> {
  const { db } = parts;
  const secret = "0123456789abcdef";
  const contents = { url: `${receiver.url}/`, body: "a body", secret };
  const filed = await fileTurn(parts, await givenQueue(db), "http-call", contents);
  const signature = createHmac("sha256", secret).update("a body").digest("hex");
  const holds = ({ isRepeated }: Expected): void => {
    const calls = receiver.received.map(({ headers }) => [
      headers["webhook-id"],
      headers["x-svc-signature"],
    ]);
    expect(calls).toEqual(Array.from({ length: isRepeated ? 2 : 1 }, () => [filed.id, signature]));
  };
  return { ...filed, holds: async (expected) => holds(expected) };
}

const at = "2100-01-01T00:00:00Z";
const newYear = { cron_schedule: "0 0 1 1 *", next_tick_at: at, next_emit_at: at };

/** A turn that moves an emitter once, however often it is executed. */
export async function fileEmitterMove(
  parts: Parts,
  type: "emitter-start" | "emitter-stop",
): Promise<FiledTurn> {
  const { db } = parts;
  const queue = await givenQueue(db);
  const emitterId = await givenEmitter(db, queue, newYear);
  if (type === "emitter-start")
    await setEmitterPause(db, { org_id: queue.orgId, id: emitterId }, "pause");
  const filed = await fileTurn(parts, queue, type, { emitter_id: emitterId });
  const holds = async (): Promise<void> => {
    const status = type === "emitter-start" ? "active" : "paused";
    expect(await emitterOf(db, emitterId)).toMatchObject({ status });
    const moves = await db`
      select status from status_history where owner_id = ${emitterId} and description like ${`%${filed.id}%`}`;
    expect(moves).toEqual([{ status }]);
  };
  return { ...filed, holds };
}

/** A turn that ends what waits for a runner while it is executed. */
export async function fileFlushOfJobs(parts: Parts): Promise<FiledTurn> {
  const { db } = parts;
  const runner = await givenRunner(db);
  const jobIds = [await givenJob(db, runner)];
  const contents = { runner_id: runner.runnerId };
  const filed = await fileTurn(parts, await givenQueue(db, runner), "flush", contents);
  const comesLate = async () => jobIds.push(await givenJob(db, runner));
  const holds = async ({ isLateIncluded }: Expected): Promise<void> => {
    jobIds.push(await givenJob(db, runner));
    const states = await Promise.all(jobIds.map((id) => jobState(db, id)));
    const late = isLateIncluded ? "not-attempted" : "queued";
    expect(states.map(({ status }) => status)).toEqual(["not-attempted", late, "queued"]);
  };
  return { ...filed, comesLate, holds };
}

/** A turn that cancels what waits in a queue while it is executed. */
export async function fileFlushOfSignals(parts: Parts): Promise<FiledTurn> {
  const { db } = parts;
  const queue = await givenQueue(db);
  const target = await givenQueue(db, { orgId: queue.orgId });
  const ids = [await givenSignal(db, target)];
  const filed = await fileTurn(parts, queue, "flush", { queue_id: target.queueId });
  const comesLate = async () => ids.push(await givenSignal(db, target));
  const holds = async ({ isLateIncluded }: Expected): Promise<void> => {
    ids.push(await givenSignal(db, target));
    const statuses = await Promise.all(ids.map((id) => signalStatus(db, id)));
    expect(statuses).toEqual(["cancelled", isLateIncluded ? "cancelled" : "queued", "queued"]);
  };
  return { ...filed, comesLate, holds };
}
