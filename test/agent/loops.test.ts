import { expect, test } from "vitest";
import { Refused, Unanswered } from "../../agent/client/over.ts";
import { openLog } from "../../agent/log.ts";
import { makeLoopBook } from "../../agent/loops/loop-book.ts";
import { faultProxy } from "../support/fault-proxy.ts";
import { givenFleet } from "../support/given-fleet.ts";
import { until } from "../support/given-polling.ts";
import { startTestAgent } from "../support/start-test-agent.ts";

const limits = { fromMs: 1, mostMs: 2 };

test("a loop that throws is started again, and its health says so until it comes round", async () => {
  const over = new AbortController();
  const refusals: Refused[] = [];
  const log = openLog("silent");
  const loops = makeLoopBook(log, limits, (refused) => void refusals.push(refused));
  const refused = new Refused("process-over", { status: 409, code: "x", detail: "" });
  const thrown = [new Error("a fault"), new Unanswered("nobody"), refused];
  let runs = 0;
  const seen: unknown[] = [];
  const running = loops.run("claim", over.signal, async ({ signal, turn }) => {
    runs += 1;
    seen.push(loops.health()[0]);
    const next = thrown.shift();
    if (next !== undefined) throw next;
    turn();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  await until(() => runs === 4);
  over.abort();
  await running;
  expect(seen[1]).toMatchObject({ isWell: false, restarts: 1, lastError: "a fault" });
  expect(seen[2]).toMatchObject({ isWell: false, restarts: 2, lastError: "nobody" });
  expect(loops.health()[0]).toMatchObject({ isWell: true, restarts: 3, lastError: null });
  expect(refusals).toEqual([refused]);
});

test("after an empty answer an agent rests: its next request does not follow at once", async () => {
  const fleet = await givenFleet();
  const seat = await fleet.seat();
  const proxy = await faultProxy(fleet.broker.url);
  await startTestAgent({ url: proxy.url, token: seat.token }, { "claim-wait": "100ms" });
  const claims = () => proxy.seen("POST /jobs/claim").map(({ atMs }) => atMs);
  await until(() => claims().length >= 4, 20_000);
  const [first = 0, ...others] = claims();
  let before = first;
  for (const at of others) {
    expect(at - before).toBeGreaterThan(300);
    before = at;
  }
});
