import { describe, expect, onTestFinished, test } from "vitest";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { openEvents } from "../../support/broker/event-reader.ts";
import { until } from "../../support/broker/given-polling.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenLog } from "../../support/logs/given-logs.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenOrg, givenProcess, givenRunner } from "../../support/rows/given.ts";

const database = await testDatabase();
const { url, db } = database;

/** Sends a request that stays; it is broken off when the test has finished. */
function stay({ url: at }: TestBroker, what: string, token: string, body?: object) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const [method = "GET", path = ""] = what.split(" ");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = { method, headers, signal: gone.signal };
  const answer = fetch(
    at + path,
    body === undefined ? init : { ...init, body: JSON.stringify(body) },
  );
  answer.catch(() => {}); // broken off
  return { answer, leave: () => gone.abort() };
}

/** What every refusal by a bound says. */
function limited(setting: string, limit: string) {
  return {
    status: 429,
    body: { code: "limit_reached", limit, detail: expect.stringContaining(setting) as string },
  };
}

describe("parked polls", () => {
  const env = { SVC_MAX_POLLS_PER_ORG: "3", SVC_MAX_POLLS_PER_RUNNER: "2" };

  async function setup() {
    const broker = await startBroker({ url, env });
    const orgId = await givenOrg(db);
    const { parked } = broker.broker.polls.dispatcher;
    const runners = await Promise.all([givenRunner(db, { orgId }), givenRunner(db, { orgId })]);
    const agents = await Promise.all(
      [0, 0, 0, 1, 1].map(async (at) => {
        const runner = runners[at === 0 ? 0 : 1];
        const processId = await givenProcess(db, runner);
        const token = await givenToken(db, runner);
        const path = `POST /v1/runners/${runner.runnerId}/jobs/claim`;
        const body = { process_id: processId, groups: { deploy: 1 } };
        const isParked = () => parked.ofProcess(processId) !== undefined;
        return {
          ask: (wait: string) => broker.call(path, { token, body: { ...body, wait } }),
          park: async () => {
            const poll = stay(broker, path, token, body);
            await until(isParked);
            return poll;
          },
        };
      }),
    );
    return { broker, parked, orgId, agents };
  }

  test("are bounded for a runner and for an org; another org parks its own, and who polls anew takes the place of its old poll", async () => {
    const { broker, parked, orgId, agents } = await setup();
    const [first, second, third, fourth, fifth] = agents;
    await first?.park();
    const left = await second?.park();
    expect(await third?.ask("1ms")).toMatchObject(
      limited("SVC_MAX_POLLS_PER_RUNNER", "polls_of_runner"),
    );
    await fourth?.park();
    const refused = await fifth?.ask("1ms");
    expect(refused).toMatchObject(limited("SVC_MAX_POLLS_PER_ORG", "polls_of_org"));
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await first?.ask("1ms"))?.status).toBe(200);
    expect((await first?.ask("1ms"))?.status).toBe(200);
    await first?.park();
    expect(parked.countOfOrg(orgId)).toBe(3);

    const other = await givenRunner(db);
    const token = await givenToken(db, other);
    const tail = `GET /v1/runners/${other.runnerId}/jobs/tail?wait=1ms`;
    expect((await broker.call(tail, { token })).status).toBe(200);

    left?.leave();
    await until(() => parked.countOfOrg(orgId) === 2);
    expect((await fifth?.ask("1ms"))?.status).toBe(200);
    const { body } = await broker.call<string>("GET /metrics");
    expect(body).toContain('svc_bound_refusals_total{bound="polls_of_org"} 1');
    expect(body).toContain('svc_bound_refusals_total{bound="polls_of_runner"} 1');
  });
});

describe("what a token waits for", () => {
  test("is bounded: its followers of logs, not those of another token, and it may follow again when one has gone", async () => {
    const broker = await startBroker({ url, env: { SVC_MAX_FOLLOWERS_PER_TOKEN: "2" } });
    const { admin, path, orgId } = await givenLog(database, broker);
    const tail = `${path}/logs/tail`;
    const open = (token = admin) => openEvents(broker.url + tail, { token });
    const [one] = [await open(), await open()];
    const refused = await broker.call(`GET ${tail}`, { token: admin });
    expect(refused).toMatchObject(limited("SVC_MAX_FOLLOWERS_PER_TOKEN", "followers_of_token"));
    expect((await open(await givenToken(db, { orgId }))).status).toBe(200);
    one.close();
    await expect.poll(async () => (await open()).status).toBe(200);
  });

  test("is bounded with all other tokens of its org, and no token pays for a refusal of its org's", async () => {
    const env = { SVC_MAX_FOLLOWERS_PER_ORG: "2", SVC_MAX_FOLLOWERS_PER_TOKEN: "2" };
    const broker = await startBroker({ url, env });
    const { admin, path, orgId } = await givenLog(database, broker);
    const tail = `${path}/logs/tail`;
    const other = await givenToken(db, { orgId });
    const open = (token: string) => openEvents(broker.url + tail, { token });
    const [one] = [await open(admin), await open(other)];
    for (let n = 0; n < 3; n++) {
      expect(await broker.call(`GET ${tail}`, { token: other })).toMatchObject(
        limited("SVC_MAX_FOLLOWERS_PER_ORG", "followers_of_org"),
      );
    }
    one.close();
    await expect.poll(async () => (await open(other)).status).toBe(200);
    const there = await givenLog(database, broker);
    const follower = await openEvents(`${broker.url}${there.path}/logs/tail`, {
      token: there.admin,
    });
    expect(follower.status).toBe(200);
  });

  test("is bounded: its waits for jobs and for job events together", async () => {
    const broker = await startBroker({ url, env: { SVC_MAX_WAITS_PER_TOKEN: "2" } });
    const runner = await givenRunner(db);
    const { orgId } = runner;
    const token = await givenToken(db, { orgId });
    const jobId = await givenJob(db, runner);
    const wait = `GET /v1/runner-jobs/${jobId}/wait?wait=1ms`;
    const staying = [
      stay(broker, "GET /v1/job-events?wait=25s", token),
      stay(broker, `GET /v1/runner-jobs/${jobId}/wait?wait=25s`, token),
    ];
    await expect
      .poll(async () => broker.call(wait, { token }))
      .toMatchObject(limited("SVC_MAX_WAITS_PER_TOKEN", "waits_of_token"));
    expect((await broker.call("GET /v1/job-events?wait=1ms", { token })).status).toBe(429);
    const other = await givenToken(db, { orgId });
    expect((await broker.call(wait, { token: other })).status).toBe(200);
    staying[0]?.leave();
    await expect.poll(async () => (await broker.call(wait, { token })).status).toBe(200);
  });
});

describe("the processes of a runner", () => {
  const ours = { type: "install", version: "2.0.0", groups: { deploy: 1 } };

  async function setup() {
    const broker = await startBroker({ url, env: { SVC_MAX_PROCESSES_PER_RUNNER: "3" } });
    const runner = await givenRunner(db);
    const token = await givenToken(db, runner);
    const path = `/v1/runners/${runner.runnerId}/processes`;
    const register = (more: object = {}) =>
      broker.call(`POST ${path}`, { token, body: { ...ours, ...more } });
    return { broker, runner, token, path, register };
  }

  test("are bounded however many register at once, and the refusal says what to do", async () => {
    const { register } = await setup();
    const answers = await Promise.all(Array.from({ length: 12 }, () => register()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(9);
    for (const answer of refused) {
      expect(answer).toMatchObject(limited("SVC_MAX_PROCESSES_PER_RUNNER", "processes_of_runner"));
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
    const [count] = await db`
      select count(*)::int as n from runner_processes where id = any(${answers.map(({ body }) => String(body["id"]))})`;
    expect(count).toEqual({ n: 3 });
  });

  test("may be taken over at the bound, and another runner's do not count", async () => {
    const { broker, register } = await setup();
    const [old] = [await register(), await register(), await register()];
    expect((await register()).status).toBe(429);
    const heir = await register({ takes_over: old.body["id"], secret: old.body["secret"] });
    expect(heir.status).toBe(201);
    expect((await register()).status).toBe(429);
    const other = await givenRunner(db);
    const answer = await broker.call(`POST /v1/runners/${other.runnerId}/processes`, {
      token: await givenToken(db, other),
      body: ours,
    });
    expect(answer.status).toBe(201);
  });

  test("do not count when they have shut down or fell silent: who crashes again and again is let in after a minute", async () => {
    const { path, token, runner, broker, register } = await setup();
    const [gone] = [await register(), await register(), await register()];
    expect((await register()).status).toBe(429);
    const body = { status: "shut-down" };
    await broker.call(`PATCH ${path}/${String(gone.body["id"])}`, { token, body });
    expect((await register()).status).toBe(201);
    expect((await register()).status).toBe(429);
    await db`
      select move_processes(array(select id::text from runner_processes
                                       where runner_id = ${runner.runnerId} and status = 'pending'),
                                'silence', 'silent for 60 s', svc_now())`;
    expect((await register()).status).toBe(201);
  });
});
