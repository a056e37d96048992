import { afterEach, describe, expect, test } from "vitest";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { beginTurn } from "../../../broker/signals/turns/queries.ts";
import { runRunnerJob } from "../../../broker/signals/turns/runner-job.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";
import { givenTurn } from "../../support/queues/given-turns.ts";
import { jobTurns } from "../../support/queues/job-turns.ts";
import { givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { broker } = await startBroker({ url });
const { seals } = broker;
const { ended, awaited, jobsOf, takes, finishes } = jobTurns(db, seals);

afterEach(async () => {
  await expectSoundSignals(db);
  await expectSoundQueues(db);
});

describe("an execution that was lost after it enqueued its job", () => {
  /** Does by hand what a broker does up to there; it is filed as one that is held, so that no broker does it. */
  async function lostExecution(end: (jobId: string, orgId: OrgId) => Promise<void>) {
    const runner = await givenRunner(db);
    const queue = await givenQueue(db, { orgId: runner.orgId });
    const contents = {
      runner_id: runner.runnerId,
      type: "noop-deploy",
      wait_for: "end",
      available_timeout: 3_600_000_000_000, // it is on offer for longer than the lease
    } as const;
    const id = await givenTurn(db, seals, {
      queue,
      type: "runner-job",
      contents,
      members: { runs: "hold", task: "nobody" },
    });
    await db`update queue_signal_live set runs = 'task', deadline_at = svc_now() + interval '60 s' where id = ${id}`;
    await db`update queue_signals set runs = 'task', task = 'run-signal' where id = ${id}`;
    const [live] = await db<
      { lease_id: string }[]
    >`select lease_id from queue_signal_live where id = ${id}`;
    const lease = { orgId: queue.orgId, signalId: id, leaseId: live?.lease_id ?? "" };
    const own = { leaseId: crypto.randomUUID(), beginner: "broker 1" };
    const begun = await beginTurn(db, lease, own);
    if (begun === undefined) throw new Error("the turn did not begin");
    const { signal } = new AbortController();
    const turn = {
      ...lease,
      leaseId: own.leaseId,
      type: begun.type,
      actorId: "acc_1",
      attempt: begun.attempt,
      jobId: undefined,
      text: JSON.stringify(contents),
      signal,
    };
    const outcome = await runRunnerJob(broker, turn, { ...contents });
    if (outcome.event !== "await-job") throw new Error("it waits for no job");
    await end(outcome.jobId, queue.orgId);
    await advanceClock(db, "61 s");
    const processId = await givenProcess(db, runner);
    return { id, runner, processId, jobId: outcome.jobId };
  }

  test("leaves the job to the next execution", async () => {
    const given = await lostExecution(async () => {});
    expect(await awaited(given.id)).toBe(given.jobId);
    expect(await jobsOf(given.runner)).toEqual([given.jobId]);
    const claimed = await takes(given);
    await finishes(given.runner, claimed.executionId);
    expect(await ended(given.id)).toMatchObject({ status: "finished", executions: 2 });
  });

  test("leaves its end, too", async () => {
    const given = await lostExecution(async (jobId, orgId) => {
      await db`select end_jobs(${orgId}, ${[jobId]}, 'cancel', 'by somebody')`;
    });
    expect(await ended(given.id)).toMatchObject({
      status: "dead",
      executions: 2,
      result: { job_id: given.jobId },
    });
    expect(await jobsOf(given.runner)).toEqual([given.jobId]);
  });
});
