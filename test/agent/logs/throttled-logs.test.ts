import { beforeAll, describe, expect, test } from "vitest";
import type { LogStream } from "../../../shared/api/log-streams.ts";
import { givenRunnerWithAgent, type RunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { type FaultProxy, faultProxy } from "../../support/network/fault-proxy.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const mebibyte = 2 ** 20;

/** A runner whose broker says of logs, and of nothing else, that they come too fast. */
async function setup(): Promise<RunnerWithAgent & { readonly proxy: FaultProxy }> {
  const proxy = await faultProxy(fleet.broker.url);
  proxy.fail("POST /logs", "429");
  // A request that is given up means that the broker is away: then lines are dropped.
  const patient = { "request-timeout": "60s" };
  const settings = { "broker-url": proxy.url, "log-spool-per-job": "1MiB", ...patient };
  return { ...(await givenRunnerWithAgent(fleet, settings)), proxy };
}

const action = (interpolated_command: string) => ({
  type: "actions-workflow" as const,
  plan: JSON.stringify({ steps: [{ name: "loud", interpolated_command }] }),
});

describe("a job whose broker says for ever that its log comes too fast", () => {
  test("waits, and ends promptly by a cancel", async () => {
    const { agent, enqueue, became, operate } = await setup();
    const job = await enqueue(action("yes $(printf %01000d 7)"));
    const waiting = () => agent.status().waiting.log_bytes;
    await expect.poll(waiting).toBeGreaterThan(mebibyte / 2);
    await operate(`POST /v1/runner-jobs/${job}/cancel`);
    await became(job, "cancelled");
    await expect.poll(() => agent.status().jobs).toEqual([]);
  });

  test("loses nothing, once the broker takes its log", async () => {
    const { agent, enqueue, became, operatorToken, proxy } = await setup();
    const job = await enqueue(action("seq -f %01000.0f 5000"));
    const waiting = () => agent.status().waiting.log_bytes;
    await expect.poll(waiting).toBeGreaterThan(mebibyte / 2);
    proxy.mend();
    await became(job, "finished");
    const path = `GET /v1/log-streams/lgs_${job.slice(4)}`;
    const stream = () => fleet.broker.call<LogStream>(path, { token: operatorToken });
    await expect.poll(async () => (await stream()).body.records).toBeGreaterThan(4_999);
    expect((await stream()).body.missing_records).toBe(0);
  });
});
