import { describe, expect, test } from "vitest";
import { startTestAgent } from "../support/agent/start-test-agent.ts";
import { givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { type Fault, faultProxy, type SeenRequest } from "../support/network/fault-proxy.ts";
import { jobState } from "../support/rows/job-state.ts";

const fleet = await givenFleet();

type Polled = { readonly groups?: Record<string, number>; readonly poll_id?: string };
type Finish = { readonly claim?: Polled };

const bodyOf = ({ body }: SeenRequest) => JSON.parse(body.toString()) as Polled & Finish; // the agent's
const isFinish = ({ method, path }: SeenRequest): boolean =>
  method === "POST" && path.endsWith("/finish");

const isCarrying = (seen: SeenRequest): boolean =>
  isFinish(seen) && bodyOf(seen).claim !== undefined;

const mostJobs = 20;

/** An agent with one slot behind a proxy, parked. */
async function setup(settings: Readonly<Record<string, string>> = {}) {
  const runner = await fleet.addRunner({ parallelism: { deploy: 1 } });
  const proxy = await faultProxy(fleet.broker.url);
  const claims = () => proxy.seen("POST /jobs/claim").map(bodyOf);
  const asked = () => claims().filter(({ groups }) => groups?.["deploy"] === 1);
  const finishes = () => proxy.seen(isFinish).map(bodyOf);
  await startTestAgent(
    { url: proxy.url, token: runner.token },
    { groups: "deploy=1", ...settings },
  );
  await until(() => asked().length > 0);
  const enqueue = () => runner.enqueue({ type: "noop-deploy" });
  return { runner, proxy, asked, finishes, enqueue };
}

async function expectOnce(id: string): Promise<void> {
  const { status, execution_count } = await jobState(fleet.db, id);
  expect({ status, execution_count }).toEqual({ status: "finished", execution_count: 1 });
}

describe("the finish of a job", () => {
  test("is the next poll, in place of one", async () => {
    const { runner, asked, finishes, enqueue } = await setup({ "claim-wait": "20s" });
    const carried = () => finishes().filter(({ claim }) => claim !== undefined);
    const ids: string[] = [];
    while (carried().length < 3 && ids.length < mostJobs) {
      const id = await enqueue();
      ids.push(id);
      await runner.became(id, "finished");
      // A log that takes its time does not hold up the poll, which then goes by itself: never both.
      await until(() => asked().length + carried().length === 1 + ids.length);
    }
    expect(carried().length).toBe(3);
    for (const { claim } of carried()) expect(claim?.groups).toEqual({ deploy: 1 });
    for (const id of ids) await expectOnce(id);
  });

  test.each<Fault>(["reset", "truncated", "cut", "500", "html", "down"])(
    "that meets with %s loses no job and runs none twice",
    async (fault) => {
      const { runner, proxy, enqueue } = await setup({ "claim-wait": "1s" });
      const failing = proxy.fail(isCarrying, fault, 2);
      const ids: string[] = [];
      // Not every finish carries a poll: a log that takes its time does not hold one up.
      while (failing.hits() < 2 && ids.length < mostJobs) {
        ids.push(await enqueue(), await enqueue());
        for (const id of ids.slice(-2)) await runner.became(id, "finished");
      }
      expect(failing.hits()).toBe(2);
      for (const id of ids) await expectOnce(id);
    },
  );

  test("that is refused leaves the poll to go by itself", async () => {
    const { proxy, asked, enqueue } = await setup({ "claim-wait": "20s" });
    const refused = proxy.fail(isFinish, "409", 1);
    await enqueue();
    await until(() => refused.hits() === 1);
    await until(() => asked().length === 2);
  });

  test("carries no poll for a while where answers are kept on the way until they are whole", async () => {
    const { runner, proxy, asked, finishes, enqueue } = await setup({
      "claim-wait": "20s",
      "request-timeout": "300ms",
    });
    const kept = proxy.fail(isCarrying, "whole");
    for (let nth = 0; nth < mostJobs && kept.hits() === 0; nth += 1) {
      await runner.became(await enqueue(), "finished");
    }
    const [first] = finishes().filter(({ claim }) => claim !== undefined);
    // The poll goes on by itself.
    await until(() => asked().some(({ poll_id }) => poll_id === first?.claim?.poll_id));
    const later = await enqueue();
    await runner.became(later, "finished");
    await expectOnce(later);
    expect(kept.hits()).toBe(1);
  });
});
