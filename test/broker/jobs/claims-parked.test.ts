import { describe, expect, test } from "vitest";
import type { RunnerJob } from "../../../shared/api/runner-job.ts";
import {
  givenAgent,
  givenSoundPolling,
  givenWithdrawn,
  parked,
  parkedOf,
  type Polling,
  withoutScans,
} from "../../support/broker/given-polling.ts";
import { httpAgent } from "../../support/broker/http-agent.ts";
import { advanceClock, stopClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  type GivenRunner,
  givenJob,
  givenJobs,
  givenProcess,
  givenRunner,
} from "../../support/rows/given.ts";

const at = await givenSoundPolling();

const wake = ({ runnerId }: GivenRunner) =>
  at.brokers[0].broker.wakes.notify([`queue:${runnerId}`]);

describe("parked claims", () => {
  test("are served the longest-waiting first", async () => {
    const runner = await givenRunner(at.db, { parallelism: { deploy: 5 } });
    const order: string[] = [];
    const waiting: { processId: string; answer: Promise<unknown> }[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      const agent = await givenAgent(at, { runner });
      const { processId } = agent;
      waiting.push({
        processId,
        answer: agent.claim({ wait: "20s" }).then(() => order.push(processId)),
      });
      await parked(at.brokers[0], processId);
    }
    for (const { answer } of waiting) {
      await givenJob(at.db, runner);
      wake(runner);
      await answer;
    }
    expect(order).toEqual(waiting.map(({ processId }) => processId));
  });

  test("that came first get the job when several could: one is answered, the others sleep on", async () => {
    const runner = await givenRunner(at.db, { parallelism: { deploy: 20 } });
    const agents = [];
    for (let nth = 0; nth < 20; nth += 1) agents.push(await givenAgent(at, { runner }));
    const answers = agents.map((agent) => agent.claim({ wait: "25s" }));
    await parkedOf(at.brokers[0], runner.runnerId, 20);
    await givenJob(at.db, runner);
    wake(runner);
    await Promise.race(answers);
    expect(at.brokers[0].broker.polls.dispatcher.parked.countOfRunner(runner.runnerId)).toBe(19);
    // Each asks once more, which ends the claim that it has parked.
    const again = agents.map((agent) => agent.claim({ wait: "1ms" }));
    const bodies = await Promise.all([...answers, ...again]);
    expect(bodies.flatMap(({ body }) => body.jobs)).toHaveLength(1);
  });

  test("of a process end when it parks a newer one at another broker", async () => {
    const agent = await givenAgent(at);
    const { runner, token, processId } = agent;
    const elsewhere = httpAgent(at.brokers[1].call, { ...runner, processId, token });
    const older = agent.claim({ wait: "25s" });
    await parked(at.brokers[0], agent.processId);
    const newer = elsewhere.claim({ wait: "20s" }); // it would be gone when the older's wait is over
    expect((await older).body.jobs).toEqual([]);
    expect(at.brokers[1].broker.polls.dispatcher.parked.ofProcess(agent.processId)).toBeDefined();
    await Promise.all([newer, elsewhere.claim({ wait: "1ms" })]); // which ends it in turn
  });

  test("of a broker are answered by the wake-up of an enqueue at another", async () => {
    await withoutScans(at.brokers);
    const agent = await givenAgent(at, { at: at.brokers[1] });
    const admin = await givenToken(at.db, { orgId: agent.runner.orgId });
    const answer = agent.claim({ wait: "20s" });
    await parked(at.brokers[1], agent.processId);
    const enqueued = await at.brokers[0].call(`POST /v1/runners/${agent.runner.runnerId}/jobs`, {
      token: admin,
      body: { type: "noop-deploy" },
    });
    expect((await answer).body.jobs.map(({ job }) => job.id)).toEqual([enqueued.body["id"]]);
  });

  test("learn by a wake-up that a job ended elsewhere and freed their slot", async () => {
    await withoutScans(at.brokers);
    const busy = await givenAgent(at);
    const { runner } = busy;
    const idle = await givenAgent(at, { runner, at: at.brokers[1] });
    await at.db`update runner_group_settings set job_group_parallelism = '{"deploy":"1"}'`;
    await at.db`select refresh_runners(${[runner.runnerId]})`;
    const [, second] = await givenJobs(at.db, runner, [{}, {}]);
    const [held] = (await busy.claim({ wait: "20s" })).body.jobs;
    if (held === undefined) throw new Error("nothing was claimed");
    const answer = idle.claim({ wait: "20s" });
    await parked(at.brokers[1], idle.processId);
    await busy.finish(held);
    expect((await answer).body.jobs.map(({ job }) => job.id)).toEqual([second]);
  });
});

describe("a third-party poll", () => {
  async function setup({ db, brokers }: Polling = at) {
    const runner = await givenRunner(db, { groups: ["deploy"] });
    const processId = await givenProcess(db, runner, { isOurs: false, serves: null });
    const token = await givenToken(db, runner);
    const tail = (query: string, nth: 0 | 1 = 0) =>
      brokers[nth].call<RunnerJob[]>(`GET /v1/runners/${runner.runnerId}/jobs/tail${query}`, {
        token,
      });
    return { runner, processId, token, tail };
  }

  test("is shown a job, which stays available until it is claimed by name", async () => {
    const { runner, token, tail } = await setup();
    const jobId = await givenJob(at.db, runner);
    const { status, body } = await tail("?group=deploy&wait=5s");
    expect({ status, body }).toMatchObject({
      status: 200,
      body: [{ id: jobId, status: "available" }],
    });
    const path = `POST /v1/runner-jobs/${jobId}/executions`;
    const claimed = await at.brokers[1].call(path, { token, body: {} });
    expect(claimed).toMatchObject({ status: 201, body: { status: "pending" } });
    expect((await at.brokers[0].call(path, { token, body: {} })).status).toBe(409);
  });

  test("has a job to itself for two seconds, then the next is shown it", async () => {
    const own = await givenSoundPolling();
    await stopClock(own.db);
    const { runner, tail } = await setup(own);
    const { dispatcher } = own.brokers[0].broker.polls;
    const look = async (): Promise<void> => {
      dispatcher.look([runner.runnerId]);
      await dispatcher.settled();
    };
    const tails = [tail("?wait=25s"), tail("?wait=25s")];
    await parkedOf(own.brokers[0], runner.runnerId, 2);
    const jobId = await givenJob(own.db, runner);
    await look();
    expect(dispatcher.parked.countOfRunner(runner.runnerId)).toBe(1);
    await advanceClock(own.db, "2 s");
    await look();
    expect(dispatcher.parked.countOfRunner(runner.runnerId)).toBe(1);
    await advanceClock(own.db, "1 ms"); // now it is found without being looked for
    for (const { body } of await Promise.all(tails)) expect(body).toMatchObject([{ id: jobId }]);
  });

  test("is not shown what another broker's poll has been shown just now", async () => {
    const own = await givenSoundPolling();
    const { runner, tail } = await setup(own);
    await stopClock(own.db);
    await givenJob(own.db, runner);
    expect((await tail("?wait=5s", 0)).body).toHaveLength(1);
    await advanceClock(own.db, "2 seconds");
    expect((await tail("?wait=200ms", 1)).body).toEqual([]);
    await advanceClock(own.db, "1 millisecond");
    expect((await tail("?wait=10s", 1)).body).toHaveLength(1);
  });

  test("is answered [] when its wait is over, never before", async () => {
    const { tail } = await setup();
    const began = performance.now();
    const { status, body } = await tail("?group=deploy&wait=700ms");
    expect({ status, body }).toEqual({ status: 200, body: [] });
    expect(performance.now() - began).toBeGreaterThan(690);
  });

  test("of one group is not shown a job of another", async () => {
    const { runner, tail } = await setup();
    await givenJob(at.db, runner);
    expect((await tail("?group=sync&wait=200ms")).body).toEqual([]);
    expect((await tail("?group=any&wait=200ms")).body).toHaveLength(1);
  });

  test("brings a withdrawn job back", async () => {
    const { runner, tail } = await setup();
    const jobId = await givenWithdrawn(at, runner);
    expect((await tail("?group=deploy&wait=5s")).body).toMatchObject([{ id: jobId }]);
  });

  test("that let its two seconds pass does not keep a claim from the job", async () => {
    const { runner, tail } = await setup();
    const ours = await givenProcess(at.db, runner);
    const jobId = await givenJob(at.db, runner);
    await tail("?wait=5s");
    await at.db`update runner_job_live set offered_until = svc_now() - interval '1 ms' where id = ${jobId}`;
    expect(await claim(at.db, runner, { processId: ours })).toMatchObject([{ jobId }]);
  });

  test.each(["abc", "-", "5"])("with the wait %j is 400", async (wait) => {
    const { tail } = await setup();
    expect((await tail(`?wait=${wait}`)).status).toBe(400);
  });
});
