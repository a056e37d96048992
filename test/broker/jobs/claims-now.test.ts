import { expect, test } from "vitest";
import { givenAgent, givenPolling } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenJob } from "../../support/rows/given.ts";

const minuteMs = 60_000;

test("a claim's answer tells the database's time, whatever the broker's clock says", async () => {
  const at = await givenPolling();
  await advanceClock(at.db, "2 hours"); // the brokers' clocks are two hours late from now on
  const agent = await givenAgent(at);
  const aheadMs = async () => {
    const { now } = (await agent.claim({ groups: {}, wait: "1ms" })).body;
    return Math.abs(Date.parse(now) - Date.now() - 120 * minuteMs);
  };
  await expect.poll(aheadMs).toBeLessThan(minuteMs);
  await givenJob(at.db, agent.runner);
  const { jobs, now } = (await agent.claim()).body;
  const leftMs = Date.parse(jobs[0]?.deadline ?? "") - Date.parse(now);
  expect(leftMs).toBeGreaterThan(minuteMs); // five minutes for its kind
  expect(leftMs).toBeLessThan(6 * minuteMs);
});
