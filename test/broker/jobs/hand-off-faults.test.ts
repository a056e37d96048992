import { setImmediate as settledTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import {
  givenAgent,
  givenSoundPolling,
  parked,
  type Polling,
  until,
} from "../../support/broker/given-polling.ts";
import { givenWaiting } from "../../support/broker/given-waiting.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { holdQueue } from "../../support/database/hold-queue.ts";
import { untilOneWaits } from "../../support/database/until-one-waits.ts";
import { rawRequest } from "../../support/network/raw-request.ts";
import { tcpProxy } from "../../support/network/tcp-proxy.ts";
import { givenJob } from "../../support/rows/given.ts";
import { jobsOnOffer, jobState } from "../../support/rows/job-state.ts";

const at = await givenSoundPolling();

/** A poll is parked, and an enqueue that claims for it waits for the lock of the queue. */
async function givenUnderWay({ polling = at, wait = "25s" } = {}) {
  const waiting = await givenWaiting(polling, { deploy: 20, sync: 20 });
  const { runner, enqueue, park } = waiting;
  const poll = await park({ wait, groups: { deploy: 1, sync: 1 } });
  const release = await holdQueue(polling.db, runner.runnerId);
  const enqueued = enqueue();
  await untilOneWaits(polling.db);
  return { ...waiting, poll, release, enqueued };
}

/** Ends the backend that enqueues for parked polls. */
async function killEnqueue(): Promise<void> {
  const killed = await at.db`
    select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like '%from enqueue_and_claim_jobs(%' and wait_event_type = 'Lock'`;
  expect(killed).toHaveLength(1);
}

test("a client that goes while an enqueue claims for it loses the job to the next, at no cost", async () => {
  const { here, runner, enqueue } = await givenWaiting(at);
  const gone = await givenAgent(at, { runner });
  const next = await givenAgent(at, { runner });
  const body = { process_id: gone.processId, groups: { deploy: 1 }, wait: "25s" };
  const path = `POST /v1/runners/${runner.runnerId}/jobs/claim`;
  const socket = await rawRequest(here.url, path, { token: gone.token, body });
  await parked(here, gone.processId);
  await here.broker.polls.dispatcher.settled();
  const release = await holdQueue(at.db, runner.runnerId);
  const enqueued = enqueue();
  await untilOneWaits(at.db);
  socket.destroy();
  await until(() => here.broker.polls.dispatcher.parked.ofProcess(gone.processId) === undefined);
  const answer = next.claim({ wait: "25s" });
  await parked(here, next.processId);
  await release();
  const { id } = (await enqueued).body;
  expect((await answer).body.jobs.map(({ job }) => job.id)).toEqual([id]);
  const { events, execution_count } = await jobState(at.db, id);
  expect({ events, execution_count }).toEqual({
    events: ["enqueue", "release", "claim", "return", "release", "claim"],
    execution_count: 1,
  });
});

test("who repeats a poll while an enqueue claims for it gets what was claimed", async () => {
  const { here, runner, enqueue } = await givenWaiting(at);
  const agent = await givenAgent(at, { runner });
  const older = agent.claim({ poll_id: "p1", wait: "25s" });
  await parked(here, agent.processId);
  await here.broker.polls.dispatcher.settled();
  const release = await holdQueue(at.db, runner.runnerId);
  const enqueued = enqueue();
  await untilOneWaits(at.db);
  const before = here.broker.polls.dispatcher.parked.ofProcess(agent.processId);
  const again = agent.claim({ poll_id: "p1", wait: "25s" });
  await until(() => {
    const now = here.broker.polls.dispatcher.parked.ofProcess(agent.processId);
    return now !== undefined && now !== before;
  });
  await release();
  expect((await older).body.jobs).toEqual([]);
  const { id } = (await enqueued).body;
  expect((await again).body.jobs.map(({ job }) => job.id)).toEqual([id]);
  expect((await jobState(at.db, id)).execution_count).toBe(1);
});

test("a poll whose time passes while an enqueue claims for it gets the job", async () => {
  const { here, enqueued, poll, release } = await givenUnderWay({ wait: "300ms" });
  const began = performance.now();
  await until(() => performance.now() - began > 600);
  expect(here.broker.polls.dispatcher.parked.ofProcess(poll.agent.processId)).toBeDefined();
  await release();
  expect(await poll.jobIds()).toEqual([(await enqueued).body.id]);
});

test("an enqueue whose backend dies fails as ever; its poll waits on, and hears of what came meanwhile", async () => {
  const { here, runner, poll, release, enqueued } = await givenUnderWay();
  const meanwhile = await givenJob(at.db, runner, { type: "noop-sync" });
  here.broker.wakes.notify([`queue:${runner.runnerId}`]);
  await settledTurn();
  await killEnqueue();
  expect((await enqueued).status).toBe(503);
  expect(await poll.jobIds()).toEqual([meanwhile]);
  await release();
  expect(await jobsOnOffer(at.db, runner.runnerId)).toEqual([]);
});

test("a lock that does not come free refuses the enqueue as ever; its poll is served by the next", async () => {
  const env = { SVC_LOCK_WAIT_MS: "300" };
  const hasty = await startBroker({ url: at.url, env });
  const polling = { ...at, brokers: [hasty, hasty] as const };
  const { enqueue, poll, release, enqueued } = await givenUnderWay({ polling });
  expect((await enqueued).status).toBe(429);
  expect(hasty.broker.polls.dispatcher.parked.ofProcess(poll.agent.processId)).toBeDefined();
  await release();
  const { body } = await enqueue();
  expect(await poll.jobIds()).toEqual([body.id]);
});

test("what was claimed by a statement whose answer was lost comes back by its clock", async () => {
  const own = await givenSoundPolling();
  const proxy = await tcpProxy(own.url);
  const behind = await startBroker({ url: proxy.url });
  const polling = { ...own, brokers: [behind, own.brokers[1]] as const };
  const { runner, poll, release, enqueued } = await givenUnderWay({ polling });
  proxy.cut("svc broker");
  expect((await enqueued).status).toBe(503);
  await release(); // nobody tells Postgres that the client is gone: it commits
  const claimed = await claimedOf(own, runner.runnerId);
  expect(behind.broker.polls.dispatcher.parked.ofProcess(poll.agent.processId)).toBeDefined();
  vi.mocked(behind.broker.polls.scan).mockRestore(); // it may be deaf for a moment: its pings were cut, too
  await advanceClock(own.db, "31 s");
  expect(await poll.jobIds()).toEqual([claimed]);
});

test("a broker that drains while an enqueue claims for its poll loses no job", async () => {
  const going = await startBroker({ url: at.url });
  const polling = { ...at, brokers: [going, at.brokers[1]] as const };
  const { runner, poll, release, enqueued, park } = await givenUnderWay({ polling });
  const stopped = going.stop();
  expect(await poll.jobIds()).toEqual([]);
  await release();
  expect((await enqueued).status).toBe(201);
  await stopped;
  const jobId = (await enqueued).body.id;
  let got: string[] = [];
  // Should it not have been given back by the one that went, it comes back within half a minute.
  await until(async () => {
    const next = await park({ broker: at.brokers[1], wait: "20s" });
    got = await next.jobIds();
    return got.length > 0;
  });
  expect(got).toEqual([jobId]);
  expect(await jobsOnOffer(at.db, runner.runnerId)).toEqual([]);
});

/** The one job of a runner, once it is claimed. */
async function claimedOf({ db }: Polling, runnerId: string): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    const [row] = await db<{ id: string }[]>`
      select id from runner_job_live where runner_id = ${runnerId} and status = 'in-progress'`;
    id = row?.id;
    return id !== undefined;
  });
  return id ?? "";
}
