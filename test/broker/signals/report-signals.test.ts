import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { givenPolling, type Polling, until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { expectSoundSignals } from "../../support/queues/expect-sound-signals.ts";
import { givenQueue, givenSignal, signalStatus } from "../../support/queues/given-signals.ts";
import { givenWorkers } from "../../support/queues/given-workers.ts";
import { claimOne, httpWorker } from "../../support/queues/http-worker.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenOrg } from "../../support/rows/given.ts";

let at: Polling;
beforeAll(async () => {
  at = await givenPolling();
});
afterEach(async () => {
  await expectSoundSignals(at.db);
});

/** A signal that a worker has claimed. */
async function claimed(members: Readonly<Record<string, unknown>> = {}) {
  const workers = await givenWorkers(at);
  await givenSignal(at.db, workers.queue, members);
  return { ...workers, signal: await claimOne(workers.here) };
}

const took = (status: string) => ({ status: 200, body: { status } });
const lost = { status: 409, body: { code: "lease_lost" } };

describe("a report of a claimed signal", () => {
  test("of success finishes it; repeated, anywhere, it answers the same", async () => {
    const { here, there, signal } = await claimed();
    const said = { result: { deployed: 3 } };
    expect(await here.report("complete", signal, said)).toMatchObject(took("finished"));
    expect(await there.report("complete", signal, said)).toMatchObject(took("finished"));
    const [end] = await at.db<{ sealed: boolean }[]>`
      select key_id is not null and position('deployed' in encode(result, 'escape')) = 0 as sealed
        from queue_signal_ends where signal_id = ${signal.id}`;
    expect(end).toEqual({ sealed: true });
  });

  test("of a failure has it retried after its back-off; repeated, it answers the same", async () => {
    const { here, there, signal } = await claimed();
    const said = { description: "the API said 503" };
    expect(await here.report("fail", signal, said)).toMatchObject(took("retrying"));
    expect(await there.report("fail", signal, said)).toMatchObject(took("retrying"));
    await advanceClock(at.db, "2 s");
    expect(await claimOne(here)).toMatchObject({ id: signal.id, execution_count: 2 });
    expect(await there.report("complete", signal)).toMatchObject({ status: 200 });
    expect(await signalStatus(at.db, signal.id)).toBe("in-flight");
  });

  test("says after how long to retry", async () => {
    const { here, signal } = await claimed();
    await here.report("fail", signal, { description: "later", retry_after: "20h" });
    const [row] = await at.db<{ hours: number }[]>`
      select round(extract(epoch from deadline_at - svc_now()) / 3600)::int as hours from queue_signal_live
       where id = ${signal.id}`;
    expect(row?.hours).toBe(20);
  });

  test("says that it is not to be retried: it is dead, with the reason", async () => {
    const { here, signal } = await claimed();
    const said = { description: "no such install", retry: false };
    expect(await here.report("fail", signal, said)).toMatchObject(took("dead"));
    expect(await here.report("fail", signal, said)).toMatchObject(took("dead"));
  });

  test("extends the lease, which then outlives its first end", async () => {
    const { here, signal } = await claimed();
    const extended = await here.report("extend", signal, { lease: "10m" });
    expect(extended).toMatchObject(took("in-flight"));
    expect(Date.parse(extended.body.lease_until ?? "")).toBeGreaterThan(
      Date.parse(signal.lease_until) + 500_000,
    );
    await advanceClock(at.db, "9 minutes");
    expect(await here.report("complete", signal)).toMatchObject(took("finished"));
  });

  test.each([
    ["complete", { result: { long: "x".repeat(65_536) } }, "#/result"],
    ["complete", { lease_id: "" }, "#/lease_id"],
    ["fail", {}, "#/description"],
    ["fail", { description: "", retry_after: "25h" }, "#/retry_after"],
    ["extend", { lease: "2h" }, "#/lease"],
    ["extend", { result: {} }, "#/result"],
  ] as const)("%s refuses %j with the field", async (what, body, pointer) => {
    const { here, signal } = await claimed();
    const answer = await here.report(what, signal, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });
});

test("a worker that extends the lease of what it has ended is told the end, not that another has the signal", async () => {
  const { here, signal } = await claimed();
  expect(await here.report("complete", signal)).toMatchObject(took("finished"));
  const late = await here.report("extend", signal);
  expect(late).toMatchObject(lost);
  expect(late.body).toMatchObject({ signal_status: "finished" });
  expect(JSON.stringify(late.body)).toContain("This lease is over: the signal is finished.");
});

describe("a worker whose lease ran out", () => {
  test("cannot complete, fail or extend, while the signal waits and when another has it", async () => {
    const { here, there, signal } = await claimed();
    await advanceClock(at.db, "31 s");
    await until(async () => (await signalStatus(at.db, signal.id)) === "queued");
    expect(await here.report("complete", signal)).toMatchObject(lost);
    const again = await claimOne(there);
    expect(again.id).toBe(signal.id);
    for (const what of ["complete", "extend"] as const)
      expect(await here.report(what, signal)).toMatchObject(lost);
    expect(await here.report("fail", signal, { description: "" })).toMatchObject(lost);
    expect(await there.report("complete", again)).toMatchObject(took("finished"));
    expect(await here.report("complete", signal)).toMatchObject(lost);
  });

  test("cannot complete a signal that died of it", async () => {
    const { here, signal } = await claimed({ max_executions: 1 });
    await advanceClock(at.db, "31 s");
    await until(async () => (await signalStatus(at.db, signal.id)) === "dead");
    expect(await here.report("complete", signal)).toMatchObject(lost);
  });

  test("cannot complete a signal that was cancelled", async () => {
    const { here, signal, queue } = await claimed();
    await at.db`select * from cancel_signals(${queue.orgId}, ${[signal.id]}::text[], 'no more')`;
    expect(await here.report("complete", signal)).toMatchObject({
      ...lost,
      body: { code: "lease_lost", signal_status: "cancelled" },
    });
  });
});

test("a signal of another org, or of another queue, does not exist for a report", async () => {
  const { here, signal, queue, token } = await claimed();
  const stranger = await givenToken(at.db, { orgId: await givenOrg(at.db) });
  const other = await givenQueue(at.db, { orgId: queue.orgId });
  const [{ url }] = at.brokers;
  for (const worker of [
    httpWorker(url, { ...queue, token: stranger }),
    httpWorker(url, { ...other, token }),
  ]) {
    expect(await worker.report("complete", signal)).toMatchObject({
      status: 404,
      body: { code: "signal_not_found" },
    });
  }
  expect(await here.report("complete", signal)).toMatchObject(took("finished"));
});
