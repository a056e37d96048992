import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { type TestBroker, startBroker } from "../../support/broker/broker.ts";
import { type HttpAgent, httpAgent } from "../../support/broker/http-agent.ts";
import { testDatabase } from "../../support/database/database.ts";
import { expectSoundQueues } from "../../support/database/expect-sound-queues.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  type GivenRunner,
  givenJobs,
  givenProcess,
  givenRunner,
} from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

let db: Db;
let brokers: TestBroker[];
beforeAll(async () => {
  const database = await testDatabase();
  db = database.db;
  const env = { SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" };
  brokers = [
    await startBroker({ url: database.url, env }),
    await startBroker({ url: database.url, env }),
  ];
});
afterEach(async () => {
  await expectSoundQueues(db);
});

/** Agents of one runner, each its own process, spread over both brokers. */
async function givenAgents(runner: GivenRunner, count: number): Promise<HttpAgent[]> {
  const token = await givenToken(db, runner);
  const agents: HttpAgent[] = [];
  for (let at = 0; at < count; at += 1) {
    const processId = await givenProcess(db, runner);
    const broker = brokers[at % brokers.length];
    if (broker !== undefined) agents.push(httpAgent(broker.call, { ...runner, processId, token }));
  }
  return agents;
}

/** Lets agents work until all these jobs are over; answers the most that ever ran at once, as the agents saw it. */
async function work(
  agents: readonly HttpAgent[],
  jobIds: readonly string[],
  onFinish: (done: number, running: number) => Promise<void> | void = () => {},
): Promise<number> {
  const running = new Set<string>();
  const done = new Set<string>();
  let most = 0;
  await Promise.all(
    agents.map(async (agent) => {
      while (done.size < jobIds.length) {
        const { body } = await agent.claim({ wait: "300ms" });
        for (const claimed of body.jobs) {
          running.add(claimed.job.id);
          most = Math.max(most, running.size);
          expect((await agent.report(claimed, "in-progress")).status).toBe(200);
          expect(done).not.toContain(claimed.job.id);
          done.add(claimed.job.id);
          running.delete(claimed.job.id); // before we say so: its slot may be free from now on
          expect((await agent.finish(claimed)).status).toBe(200);
          await onFinish(done.size, running.size);
        }
      }
    }),
  );
  return most;
}

const setParallelism = async (runner: GivenRunner, slots: number): Promise<void> => {
  await db`
    update runner_group_settings set job_group_parallelism = ${db.json({ deploy: String(slots) })}
     where runner_group_id = ${runner.groupId}`;
  await db`select refresh_runners(${[runner.runnerId]})`;
};
const setPaused = async ({ runnerId }: GivenRunner, paused: boolean): Promise<void> => {
  await db`update runners set paused_at = case when ${paused} then svc_now() end where id = ${runnerId}`;
  await db`select refresh_runners(${[runnerId]})`;
};

test("ten processes that claim ten jobs at once get one each", async () => {
  const runner = await givenRunner(db, { parallelism: { deploy: 10 } });
  const agents = await givenAgents(runner, 10);
  const jobIds = await givenJobs(
    db,
    runner,
    Array.from({ length: 10 }, () => ({})),
  );
  const answers = await Promise.all(agents.map((agent) => agent.claim({ wait: "25s" })));
  const got = answers.map(({ body }) => body.jobs.map(({ job }) => job.id));
  expect(got.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 1));
  expect(got.flat().toSorted()).toEqual(jobIds.toSorted());
});

test("twenty that claim at once never exceed a parallelism of three", async () => {
  const runner = await givenRunner(db, { parallelism: { deploy: 3 } });
  const agents = await givenAgents(runner, 20);
  await givenJobs(
    db,
    runner,
    Array.from({ length: 20 }, () => ({})),
  );
  const got: string[] = [];
  const take = async (agent: HttpAgent, wait: string): Promise<void> => {
    const { body } = await agent.claim({ wait });
    got.push(...body.jobs.map(({ job }) => job.id));
  };
  const waiting = agents.map((agent) => take(agent, "25s"));
  await expect.poll(() => got.length).toBeGreaterThanOrEqual(3);
  // Each asks once more, which ends the claim that it has parked.
  await Promise.all([...waiting, ...agents.map((agent) => take(agent, "1ms"))]);
  expect(got).toHaveLength(3);
  const claims = await db`
    select from runner_job_events where runner_id = ${runner.runnerId} and event = 'claim'`;
  expect(claims).toHaveLength(3);
});

test("twenty that work off sixty jobs over two brokers keep to it all along", async () => {
  const runner = await givenRunner(db, { parallelism: { deploy: 3 } });
  const agents = await givenAgents(runner, 20);
  const jobIds = await givenJobs(
    db,
    runner,
    Array.from({ length: 60 }, () => ({})),
  );
  expect(await work(agents, jobIds)).toBe(3);
  for (const id of jobIds) {
    const { events } = await jobState(db, id);
    // A claim whose poll has just ended is given back: it is claimed once more than it is returned.
    const count = (event: string) => events.filter((one) => one === event).length;
    expect(count("claim")).toBe(count("return") + 1);
    expect(events.at(-1)).toBe("finish");
  }
});

test("one process is the bound, too: no more than it offers", async () => {
  const runner = await givenRunner(db, { parallelism: { deploy: 10 } });
  const [agent] = await givenAgents(runner, 1);
  await givenJobs(db, runner, [{}, {}, {}]);
  const answer = await agent?.claim({ groups: { deploy: 10 } });
  expect(answer?.body.jobs).toHaveLength(1);
});

describe("while claims are under way", () => {
  test("a lowered setting holds from the next end on", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 4 } });
    const agents = await givenAgents(runner, 8);
    const jobIds = await givenJobs(
      db,
      runner,
      Array.from({ length: 40 }, () => ({})),
    );
    const after: number[] = [];
    let lowering: Promise<void> | undefined;
    await work(agents, jobIds, async (done, running) => {
      // Each of the eight waits for the change: when twenty have ended, it is made.
      if (done >= 10) await (lowering ??= setParallelism(runner, 1));
      if (done > 25) after.push(running); // whoever ran at the change has finished
    });
    expect(after.length).toBeGreaterThan(0);
    expect(Math.max(...after)).toBeLessThanOrEqual(1);
  });

  test("settings that go up and down lose no job and free no slot twice", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 3 } });
    const agents = await givenAgents(runner, 10);
    const jobIds = await givenJobs(
      db,
      runner,
      Array.from({ length: 60 }, () => ({})),
    );
    const most = await work(agents, jobIds, async (done) => {
      if (done % 3 === 0) await setParallelism(runner, 1 + (done % 4));
      if (done % 10 === 0) await expectSoundQueues(db);
    });
    expect(most).toBeLessThanOrEqual(4);
  });

  test("a pause takes back what nobody has claimed and lets what runs go on", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 3 } });
    const agents = await givenAgents(runner, 6);
    const jobIds = await givenJobs(
      db,
      runner,
      Array.from({ length: 30 }, () => ({})),
    );
    let isPaused = false;
    await work(agents, jobIds, async (done) => {
      if (done < 10 || isPaused) return;
      isPaused = true;
      await setPaused(runner, true);
      const [agent] = agents;
      const answer = await agent?.claim({ wait: "100ms" });
      expect(answer?.body.jobs).toEqual([]);
      await setPaused(runner, false);
    });
    expect(isPaused).toBe(true);
  });

  test("processes that shut down take their slots with them", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 10 } });
    const agents = await givenAgents(runner, 6);
    await givenJobs(
      db,
      runner,
      Array.from({ length: 12 }, () => ({ maxExecutions: 9 })),
    );
    const claims = Promise.all(agents.map((agent) => agent.claim()));
    for (const { processId } of agents.slice(3)) {
      await db`select process_goes_down(${processId}, 'shut-down', '')`;
    }
    await claims;
    await expectSoundQueues(db);
    const [row] = await db<{ in_use: number; slots: number }[]>`
      select in_use, slots from runner_queues where runner_id = ${runner.runnerId} and job_group = 'deploy'`;
    expect(row).toMatchObject({ slots: 3 });
  });
});
