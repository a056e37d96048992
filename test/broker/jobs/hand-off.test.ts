import { describe, expect, test } from "vitest";
import {
  givenAgent,
  givenSoundPolling,
  parkedOf,
  withoutScans,
} from "../../support/broker/given-polling.ts";
import { givenWaiting } from "../../support/broker/given-waiting.ts";
import { givenJob } from "../../support/rows/given.ts";
import { jobsOnOffer, jobState } from "../../support/rows/job-state.ts";

const at = await givenSoundPolling();

/** How many transactions wrote the job's events so far. */
async function transactionsOf(jobId: string): Promise<number> {
  const [row] = await at.db<{ n: number }[]>`
    select count(distinct tx)::int as n from runner_job_events where runner_job_id = ${jobId}`;
  return row?.n ?? 0;
}

const handedOff = ["enqueue", "release", "claim"];

describe("a job for which a poll is parked where it is enqueued", () => {
  test("is claimed in the enqueue's transaction; the enqueue is answered as ever", async () => {
    const { enqueue, park } = await givenWaiting(at);
    const waiting = await park();
    const { status, body } = await enqueue();
    expect({ status, body }).toMatchObject({ status: 201, body: { status: "available" } });
    const [claimed] = await waiting.claimed();
    expect(claimed).toMatchObject({
      job: { id: body.id, status: "in-progress" },
      execution: { status: "pending" },
      plan: { a: 1 },
    });
    expect((await jobState(at.db, body.id)).events).toEqual(handedOff);
    expect(await transactionsOf(body.id)).toBe(1);
  });

  test("comes with a token that opens its execution", async () => {
    const { here, enqueue, park } = await givenWaiting(at);
    const waiting = await park();
    await enqueue();
    const [claimed] = await waiting.claimed();
    const path = `/v1/runner-jobs/${claimed?.job.id}/executions/${claimed?.execution.id}`;
    const body = { status: "initializing" };
    const answer = await here.call(`PATCH ${path}`, { token: claimed?.token ?? "", body });
    expect(answer.status).toBe(200);
  });

  test("goes to who waits longest; the others wait on in their order", async () => {
    const { enqueue, park } = await givenWaiting(at);
    const polls = [await park(), await park(), await park()];
    const order: unknown[] = [];
    for (const { answer, agent } of polls) void answer.then(() => order.push(agent.processId));
    for (const { jobIds } of polls) {
      const { body } = await enqueue();
      expect(await jobIds()).toEqual([body.id]);
      expect(await transactionsOf(body.id)).toBe(1);
    }
    expect(order).toEqual(polls.map(({ agent }) => agent.processId));
  });

  test("is one poll's of many", async () => {
    const { here, runner, enqueue, park } = await givenWaiting(at);
    const polls = [];
    for (let nth = 0; nth < 20; nth += 1) polls.push(await park());
    await enqueue();
    await polls[0]?.answer;
    await here.broker.polls.dispatcher.settled();
    await parkedOf(here, runner.runnerId, 19);
    await Promise.all(polls.map(({ end }) => end()));
    const jobs = await Promise.all(polls.map(({ jobIds }) => jobIds()));
    expect(jobs.flat()).toHaveLength(1);
  });

  test("waits for a slot where the queue has none, and the poll for it", async () => {
    const { here, runner, enqueue, park } = await givenWaiting(at, { deploy: 1 });
    const busy = await park();
    await enqueue();
    const [held] = await busy.claimed();
    if (held === undefined) throw new Error("nothing was claimed");
    const waiting = await park();
    const second = await enqueue();
    expect(second.body.status).toBe("queued");
    expect(here.broker.polls.dispatcher.parked.countOfRunner(runner.runnerId)).toBe(1);
    await busy.agent.finish(held);
    expect(await waiting.jobIds()).toEqual([second.body.id]);
  });

  test("is not taken before an older one that is on offer", async () => {
    const { runner, enqueue, park } = await givenWaiting(at);
    const waiting = await park();
    const older = await givenJob(at.db, runner); // whose wake-up is lost
    const { body } = await enqueue();
    expect(await waiting.jobIds()).toEqual([older]);
    expect(await jobsOnOffer(at.db, runner.runnerId)).toEqual([body.id]);
  });
});

describe("a batch", () => {
  test("gives each poll as much as it wants, and is shown to other brokers where some is left", async () => {
    const { runner, enqueueBatch, park } = await givenWaiting(at);
    const three = await park({ groups: { deploy: 3 } });
    const one = await park();
    const elsewhere = await park({ broker: at.brokers[1], groups: { deploy: 5 } });
    const { body } = await enqueueBatch(...Array.from({ length: 6 }, () => "noop-deploy"));
    const ids = body.jobs.map(({ id }) => id);
    expect(await three.jobIds()).toEqual(ids.slice(0, 3));
    expect(await one.jobIds()).toEqual(ids.slice(3, 4));
    expect(await elsewhere.jobIds()).toEqual(ids.slice(4));
    expect(await jobsOnOffer(at.db, runner.runnerId)).toEqual([]);
  });

  test("of several groups is given by group, in each to who waits longest", async () => {
    const { enqueueBatch, park } = await givenWaiting(at, { deploy: 9, sync: 9 });
    const syncs = await park({ groups: { sync: 1 } });
    const both = await park({ groups: { deploy: 1, sync: 1 } });
    const deploys = await park({ groups: { deploy: 1 } });
    const types = ["noop-deploy", "noop-sync", "noop-deploy", "noop-sync"];
    const { body } = await enqueueBatch(...types);
    const [deploy1, sync1, deploy2, sync2] = body.jobs.map(({ id }) => id);
    expect(await syncs.jobIds()).toEqual([sync1]);
    expect(new Set(await both.jobIds())).toEqual(new Set([deploy1, sync2]));
    expect(await deploys.jobIds()).toEqual([deploy2]);
  });

  test("of groups that nobody waits for disturbs no poll", async () => {
    const { here, runner, enqueueBatch, park } = await givenWaiting(at, { deploy: 9, sync: 9 });
    const waiting = await park({ groups: { deploy: 1 } });
    await enqueueBatch("noop-sync", "noop-sync");
    await here.broker.polls.dispatcher.settled();
    expect(here.broker.polls.dispatcher.parked.countOfRunner(runner.runnerId)).toBe(1);
    await waiting.end();
    expect(await waiting.jobIds()).toEqual([]);
  });
});

describe("a poll is handed nothing", () => {
  test("by a repetition of an enqueue", async () => {
    const { runner, enqueue, park } = await givenWaiting(at);
    const first = await park();
    const { body } = await enqueue("key-1");
    expect(await first.jobIds()).toEqual([body.id]);
    const second = await park();
    const again = await enqueue("key-1");
    expect(again.body).toMatchObject({ id: body.id, status: "in-progress" });
    await second.end();
    expect(await second.jobIds()).toEqual([]);
    expect(await jobsOnOffer(at.db, runner.runnerId)).toEqual([]);
    expect((await jobState(at.db, body.id)).events).toEqual(handedOff);
  });

  test("by an enqueue that is refused, and waits on for the next", async () => {
    const { runner, enqueue, park } = await givenWaiting(at);
    const waiting = await park();
    const setLifecycle = (lifecycle: string) =>
      at.db`update runners set lifecycle = ${lifecycle} where id = ${runner.runnerId}`;
    await setLifecycle("disabled");
    expect((await enqueue()).status).toBe(409);
    await setLifecycle("enabled");
    const { body } = await enqueue();
    expect(await waiting.jobIds()).toEqual([body.id]);
  });

  test("where its process is to drain: the next one gets the job", async () => {
    const { enqueue, park } = await givenWaiting(at);
    const drains = await park();
    const next = await park();
    await at.db`update runner_processes set draining = 'graceful' where id = ${drains.agent.processId}`;
    const { body } = await enqueue();
    expect(await next.jobIds()).toEqual([body.id]);
    await drains.end();
    expect(await drains.jobIds()).toEqual([]);
  });

  test("by an enqueue at another broker while one waits there", async () => {
    const { enqueue, park } = await givenWaiting(at);
    const far = await park({ broker: at.brokers[1] });
    const near = await park();
    const first = await enqueue();
    expect(await near.jobIds()).toEqual([first.body.id]);
    const second = await enqueue(); // nobody waits here any more: it is told
    expect(await far.jobIds()).toEqual([second.body.id]);
  });
});

test("a claim that the database refuses costs no enqueue: the job stays on offer, the poll parked", async () => {
  const own = await givenSoundPolling();
  const { here, runner, enqueue, park } = await givenWaiting(own);
  const waiting = await park();
  await own.db.unsafe(`
    alter table runner_job_executions add constraint none check (false) not valid`);
  const { status, body } = await enqueue();
  expect(status).toBe(201);
  await here.broker.polls.dispatcher.settled();
  expect(await jobsOnOffer(own.db, runner.runnerId)).toEqual([body.id]);
  await own.db.unsafe("alter table runner_job_executions drop constraint none");
  here.broker.wakes.notify([`queue:${runner.runnerId}`]);
  expect(await waiting.jobIds()).toEqual([body.id]);
});

test("jobs that two brokers take in and hand off are each claimed once, whoever else looks", async () => {
  await withoutScans(at.brokers);
  const { runner, enqueue } = await givenWaiting(at, { deploy: 100 });
  const jobs = 120;
  const claimed: string[] = [];
  const isOver = (): boolean => claimed.length >= jobs;
  const work = async (nth: number): Promise<void> => {
    const agent = await givenAgent(at, { runner, at: at.brokers[nth % 2 === 0 ? 0 : 1] });
    while (!isOver()) {
      const { body } = await agent.claim({ wait: "1s", poll_id: crypto.randomUUID() });
      for (const one of body.jobs) {
        claimed.push(one.job.id);
        await agent.finish(one);
      }
    }
  };
  const working = Array.from({ length: 8 }, (_, nth) => work(nth));
  const looking = (async () => {
    while (!isOver()) {
      for (const { broker } of at.brokers) broker.polls.dispatcher.look([runner.runnerId]);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const enqueued: string[] = [];
  for (let nth = 0; nth < jobs; nth += 4) {
    const some = [0, 1, 0, 1].map((broker) => enqueue(undefined, at.brokers[broker]));
    enqueued.push(...(await Promise.all(some)).map(({ body }) => body.id));
  }
  await Promise.all([...working, looking]);
  expect(claimed.toSorted()).toEqual(enqueued.toSorted());
  const rows = await at.db<{ event: string; n: number }[]>`
    select event, count(*)::int as n from runner_job_events where runner_id = ${runner.runnerId} group by 1 order by 1`;
  expect(rows).toEqual(
    ["claim", "enqueue", "finish", "release"].map((event) => ({ event, n: jobs })),
  );
});
