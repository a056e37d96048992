import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import {
  givenAgent,
  givenSoundPolling,
  givenWithdrawn,
  parked,
  parkedOf,
  until,
  untilListening,
  withoutScans,
} from "../../support/broker/given-polling.ts";
import { tcpProxy } from "../../support/network/tcp-proxy.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const at = await givenSoundPolling();

/** An agent that works and keeps one poll parked for orders only, at one of the brokers; nothing ends it but a wake-up. */
async function busyAgent(nth: 0 | 1) {
  await withoutScans(at.brokers);
  const agent = await givenAgent(at, { at: at.brokers[nth] });
  const admin = await givenToken(at.db, { orgId: agent.runner.orgId });
  await givenJob(at.db, agent.runner, { type: "noop-deploy", executionTimeout: 3_600e9 });
  const [held] = (await agent.claim({ wait: "20s" })).body.jobs;
  if (held === undefined) throw new Error("nothing was claimed");
  await agent.report(held, "in-progress");
  const waiting = agent.claim({ groups: {}, wait: "20s" });
  await parked(at.brokers[nth], agent.processId);
  const operator = (what: string, body: object = {}) =>
    at.brokers[0].call(what, { token: admin, body });
  return { agent, held, waiting, operator, runnerId: agent.runner.runnerId };
}

test("a parked claim gets a withdrawn job as soon as another's end frees the slot", async () => {
  const agent = await givenAgent(at);
  const withdrawn = await givenWithdrawn(at, agent.runner);
  await givenJob(at.db, agent.runner);
  const [held] = (await agent.claim({ wait: "20s" })).body.jobs;
  if (held === undefined) throw new Error("nothing was claimed");
  const waiting = agent.claim({ wait: "20s" });
  await parked(at.brokers[0], agent.processId);
  await agent.report(held, "failed");
  expect((await waiting).body.jobs).toMatchObject([{ job: { id: withdrawn } }]);
});

describe.each([0, 1] as const)("a poll for orders only, at broker %i", (nth) => {
  test("is not given jobs", async () => {
    const agent = await givenAgent(at, { at: at.brokers[nth] });
    await givenJob(at.db, agent.runner);
    expect((await agent.claim({ groups: {}, wait: "300ms" })).body.jobs).toEqual([]);
  });

  test("learns of a cancel by a wake-up", async () => {
    const { held, waiting, operator } = await busyAgent(nth);
    expect((await operator(`POST /v1/runner-jobs/${held.job.id}/cancel`)).status).toBe(202);
    expect((await waiting).body.orders).toMatchObject([
      { type: "cancel", execution_id: held.execution.id },
    ]);
  });

  test("learns by a wake-up that it is to drain", async () => {
    const { waiting, operator, runnerId } = await busyAgent(nth);
    expect((await operator(`POST /v1/runners/${runnerId}/graceful-shutdown`)).status).toBe(200);
    expect((await waiting).body.orders).toMatchObject([{ type: "drain" }]);
  });

  test("ends by a wake-up when settings changed", async () => {
    const { waiting, operator, runnerId } = await busyAgent(nth);
    const bystander = await givenAgent(at, { at: at.brokers[nth] });
    const shorter = bystander.claim({ groups: {}, wait: "15s" });
    const body = { job_group_parallelism: { deploy: "7" } };
    expect((await operator(`PATCH /v1/runners/${runnerId}/settings`, body)).status).toBe(200);
    const first = await Promise.race([
      waiting.then(() => "who is concerned"),
      shorter.then(() => "whose wait was over"),
    ]);
    expect(first).toBe("who is concerned");
    await bystander.claim({ groups: {}, wait: "1ms" });
    await shorter;
  });

  test("ends at once when settings changed before it came, and not again for the same", async () => {
    const { agent, waiting, operator, runnerId } = await busyAgent(nth);
    const { token } = agent;
    const first = await at.brokers[0].call(`GET /v1/runners/${runnerId}/settings`, { token });
    const known = { settings_version: Number(first.body["version"]) };
    const orders = async (wait: string) =>
      (await agent.claim({ groups: { sync: 1 }, wait, ...known })).body.orders;
    expect(await orders("1ms")).toEqual([]); // it ends the one that was parked
    await waiting;
    const body = { job_group_parallelism: { deploy: "8" } };
    const changed = await operator(`PATCH /v1/runners/${runnerId}/settings`, body);
    const version = known.settings_version + 1;
    expect(changed).toMatchObject({ status: 200, body: { version } });
    await until(() => at.brokers[nth].broker.polls.hasMissedWakeUp(agent.processId));
    at.brokers[nth].broker.polls.wakeForOrders(agent.processId); // as it was before we looked
    expect(await orders("20s")).toEqual([{ type: "settings", version }]);
    expect(await orders("1ms")).toEqual([]);
  });
});

const listeners = async (): Promise<number[]> => {
  const rows = await at.db<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'svc listen'`;
  return rows.map(({ pid }) => pid);
};

describe("a broker whose LISTEN connection", () => {
  test("was killed serves its polls all the same, and listens again", async () => {
    const agent = await givenAgent(at, { at: at.brokers[1] });
    const admin = await givenToken(at.db, { orgId: agent.runner.orgId });
    const answer = agent.claim({ wait: "20s" });
    await parked(at.brokers[1], agent.processId);
    const before = await listeners();
    const telling = vi.spyOn(at.brokers[0].broker.wakes, "notify").mockReturnValue(); // to the deaf
    onTestFinished(() => telling.mockRestore());
    await at.db`select pg_terminate_backend(pid) from unnest(${before}::int[]) pid`;
    const path = `POST /v1/runners/${agent.runner.runnerId}/jobs`;
    await at.brokers[0].call(path, { token: admin, body: { type: "noop-deploy" } });
    expect((await answer).body.jobs).toHaveLength(1);
    await until(async () => {
      const now = await listeners();
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
  });

  test("is black-holed serves its polls all the same, notices, and opens another", async () => {
    const proxy = await tcpProxy(at.url);
    const deaf = await startBroker({ url: proxy.url });
    onTestFinished(() => deaf.stop());
    await untilListening([deaf]);
    const opened = proxy.count("svc listen");
    const agent = await givenAgent(at, { at: deaf });
    const admin = await givenToken(at.db, { orgId: agent.runner.orgId });
    const answer = agent.claim({ wait: "20s" });
    await parked(deaf, agent.processId);
    proxy.blackHole("svc listen");
    const path = `POST /v1/runners/${agent.runner.runnerId}/jobs`;
    await at.brokers[0].call(path, { token: admin, body: { type: "noop-deploy" } });
    expect((await answer).body.jobs).toHaveLength(1);
    await until(() => proxy.count("svc listen") > opened);
  });
});

describe("a broker that drains", () => {
  test("answers every parked poll at once, with nothing, and closes their connections", async () => {
    const going = await startBroker({ url: at.url });
    const agents = [];
    for (let nth = 0; nth < 5; nth += 1) agents.push(await givenAgent(at, { at: going }));
    const runner = agents[0]?.runner ?? { runnerId: "", orgId: "" };
    const token = await givenToken(at.db, runner);
    const claims = agents.map((agent) => agent.claim({ wait: "25s" }));
    const tail = going.call(`GET /v1/runners/${runner.runnerId}/jobs/tail`, { token });
    await parkedOf(going, runner.runnerId, 2);
    await until(() => going.broker.polls.dispatcher.parked.size === 6);
    let isStopped = false;
    const stopped = going.stop().then(() => (isStopped = true));
    const answers = await Promise.all(claims);
    expect(isStopped).toBe(false);
    for (const { status, headers, body } of answers) {
      expect({ status, jobs: body.jobs }).toEqual({ status: 200, jobs: [] });
      expect(headers.get("connection")).toBe("close");
    }
    expect((await tail).body).toEqual([]);
    await stopped;
  });

  test("loses no job that was enqueued meanwhile", async () => {
    const going = await startBroker({ url: at.url });
    const agent = await givenAgent(at, { at: going });
    const claimed = agent.claim({ wait: "25s" });
    await parked(going, agent.processId);
    const jobId = await givenJob(at.db, agent.runner);
    going.broker.wakes.notify([`queue:${agent.runner.runnerId}`]);
    await Promise.all([going.stop(), claimed]);
    let got = (await claimed).body.jobs.length;
    const next = await givenAgent(at, { runner: agent.runner });
    // Should it have been claimed for the one that went, it comes back within half a minute.
    await until(async () => {
      if (got === 0) got += (await next.claim({ wait: "20s" })).body.jobs.length;
      return got > 0;
    });
    expect(got).toBe(1);
    expect((await jobState(at.db, jobId)).status).toBe("in-progress");
  });
});
