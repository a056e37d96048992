import { describe, expect, test } from "vitest";
import { givenAgent, givenSoundPolling, parked } from "../../support/broker/given-polling.ts";
import type { ClaimedJob } from "../../support/broker/http-agent.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenJob, givenJobs, givenProcess, givenRunner } from "../../support/rows/given.ts";
import { jobState } from "../../support/rows/job-state.ts";

const at = await givenSoundPolling();

const only = ([claimed]: readonly ClaimedJob[]): ClaimedJob => {
  if (claimed === undefined) throw new Error("nothing was claimed");
  return claimed;
};

describe("a claim repeated with the same poll_id", () => {
  test.each([0, 1] as const)(
    "at broker %i gets the same execution with a fresh token",
    async (nth) => {
      const { db, brokers } = at;
      const agent = await givenAgent(at, { at: brokers[nth] });
      const same = await givenAgent(at, { runner: agent.runner });
      const jobId = await givenJob(db, agent.runner, { plan: '{"a":1}' });
      const first = only((await agent.claim({ poll_id: "p1" })).body.jobs);
      const second = only((await agent.claim({ poll_id: "p1" })).body.jobs);
      expect(second.job.id).toBe(jobId);
      expect(second.execution.id).toBe(first.execution.id);
      expect(second.plan).toEqual({ a: 1 });
      expect(second.token).not.toBe(first.token);
      const path = `/v1/runner-jobs/${jobId}/executions/${first.execution.id}`;
      const use = async (token: string) =>
        (await brokers[0].call(`PATCH ${path}`, { token, body: { status: "initializing" } }))
          .status;
      expect(await use(first.token)).toBe(401);
      expect(await use(second.token)).toBe(200);
      expect((await same.claim({ poll_id: "p1", wait: "100ms" })).body.jobs).toEqual([]);
      expect((await jobState(db, jobId)).events).toEqual(["enqueue", "release", "claim"]);
    },
  );

  test("gets all of them when it had been given several", async () => {
    const agent = await givenAgent(at, { serves: { deploy: 2, sync: 1 } });
    await givenJobs(at.db, agent.runner, [{}, {}, { type: "noop-sync" }]);
    const ask = { poll_id: "p1", groups: { deploy: 2, sync: 1 } };
    const ids = async () => {
      const { body } = await agent.claim(ask);
      return body.jobs.map(({ execution }) => execution.id).toSorted();
    };
    const first = await ids();
    expect(first).toHaveLength(3);
    expect(await ids()).toEqual(first);
  });

  test("that asks for fewer gets no more than it asks for, each with a token that opens it", async () => {
    const agent = await givenAgent(at, { serves: { deploy: 3 } });
    const other = await givenAgent(at, { serves: { deploy: 1 } });
    await givenJobs(at.db, agent.runner, [{}, {}, {}]);
    const first = await agent.claim({ poll_id: "p1", groups: { deploy: 3 } });
    expect(first.body.jobs).toHaveLength(3);
    await givenJob(at.db, other.runner);
    const [again, others] = await Promise.all([
      agent.claim({ poll_id: "p1", groups: { deploy: 1 } }),
      other.claim({ poll_id: "p2", wait: "3s" }),
    ]);
    expect(again.body.jobs).toHaveLength(1);
    const claimed = [only(again.body.jobs), only(others.body.jobs)];
    expect(new Set(claimed.map(({ token }) => token)).size).toBe(2);
    for (const { job, execution, token } of claimed) {
      const path = `/v1/runner-jobs/${job.id}/executions/${execution.id}`;
      const body = { status: "initializing" };
      expect((await at.brokers[0].call(`PATCH ${path}`, { token, body })).status).toBe(200);
    }
  });

  test("gets new ones once the first are begun", async () => {
    const agent = await givenAgent(at, { serves: { deploy: 2 } });
    const [, later] = await givenJobs(at.db, agent.runner, [{}, {}]);
    const first = only((await agent.claim({ poll_id: "p1" })).body.jobs);
    await agent.report(first, "initializing");
    expect(only((await agent.claim({ poll_id: "p1" })).body.jobs).job.id).toBe(later);
  });

  test("while the first is still under way takes its place, and costs no execution", async () => {
    const agent = await givenAgent(at);
    for (let round = 0; round < 10; round += 1) {
      const jobId = await givenJob(at.db, agent.runner);
      const ask = { poll_id: `p${round}`, wait: "3s" };
      const answers = await Promise.all([agent.claim(ask), agent.claim(ask), agent.claim(ask)]);
      const claimed = answers.flatMap(({ body }) => body.jobs);
      expect(new Set(claimed.map(({ execution }) => execution.id)).size).toBe(1);
      expect((await agent.report(only(claimed), "in-progress")).status).toBe(200);
      expect((await agent.finish(only(claimed))).status).toBe(200);
      expect((await jobState(at.db, jobId)).events).toEqual([
        "enqueue",
        "release",
        "claim",
        "finish",
      ]);
    }
  });
});

describe("a claim", () => {
  test("gives what was claimed in one answer: job, execution, plan, token, deadline", async () => {
    const agent = await givenAgent(at);
    const plan = '{"b": 1.0, "a": [12345678901234567890]}';
    await givenJob(at.db, agent.runner, { plan, executionTimeout: 60e9 });
    const { body } = await agent.claim();
    const claimed = only(body.jobs);
    expect(claimed).toMatchObject({
      job: { status: "in-progress" },
      execution: { status: "pending" },
    });
    expect(claimed.token).toMatch(/^svc_job_/);
    const seconds = (Date.parse(claimed.deadline) - Date.parse(body.now)) / 1000;
    expect(seconds).toBeGreaterThan(55);
    expect(seconds).toBeLessThanOrEqual(61);
  });

  test("has the job's own end for a deadline where that comes first", async () => {
    const agent = await givenAgent(at);
    await givenJob(at.db, agent.runner, { executionTimeout: 60e9, overallTimeout: 20e9 });
    const { body } = await agent.claim();
    expect(Date.parse(only(body.jobs).deadline) - Date.parse(body.now)).toBeLessThanOrEqual(20_500);
  });

  test("gets no more than the free slots it names, group by group", async () => {
    const agent = await givenAgent(at, { serves: { deploy: 5, sync: 5 } });
    await givenJobs(at.db, agent.runner, [
      {},
      {},
      {},
      { type: "noop-sync" },
      { type: "noop-sync" },
    ]);
    const { body } = await agent.claim({ groups: { deploy: 2, sync: 1 } });
    const paths = await Promise.all(body.jobs.map(({ job }) => jobState(at.db, job.id)));
    expect(paths).toHaveLength(3);
    expect((await agent.claim({ groups: { sync: 5 } })).body.jobs).toHaveLength(1);
  });

  test("of a process of another runner is 404 and claims nothing", async () => {
    const agent = await givenAgent(at);
    const stranger = await givenProcess(at.db, await givenRunner(at.db));
    const jobId = await givenJob(at.db, agent.runner);
    const answer = await at.brokers[0].call(
      `POST /v1/runners/${agent.runner.runnerId}/jobs/claim`,
      {
        token: agent.token,
        body: { process_id: stranger, groups: { deploy: 1 } },
      },
    );
    expect(answer.status).toBe(404);
    expect((await jobState(at.db, jobId)).status).toBe("available");
  });

  test("at another runner is 404, and says nothing of what is there", async () => {
    const agent = await givenAgent(at);
    const other = await givenRunner(at.db, { orgId: agent.runner.orgId });
    const token = await givenToken(at.db, other);
    const answer = await at.brokers[0].call(
      `POST /v1/runners/${agent.runner.runnerId}/jobs/claim`,
      {
        token,
        body: { process_id: agent.processId, groups: { deploy: 1 } },
      },
    );
    expect(answer.status).toBe(404);
  });

  test("of a process that shuts down gets nothing", async () => {
    const agent = await givenAgent(at);
    await at.db`select process_terminating(${agent.processId})`;
    await givenJob(at.db, agent.runner);
    expect((await agent.claim({ wait: "100ms" })).body.jobs).toEqual([]);
  });

  test("of a newer poll ends the older one of the same process at once", async () => {
    const agent = await givenAgent(at);
    const older = agent.claim({ wait: "25s" });
    await parked(at.brokers[0], agent.processId);
    const newer = agent.claim({ wait: "25s" });
    expect((await older).body.jobs).toEqual([]);
    const jobId = await givenJob(at.db, agent.runner);
    at.brokers[0].broker.wakes.notify([`queue:${agent.runner.runnerId}`]);
    expect(only((await newer).body.jobs).job.id).toBe(jobId);
  });

  test("serves a group from then on that its process had not announced", async () => {
    const agent = await givenAgent(at);
    const jobId = await givenJob(at.db, agent.runner, { type: "noop-sync" });
    expect((await jobState(at.db, jobId)).status).toBe("queued");
    expect(only((await agent.claim({ groups: { sync: 1 } })).body.jobs).job.id).toBe(jobId);
  });

  test.each(["abc", "-", "5", "1 s", "1e3s", ""])("with the wait %j is 400", async (wait) => {
    const agent = await givenAgent(at);
    const answer = await agent.claim({ wait });
    expect(answer.status).toBe(400);
  });

  test.each(["0", "0s", "-1s", "26s", "2h"])(
    "with the wait %j waits for the limit",
    async (wait) => {
      const agent = await givenAgent(at);
      const answer = agent.claim({ wait });
      await parked(at.brokers[0], agent.processId);
      const jobId = await givenJob(at.db, agent.runner);
      at.brokers[0].broker.wakes.notify([`queue:${agent.runner.runnerId}`]);
      expect(only((await answer).body.jobs).job.id).toBe(jobId);
    },
  );
});
