import { describe, expect, test } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { redriveSignal, redriveSignals } from "../../../broker/signals/redrive-signals.ts";
import { askRedrive } from "../../../broker/signals/require-redrive.ts";
import type { Permission } from "../../../shared/permissions.ts";
import { givenRunner } from "../../support/rows/given.ts";
import { givenActor } from "../../support/tokens/given-actor.ts";
import { givenLanes, operator } from "../../support/tokens/given-lanes.ts";

const { db, org, made, namedQueue, deadIn, die, statusOf, lane } = await givenLanes();
const { broker } = org.brokers[0] ?? {};
if (broker === undefined) throw new Error("there is a broker");

test("what was not opened to see what it asks is left, and told", async () => {
  const queue = await namedQueue("unopened");
  const id = await deadIn(queue, { type: "flush", signal: { queue_id: lane.queue_id } });
  const idle = await deadIn(queue, { type: "noop" });
  const caller = givenActor(org.orgId, { permissions: new Set(operator) });
  const asked = { queueId: queue, ids: [id, idle], untilMs: Infinity };
  const none = await askRedrive(broker, caller, { ...asked, mostBytes: 0 });
  expect(none).toEqual({
    refusals: new Map(),
    permitted: [idle],
    left: new Set([id]),
    openedBytes: 0,
  });
  const one = await askRedrive(broker, caller, { ...asked, mostBytes: 1 });
  expect([...one.refusals.keys()]).toEqual([id]);
  expect([one.permitted, one.left.size]).toEqual([[idle], 0]);
  const late = await askRedrive(broker, caller, { ...asked, mostBytes: 1, untilMs: 0 });
  expect(late).toMatchObject({ permitted: [], left: new Set([id, idle]), openedBytes: 0 });
});

test("one signal is not redriven either before it was looked at, which is told", async () => {
  const queue = await namedQueue("alone");
  const id = await deadIn(queue, { type: "flush", signal: { queue_id: lane.queue_id } });
  const of = (permissions: readonly Permission[]) =>
    givenActor(org.orgId, { permissions: new Set(permissions) });
  const may = [...operator, "installs.operate"] as const;
  const unlooked = { status: 503, code: "unavailable", headers: { "retry-after": "1" } };
  for (const bounds of [
    { mostBytes: 0, enoughMs: Infinity },
    { mostBytes: Infinity, enoughMs: 0 },
  ]) {
    await expect(redriveSignal(broker, of(may), id, bounds)).rejects.toMatchObject(unlooked);
    expect(await statusOf(id)).toBe("dead");
  }
  await expect(redriveSignal(broker, of(operator), id)).rejects.toMatchObject({ status: 403 });
  await redriveSignal(broker, of(may), id);
  expect(await statusOf(id)).toBe("queued");
});

test("what is opened to see what it asks is opened in pieces, between which others have their turn", async () => {
  const queue = await namedQueue("long");
  const { runnerId } = await givenRunner(db, { orgId: org.orgId });
  const job = { type: "noop-deploy", plan: { text: "x".repeat(200_000) }, runner_id: runnerId };
  const ids: string[] = [];
  while (ids.length < 6) ids.push(await deadIn(queue, { type: "runner-job", signal: job }));
  const opened = [0];
  const turned = () => void opened.push(0);
  const { seals: real } = broker;
  const seals: typeof real = {
    ...real,
    open(thing, sealed) {
      if (opened.at(-1) === 0) setImmediate(turned);
      opened.push((opened.pop() ?? 0) + sealed.bytes.length);
      return real.open(thing, sealed);
    },
  };
  const caller = givenActor(org.orgId, { permissions: new Set([...operator, "jobs.write"]) });
  const asked = { queueId: queue, ids, mostBytes: 2 ** 25, untilMs: Infinity };
  const { left, openedBytes } = await askRedrive({ ...broker, seals }, caller, asked);
  expect([left.size, opened.reduce((sum, bytes) => sum + bytes)]).toEqual([0, openedBytes]);
  expect(openedBytes).toBeGreaterThan(6 * 200_000);
  expect(Math.max(...opened)).toBeLessThanOrEqual(512 * 1024);
});

/** The database, where something happens as it is about to be listed what signals do, and as that was listed. */
function asListed(real: Db, act: Readonly<Record<"before" | "after", () => Promise<unknown>>>): Db {
  return new Proxy(real, {
    apply(target, self, args: [TemplateStringsArray, ...unknown[]]) {
      const ask = () => Reflect.apply(target, self, args) as Promise<unknown>;
      if (!Array.isArray(args[0]) || !args[0].join("").includes("with dead as")) return ask();
      return act.before().then(async () => {
        const answer = await ask();
        await act.after();
        return answer;
      });
    },
  });
}

describe("a signal that is live when it is asked what it does, and dead before the write, stays dead", () => {
  const caller = givenActor(org.orgId, { permissions: new Set(operator) });
  const deed = { type: "flush", signal: { queue_id: lane.queue_id } };
  const revive = async (id: string) => await made(`POST /v1/signals/${id}/redrive`, {});
  const nothing = async (): Promise<void> => {};

  test("where it is named, which says so of it and no less of the others", async () => {
    const queue = await namedQueue("named");
    const [known, idle, id] = [
      await deadIn(queue, deed),
      await deadIn(queue, { type: "noop" }),
      (await made(`POST /v1/queues/${queue}/signals`, deed)).id,
    ];
    const parts = { ...broker, db: asListed(db, { before: nothing, after: () => die(id) }) };
    const ids = [known, id, "sig_none", idle];
    const answer = await redriveSignals(parts, caller, { queueId: queue, ids });
    expect(await statusOf(id)).toBe("dead");
    expect(answer).toMatchObject({ redriven: 1, forbidden: 1, hasMore: true });
    expect(answer.told).toEqual([
      { signalId: known, outcome: "forbidden" },
      { signalId: id, outcome: "not-dead" },
      { signalId: "sig_none", outcome: "not-found" },
      { signalId: idle, outcome: "redriven" },
    ]);
    const again = await redriveSignals(broker, caller, { queueId: queue, ids: [id] });
    expect(again.told).toEqual([{ signalId: id, outcome: "forbidden" }]);
  });

  test("where it is the only one", async () => {
    const queue = await namedQueue("only");
    const id = await deadIn(queue, deed);
    await revive(id);
    const parts = { ...broker, db: asListed(db, { before: nothing, after: () => die(id) }) };
    await expect(redriveSignal(parts, caller, id)).rejects.toMatchObject({
      code: "signal_not_dead",
    });
    expect(await statusOf(id)).toBe("dead");
  });

  test("where all are redriven, and another redrives it meanwhile", async () => {
    const queue = await namedQueue("all");
    const [id, idle] = [await deadIn(queue, deed), await deadIn(queue, { type: "noop" })];
    const act = { before: () => revive(id), after: () => die(id) };
    const parts = { ...broker, db: asListed(db, act) };
    const answer = await redriveSignals(parts, caller, { queueId: queue, ids: undefined });
    expect([await statusOf(id), await statusOf(idle)]).toEqual(["dead", "queued"]);
    expect(answer).toMatchObject({ redriven: 1, forbidden: 0 });
  });
});
