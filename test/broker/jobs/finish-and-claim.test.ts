import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { finishAndClaim } from "../../support/broker/finish-and-claim.ts";
import {
  givenAgent,
  givenSoundPolling,
  parked,
  parkedOf,
  type PollingAgent,
  until,
  untilListening,
} from "../../support/broker/given-polling.ts";
import type { ClaimedJob } from "../../support/broker/http-agent.ts";
import { givenJob, givenProcess } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const at = await givenSoundPolling();
const [broker, elsewhere] = at.brokers;

const wake = ({ runner }: PollingAgent) => broker.broker.wakes.notify([`queue:${runner.runnerId}`]);

/** An agent that holds a job. */
async function setup(given: Parameters<typeof givenAgent>[1] = {}) {
  const agent = await givenAgent(at, given);
  return { agent, held: await holding(agent) };
}

async function holding(agent: PollingAgent): Promise<ClaimedJob> {
  await givenJob(at.db, agent.runner);
  const [held] = (await agent.claim({ wait: "20s" })).body.jobs;
  if (held === undefined) throw new Error("nothing was claimed");
  return held;
}

const eventsOf = async (jobId: string) => (await jobState(at.db, jobId)).events;

describe("a finish that is the next poll", () => {
  test("is answered when it is stored, and with the next job when there is one", async () => {
    const { agent, held } = await setup();
    const claim = { group: "deploy", wait: "20s", poll_id: "p1" };
    const poll = await finishAndClaim(broker, held, { token: agent.token, claim });
    expect(poll.type).toBe("application/x-ndjson");
    expect(await poll.line()).toMatchObject({
      execution: { id: held.execution.id, status: "finished" },
      job_status: "finished",
    });
    await parked(broker, agent.processId);
    const plan = '{\n  "text": "two\\nlines",\r\n  "n": 1\n}';
    const next = await givenJob(at.db, agent.runner, { plan });
    wake(agent);
    const { jobs, orders, now } = await poll.claim();
    expect(jobs).toMatchObject([{ job: { id: next }, plan: { text: "two\nlines", n: 1 } }]);
    expect([orders, typeof now]).toEqual([[], "string"]);
    expect(await poll.line()).toBeUndefined();
    expect(await eventsOf(next)).toEqual(["enqueue", "release", "claim"]);
  });

  test("takes what waits already, of several groups and with a large plan", async () => {
    const { agent, held } = await setup({ serves: { deploy: 1, sync: 1 } });
    const filling = "x".repeat(400_000);
    const ids = [
      await givenJob(at.db, agent.runner, { plan: JSON.stringify({ filling }) }),
      await givenJob(at.db, agent.runner, { type: "noop-sync" }),
    ];
    const claim = { groups: { deploy: 1, sync: 1 }, wait: "20s" };
    const poll = await finishAndClaim(broker, held, { token: agent.token, claim });
    await poll.line();
    const { jobs } = await poll.claim();
    expect(jobs.map(({ job }) => job.id).toSorted()).toEqual(ids.toSorted());
    expect(jobs.find(({ job }) => job.id === ids[0])?.plan).toEqual({ filling });
  });

  test("stands behind the polls that are parked already", async () => {
    const { agent, held } = await setup();
    const first = await givenAgent(at, { runner: agent.runner });
    const waiting = first.claim({ wait: "20s" });
    await parked(broker, first.processId);
    const claim = { group: "deploy", wait: "20s" };
    const poll = await finishAndClaim(broker, held, { token: agent.token, claim });
    await poll.line();
    await parkedOf(broker, agent.runner.runnerId, 2);
    const next = await givenJob(at.db, agent.runner);
    wake(agent);
    expect((await waiting).body.jobs.map(({ job }) => job.id)).toEqual([next]);
    await agent.claim({ wait: "1ms" }); // which ends it
    expect((await poll.claim()).jobs).toEqual([]);
  });

  test("replaces the process's parked claim, and is replaced by a newer one at another broker", async () => {
    const { agent, held } = await setup();
    const older = agent.claim({ groups: {}, wait: "25s" });
    await parked(broker, agent.processId);
    const poll = await finishAndClaim(elsewhere, held, {
      token: agent.token,
      claim: { group: "deploy" },
    });
    await poll.line();
    expect((await older).body.jobs).toEqual([]);
    await parked(elsewhere, agent.processId);
    await agent.claim({ wait: "1ms" });
    expect((await poll.claim()).jobs).toEqual([]);
  });

  test("brings orders", async () => {
    const { agent, held } = await setup({ serves: { deploy: 2 } });
    const second = await holding(agent);
    const poll = await finishAndClaim(broker, held, {
      token: agent.token,
      claim: { groups: { deploy: 1 }, wait: "20s", executions: [second.execution.id, "exe_gone"] },
    });
    await poll.line();
    const { orders } = await poll.claim();
    expect(orders.map(({ execution_id }) => execution_id)).toEqual(["exe_gone"]);
  });

  test("repeated with its poll_id gets the same jobs, however its answer was lost", async () => {
    const { agent, held } = await setup();
    const next = await givenJob(at.db, agent.runner);
    const ask = { token: agent.token, claim: { group: "deploy", wait: "20s", poll_id: "p1" } };
    const lost = await finishAndClaim(broker, held, ask);
    await lost.line();
    const [claimed] = (await lost.claim()).jobs; // the agent never saw it
    const again = await finishAndClaim(broker, held, ask);
    expect(await again.line()).toMatchObject({ job_status: "finished" });
    expect((await again.claim()).jobs.map(({ execution }) => execution.id)).toEqual([
      claimed?.execution.id,
    ]);
    const plain = await agent.claim({ poll_id: "p1" });
    expect(plain.body.jobs.map(({ execution }) => execution.id)).toEqual([claimed?.execution.id]);
    expect(await eventsOf(next)).toEqual(["enqueue", "release", "claim"]);
  });

  test("whose client is gone leaves at once, and the next job goes to who still waits", async () => {
    const { agent, held } = await setup();
    const stays = await givenAgent(at, { runner: agent.runner });
    const claim = { group: "deploy", wait: "20s" };
    const poll = await finishAndClaim(broker, held, { token: agent.token, claim });
    await poll.line();
    await parked(broker, agent.processId);
    const answer = stays.claim({ wait: "20s" });
    await parked(broker, stays.processId);
    poll.drop();
    await parkedOf(broker, agent.runner.runnerId, 1);
    const next = await givenJob(at.db, agent.runner);
    wake(agent);
    expect((await answer).body.jobs.map(({ job }) => job.id)).toEqual([next]);
    expect(await eventsOf(next)).toEqual(["enqueue", "release", "claim"]);
  });

  test("gives a job back that was claimed while its client left", async () => {
    const { agent, held } = await setup();
    const next = await givenJob(at.db, agent.runner, {
      plan: JSON.stringify({ filling: "x".repeat(12_000_000) }),
    });
    const claim = { group: "deploy", wait: "20s" };
    const poll = await finishAndClaim(broker, held, { token: agent.token, claim });
    await poll.line();
    await until(async () => (await eventsOf(next)).includes("claim"));
    poll.drop();
    await until(async () => (await jobState(at.db, next)).status === "available");
    expect((await jobState(at.db, next)).execution_count).toBe(0);
  });

  test("ends at once when its broker drains, and its job's end is stored", async () => {
    const leaving = await startBroker({ url: at.url });
    await untilListening([leaving]);
    const { agent, held } = await setup();
    const claim = { group: "deploy", wait: "25s" };
    const poll = await finishAndClaim(leaving, held, { token: agent.token, claim });
    await poll.line();
    await parked(leaving, agent.processId);
    await leaving.broker.polls.drain();
    expect((await poll.claim()).jobs).toEqual([]);
    expect((await jobState(at.db, held.job.id)).status).toBe("finished");
  });
});

describe("a finish that may not claim", () => {
  const claimsNothing = async (agent: PollingAgent) => {
    const next = await givenJob(at.db, agent.runner);
    const { body } = await agent.claim({ wait: "20s" });
    expect(body.jobs.map(({ job }) => job.id)).toEqual([next]);
    expect(await eventsOf(next)).toEqual(["enqueue", "release", "claim"]);
  };

  test("because it is refused, has no second line", async () => {
    const { agent, held } = await setup();
    await agent.finish(held);
    const poll = await finishAndClaim(broker, held, {
      token: agent.token,
      finish: { status: "failed", result: { success: false } },
      claim: { group: "deploy", wait: "20s" },
    });
    expect([poll.status, poll.type]).toEqual([409, "application/json"]);
    expect(await poll.line()).toMatchObject({ code: "execution_is_final" });
    await claimsNothing(agent);
  });

  test("for another process than its execution's, is stored and says why", async () => {
    const { agent, held } = await setup();
    const other = await givenProcess(at.db, agent.runner, { serves: { deploy: 1 } });
    const poll = await finishAndClaim(broker, held, {
      token: agent.token,
      claim: { group: "deploy", wait: "20s", process_id: other },
    });
    expect(await poll.line()).toMatchObject({ job_status: "finished" });
    expect(await poll.line()).toMatchObject({ problem: { status: 409, code: "other_process" } });
    await claimsNothing(agent);
  });

  test("because its process binds its plans and the secret is not its own, is stored and says why", async () => {
    const { agent, held } = await setup();
    await at.db`
      update runner_processes set binds_plans = true, secret_digest = sha256('mine') where id = ${agent.processId}`;
    const claim = { group: "deploy", wait: "20s" };
    const poll = await finishAndClaim(elsewhere, held, {
      token: agent.token,
      claim,
      headers: { "svc-process-secret": "another's" },
    });
    expect(await poll.line()).toMatchObject({ job_status: "finished" });
    expect(await poll.line()).toMatchObject({ problem: { status: 409, code: "process_bound" } });
  });

  test("with a job's token is refused before anything is stored", async () => {
    const { held } = await setup();
    const poll = await finishAndClaim(broker, held, {
      token: held.token,
      claim: { group: "deploy" },
    });
    expect(poll.status).toBe(403);
    expect(await poll.line()).toMatchObject({ code: "claim_not_allowed" });
    expect((await jobState(at.db, held.job.id)).status).toBe("in-progress");
  });

  test.each([
    [{ group: "deploy", groups: { deploy: 1 } }, "#/claim/group"],
    [{ group: "deploys" }, "#/claim/group"],
    [{ groups: { deploy: -1 } }, "#/claim/groups/deploy"],
    [{ group: "deploy", wait: "soon" }, "#/claim/wait"],
    [{ group: "deploy", poll_id: "" }, "#/claim/poll_id"],
    ["deploy", "#/claim"],
  ])("because %j is no claim, is refused before anything is stored", async (claim, pointer) => {
    const { agent, held } = await setup();
    const poll = await finishAndClaim(broker, held, { token: agent.token, claim });
    expect([400, 422]).toContain(poll.status);
    expect(await poll.line()).toMatchObject({ errors: [{ pointer }] });
    expect((await jobState(at.db, held.job.id)).status).toBe("in-progress");
  });
});
