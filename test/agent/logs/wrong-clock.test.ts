import { writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { LogRecord } from "../../../shared/api/log-streams.ts";
import { givenAgentLogs } from "../../support/agent/given-agent-logs.ts";
import { action, givenKillableAgent, wait } from "../../support/agent/given-killable-agent.ts";
import { hostClock } from "../../support/agent/host-clock.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { accepted } from "../../support/logs/log-receiver.ts";
import { faultProxy } from "../../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const hourMs = 3_600_000;
/** A date tells whole seconds, and an answer that told it was on its way for 1.5 s at most. */
const boundMs = 3_000;

/** An agent whose host's clock is off by so much, and a job that prints before and after it may go on. */
async function setup(off: string) {
  const clock = await hostClock();
  await clock.advance(off);
  const proxy = await faultProxy(fleet.broker.url);
  const agent = await givenKillableAgent(fleet, { "broker-url": proxy.url }, clock.agentCommand);
  const { mark, enqueue, operatorToken } = agent;
  /** Prints as the first line before the mark `begun` is there. */
  const begin = async (): Promise<string> => {
    const script = `${wait(mark("print"))}; echo one; touch ${mark("begun")}; ${wait(mark("go"))}; echo two; echo three`;
    return await enqueue(
      action([
        { name: "first", interpolated_command: `touch ${mark("runs")}; ${script}` },
        { name: "second", interpolated_command: "echo four" },
      ]),
    );
  };
  /** The job's records, and when the broker handed the job out and heard of its end. */
  const told = async (id: string) => {
    await agent.ended(id);
    await until(async () => {
      const path = `GET /v1/runner-jobs/${id}`;
      return (await fleet.broker.call<{ logs_complete: boolean }>(path, { token: operatorToken }))
        .body.logs_complete;
    });
    const path = `GET /v1/log-streams/lgs_${id.slice(4)}/logs?limit=1000`;
    const { body } = await fleet.broker.call<{ items: LogRecord[] }>(path, {
      token: operatorToken,
    });
    const [execution] = await fleet.db<{ created_at: Date; finished_at: Date }[]>`
      select created_at, finished_at from runner_job_executions where runner_job_id = ${id}`;
    return {
      records: body.items,
      fromMs: Number(execution?.created_at),
      toMs: Number(execution?.finished_at),
    };
  };
  return { ...agent, proxy, begin, told };
}

type Told = Awaited<ReturnType<Awaited<ReturnType<typeof setup>>["told"]>>;

function expectTrueTimes({ records, fromMs, toMs }: Told): void {
  const bodies = records.map(({ body }) => body);
  expect(bodies).toEqual(expect.arrayContaining(["one", "two", "three", "four"]));
  const times = timesOf(records);
  expect(Math.min(...times)).toBeGreaterThan(fromMs - boundMs);
  expect(Math.max(...times)).toBeLessThan(toMs + boundMs);
}

function expectOrder({ records }: Told): void {
  const times = timesOf(records);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
}

const timesOf = (records: readonly LogRecord[]): number[] =>
  records.map(({ at }) => Date.parse(at));

const skews = ({ records }: Told): number[] => [
  ...new Set(records.map(({ resource }) => Number(resource["svc.clock_skew_ms"]))),
];

describe("the times of a job's log", () => {
  test.each([
    ["ahead", "5h", 5 * hourMs],
    ["behind", "-5h", -5 * hourMs],
  ])(
    "are the broker's where the host's clock is hours %s, and say by how much",
    async (_, off, offMs) => {
      const { begin, told, mark } = await setup(off);
      await writeFile(mark("print"), "");
      await writeFile(mark("go"), "");
      const all = await told(await begin());
      expectTrueTimes(all);
      expectOrder(all);
      const [skewMs, ...others] = skews(all);
      expect(others).toEqual([]);
      expect(Math.abs((skewMs ?? 0) - offMs)).toBeLessThan(boundMs);
    },
  );

  test("are the broker's, too, where a killed agent had not sent them", async () => {
    const { first, again, kill, proxy, begin, told, mark, marked } = await setup("5h");
    const id = await begin();
    await marked("runs");
    proxy.fail(() => true, "down");
    await writeFile(mark("print"), "");
    await marked("begun");
    await kill(first);
    proxy.mend();
    await again();
    await writeFile(mark("go"), "");
    const all = await told(id);
    expectTrueTimes(all); // what was printed before the kill may stand after the agent's word of the take-over
    expect(all.records.map(({ resource }) => resource["svc.clock_unknown"])).not.toContain(true);
  });

  test("are left alone where the clock is right", async () => {
    const { begin, told, mark } = await setup("0s");
    await writeFile(mark("print"), "");
    await writeFile(mark("go"), "");
    const all = await told(await begin());
    expectTrueTimes(all);
    expectOrder(all);
    expect(skews(all)).toEqual([Number.NaN]);
  });

  test("stay the host's and are marked where nothing tells the broker's, then and later in that log", async () => {
    const { receiver, openJobLog } = await givenAgentLogs();
    const marks = (name: string): unknown[] =>
      receiver.stored(`lgs_${name}`).map(({ resource }) => resource["svc.clock_unknown"]);
    receiver.answer(() => ({ ...accepted, headers: { date: "" } }));
    const log = await openJobLog("a");
    log.write("before");
    await expect.poll(() => marks("a")).toEqual([true]);
    receiver.answer(() => accepted);
    log.write("learns");
    await expect.poll(() => marks("a")).toEqual([true, true]);
    log.write("after");
    await expect.poll(() => marks("a")).toEqual([true, true, true]);
    const other = await openJobLog("b");
    other.write("knows");
    await expect.poll(() => marks("b")).toEqual([undefined]);
  });
});
