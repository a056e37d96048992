import { expect, test } from "vitest";
import { Refused, Unanswered } from "../../agent/client/broker-errors.ts";
import { openLog } from "../../agent/log.ts";
import { makeLoopRunner } from "../../agent/loops/loop-runner.ts";
import { startTestAgent } from "../support/agent/start-test-agent.ts";
import { givenFleet } from "../support/broker/given-fleet.ts";
import { until } from "../support/broker/given-polling.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";

const limits = { fromMs: 1, mostMs: 2 };

test("a loop that throws is started again, and its health says so until it comes round", async () => {
  const over = new AbortController();
  const refusals: Refused[] = [];
  const log = openLog("silent");
  const loops = makeLoopRunner(log, limits, (refused) => void refusals.push(refused));
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

test("who is asked to wait by Retry-After waits, whatever it asked for", async () => {
  const fleet = await givenFleet();
  const asked = { claim: "POST /jobs/claim", beat: "POST /heart-beats", result: "POST /finish" };
  const scenes = Object.entries(asked).map(async ([what, which]) => {
    const runner = await fleet.addRunner();
    await fleet.db`update runner_group_settings set heart_beat_timeout = 1e9
                    where runner_group_id = ${runner.groupId}`;
    const proxy = await faultProxy(fleet.broker.url);
    const busy = proxy.fail(which, "429", Number.POSITIVE_INFINITY, 3_600);
    await startTestAgent({ url: proxy.url, token: runner.token }, { "claim-wait": "100ms" });
    if (what === "result") await runner.enqueue();
    await until(() => busy.hits() === 1);
    const others = what === "beat" ? asked.claim : asked.beat;
    const before = proxy.seen(others).length;
    await until(() => proxy.seen(others).length >= before + 3); // it goes on besides
    expect({ what, hits: busy.hits() }).toEqual({ what, hits: 1 });
  });
  await Promise.all(scenes);
});

test("results that the broker does not take hold up no other", async () => {
  const fleet = await givenFleet();
  const runner = await fleet.addRunner({ parallelism: { operations: 12, deploy: 4 } });
  const proxy = await faultProxy(fleet.broker.url);
  const taken = new Set<string>();
  const failing = proxy.fail(({ method, path }) => {
    const isFinish = method === "POST" && path.endsWith("/finish");
    return isFinish && ![...taken].some((id) => path.includes(id));
  }, "500");
  const groups = { groups: "operations=12,deploy=4", "retry-most": "500ms" };
  await startTestAgent({ url: proxy.url, token: runner.token }, groups);
  const stuck = await Promise.all(Array.from({ length: 9 }, async () => await runner.enqueue()));
  await until(() => failing.hits() >= 16);
  const good = await runner.enqueue({ type: "noop-deploy" });
  taken.add(good);
  await runner.became(good, "finished");
  for (const id of stuck) expect((await runner.job(id)).status).toBe("in-progress");
  failing.mend();
  for (const id of stuck) await runner.became(id, "finished");
});

test("two requests for jobs with empty answers are a second apart", async () => {
  const fleet = await givenFleet();
  const runner = await fleet.addRunner();
  const proxy = await faultProxy(fleet.broker.url);
  await startTestAgent({ url: proxy.url, token: runner.token }, { "claim-wait": "100ms" });
  const claims = () => proxy.seen("POST /jobs/claim").map(({ atMs }) => atMs);
  await until(() => claims().length >= 6);
  // Each may have been held up on its way here, and none was sent before the process was registered.
  const registeredAtMs = proxy.seen("POST /processes").at(-1)?.atMs ?? Number.NaN;
  for (const [nth, atMs] of claims().entries()) {
    expect(atMs - registeredAtMs).toBeGreaterThanOrEqual(nth * 1_000);
  }
});
