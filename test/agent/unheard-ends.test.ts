import { writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import { action, givenKillableAgent, wait } from "../support/agent/given-killable-agent.ts";
import { hostClock } from "../support/agent/host-clock.ts";
import type { AgentProcessOptions } from "../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { advanceClock } from "../support/database/clock.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const everything = (): boolean => true;

/** Two steps: the first runs until it may end, the second shows that it began. */
async function setup(url?: string, command?: AgentProcessOptions["command"]) {
  const settings = url === undefined ? {} : { "broker-url": url };
  const agent = await givenKillableAgent(fleet, settings, command);
  const { enqueue, operate, became, mark, marked } = agent;
  const ran = (step: string): string => `echo ${step} >>${mark("ran")}`;
  const id = await enqueue(
    action([
      {
        name: "first",
        interpolated_command: `${ran("first")}; touch ${mark("begun")}; ${wait(mark("go"))}; touch ${mark("over")}`,
      },
      { name: "second", interpolated_command: ran("second") },
    ]),
  );
  await marked("begun");
  /** Cancelled, and so long ago that nobody waits for its stop any more: its slot is free. */
  const cancelLongAgo = async (): Promise<void> => {
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    await became(id, "cancelled");
    await advanceClock(fleet.db, "70 s");
    await until(async () => {
      const left = await fleet.db`select from stopping_executions where runner_job_id = ${id}`;
      return left.length === 0;
    });
  };
  /** The agent has told its end, too late to count. */
  const toldLate = async (): Promise<void> =>
    await until(async () => {
      const rows = await fleet.db`
        select from runner_job_executions where runner_job_id = ${id} and last_record is not null`;
      return rows.length > 0;
    });
  /** What came of its log too late, and whether anybody waits for more of it. */
  const logs = async () => {
    const { call } = fleet.broker;
    const token = agent.operatorToken;
    const job = await call<{ logs_complete: boolean }>(`GET /v1/runner-jobs/${id}`, { token });
    const path = `GET /v1/log-streams/lgs_${id.slice(4)}/logs?limit=1000`;
    const { body } = await call<{ items: LogRecord[] }>(path, { token });
    const late = body.items.filter((record) => record.late).map((record) => record.body);
    return { isComplete: job.body.logs_complete, late };
  };
  return { ...agent, id, cancelLongAgo, toldLate, logs };
}

describe("a job that was cancelled while its agent could not hear it", () => {
  test("is stopped by an agent that was frozen, which begins nothing more though a step has ended", async () => {
    const clock = await hostClock();
    const given = await setup(undefined, clock.agentCommand);
    const { runnerId, first, mark, marked, lines, cancelLongAgo, toldLate } = given;
    first.kill("SIGSTOP");
    // The request that it has parked is answered without a word of this.
    const { parked } = fleet.broker.broker.polls.dispatcher;
    await until(() => parked.countOfRunner(runnerId) === 0);
    await cancelLongAgo();
    await writeFile(mark("go"), "");
    await marked("over");
    await clock.advance("70s");
    first.kill("SIGCONT");
    await toldLate();
    expect(await lines("ran")).toEqual(["first"]);
  });

  test("is stopped by an agent that was cut off, as soon as it hears the broker again", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const { lines, cancelLongAgo, toldLate, logs } = await setup(proxy.url);
    proxy.fail(everything, "down");
    await cancelLongAgo();
    expect((await logs()).isComplete).toBe(false);
    proxy.mend();
    await toldLate();
    await until(async () => (await logs()).isComplete);
    expect((await logs()).late).toContainEqual(expect.stringContaining("cancelled"));
    expect(await lines("ran")).toEqual(["first"]);
  });

  test("is stopped by an agent that was cut off though none of its beats comes through: its claim asks, too", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const { lines, cancelLongAgo, toldLate } = await setup(proxy.url);
    proxy.fail("POST /heart-beats", "down");
    const all = proxy.fail(everything, "down");
    await cancelLongAgo();
    all.mend();
    await toldLate();
    expect(await lines("ran")).toEqual(["first"]);
  });

  test("is not gone on with by the agent that starts in place of a killed one", async () => {
    const { first, again, kill, mark, marked, lines, cancelLongAgo, toldLate } = await setup();
    await kill(first);
    await cancelLongAgo();
    await writeFile(mark("go"), "");
    await marked("over");
    await again();
    await toldLate();
    expect(await lines("ran")).toEqual(["first"]);
  });

  test("is not gone on with either when the answer to the registration is lost, again and again", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const given = await setup(proxy.url);
    const { first, again, kill, mark, marked, lines, cancelLongAgo, toldLate } = given;
    await kill(first);
    await cancelLongAgo();
    await writeFile(mark("go"), "");
    await marked("over");
    const lost = proxy.fail("POST /processes", "reset");
    await again();
    await until(() => lost.hits() > 2);
    expect(await lines("ran")).toEqual(["first"]);
    proxy.mend();
    await toldLate();
    expect(await lines("ran")).toEqual(["first"]);
  });

  test("is not gone on with when it is cancelled in the instant of the take-over", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const given = await setup(proxy.url);
    const { id, first, again, kill, operate, became, mark, lines, toldLate } = given;
    await kill(first);
    const registrations = proxy.seen("POST /processes").length;
    const held = proxy.hold("POST /processes");
    const second = await again();
    await until(() => proxy.seen("POST /processes").length > registrations);
    held.release();
    await operate(`POST /v1/runner-jobs/${id}/cancel`);
    await became(id, "cancelled");
    await writeFile(mark("go"), "");
    await toldLate();
    expect(second.said.log.map(({ msg }) => msg)).toContain("resuming a job");
    expect(await lines("ran")).toEqual(["first"]);
  });
});

describe("an agent that is cut off", () => {
  test("for four minutes goes on with its job, with all of its steps", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const { id, mark, marked, lines, became } = await setup(proxy.url);
    proxy.fail(everything, "down");
    await writeFile(mark("go"), "");
    await until(async () => (await lines("ran")).includes("second"));
    await marked("over");
    await advanceClock(fleet.db, "4 min");
    proxy.mend();
    const { executions } = await became(id, "finished");
    expect(executions).toHaveLength(1);
  });

  test("and killed begins nothing of its job before the broker has answered, and then goes on", async () => {
    const proxy = await faultProxy(fleet.broker.url);
    const { id, first, again, kill, mark, marked, lines, became } = await setup(proxy.url);
    await kill(first);
    await writeFile(mark("go"), "");
    await marked("over");
    const failing = proxy.fail("POST /processes", "down");
    await again();
    await until(() => failing.hits() > 0);
    expect(await lines("ran")).toEqual(["first"]);
    proxy.mend();
    await became(id, "finished");
    expect(await lines("ran")).toEqual(["first", "second"]);
  });
});

test("a job that was handed to an agent in the instant of its death goes to the next one at once", async () => {
  const proxy = await faultProxy(fleet.broker.url);
  const given = await givenKillableAgent(fleet, { "broker-url": proxy.url });
  const lost = proxy.fail("POST /jobs/claim", "reset");
  await until(() => lost.hits() > 0);
  const id = await given.enqueue();
  await until(async () => (await given.job(id)).executions.length === 1);
  await given.kill(given.first);
  proxy.mend();
  await given.again(); // and no clock is moved: nobody waits for thirty seconds
  const { executions } = await given.became(id, "finished");
  expect(executions.map(({ status }) => status)).toEqual(["not-attempted", "finished"]);
  const [took] = await fleet.db<{ s: number }[]>`
    select extract(epoch from min(finished_at) - min(created_at))::float8 as s
      from runner_job_executions where runner_job_id = ${id} and status = 'not-attempted'`;
  expect(took?.s).toBeLessThan(30);
});
