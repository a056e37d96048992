import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { until } from "../../support/broker/given-polling.ts";
import { untilSettled } from "../../support/database/until-settled.ts";
import { startReceiver } from "../../support/queues/start-receiver.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, url, brokers, setup, call } = await givenWorkflowsApi({ brokers: 2 });
const [here, other] = brokers;
if (here === undefined || other === undefined) throw new Error("there are two brokers");

type Item = { readonly sequence: number; readonly body: string };
type Page = { readonly items: readonly Item[]; readonly next_cursor: string };
type Told = {
  readonly svctransition: string;
  readonly interests: readonly string[];
  readonly data: { readonly workflow: { readonly id: string } };
};
const toldOf = ({ body }: { readonly body: string }): Told => JSON.parse(body) as Told;
const workflowOf = (item: Item): string => toldOf(item).data.workflow.id;

const ask = (query: string, token: string, at = here) =>
  at.call<Page>(`GET /v1/workflow-events?${query}`, { token });

/** Asks until there is something: transactions of other tests hold back what was written after they began. */
async function hear(token: string, from: string): Promise<readonly Item[]> {
  let query = `wait=20s&cursor=${from}`;
  for (;;) {
    const { items, next_cursor: next } = (await ask(query, token)).body;
    if (items.length > 0) return items;
    query = `wait=20s&cursor=${next}`;
  }
}

/** An org with an install, after a run of an action. */
async function givenRun() {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const { body } = await org.run(installId, "greet");
  await org.reach(body.workflow_id, "success");
  await untilSettled(db);
  return { ...org, installId, workflowId: body.workflow_id };
}

describe("the events of workflows", () => {
  test("are followed in the bytes and by the numbers that a receiver gets", async () => {
    const org = await setup();
    const receiver = await startReceiver();
    const webhook = { webhook_url: `${receiver.url}/hook`, webhook_secret: "hush" };
    await org.api("POST /v1/orgs/current/webhooks", webhook);
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "greet");
    await org.reach(body.workflow_id, "success");
    const own = () => receiver.received.filter(({ body: text }) => text.includes(body.workflow_id));
    await until(() => own().length === 6);
    await untilSettled(db);
    const { items } = (await ask("cursor=&limit=500", org.token)).body;
    const followed = items.filter((item) => workflowOf(item) === body.workflow_id);
    const received = own().map(({ headers, body: text }) => ({
      sequence: Number(headers["x-svc-sequence"]),
      body: text,
    }));
    expect(followed).toEqual(received);
    expect(followed.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    const signatures = own().map(({ headers }) => headers["x-svc-signature"]);
    const sign = (text: string) => createHmac("sha256", "hush").update(text).digest("hex");
    expect(followed.map(({ body: text }) => sign(text))).toEqual(signatures);
  });

  test("are narrowed by interests and match, and the cursor moves over the rest", async () => {
    const org = await givenRun();
    const interests = JSON.stringify({ resources: { actions: { outcome: "completion" } } });
    const all = (await ask("cursor=&limit=500", org.token)).body;
    const ended = `interests=${encodeURIComponent(interests)}`;
    const some = (await ask(`cursor=&wait=1ms&${ended}`, org.token)).body;
    const isWanted = (item: Item) =>
      toldOf(item).interests.includes("op:actions.run") && toldOf(item).svctransition !== "started";
    expect(some.items).toEqual(all.items.filter(isWanted));
    expect(some.items.length).toBeGreaterThan(0);
    const of = async (id: string) => {
      const match = encodeURIComponent(JSON.stringify({ installs: { ids: [id] } }));
      return (await ask(`cursor=&wait=1ms&match=${match}`, org.token)).body;
    };
    expect((await of(org.installId)).items).toEqual(all.items);
    const none = await of("ins_1");
    expect(none.items).toEqual([]);
    const rest = await ask(`cursor=${none.next_cursor}&wait=1ms`, org.token);
    expect(rest.body.items).toEqual([]);
  });

  test("come in pages, each once, in the order of each workflow", async () => {
    const org = await givenRun();
    const all = (await ask("cursor=&limit=500", org.token)).body.items;
    const paged: Item[] = [];
    for (let cursor = ""; paged.length < all.length;) {
      const { items, next_cursor: next } = (await ask(`cursor=${cursor}&limit=2`, org.token)).body;
      expect(items.length).toBeLessThanOrEqual(2);
      paged.push(...items);
      cursor = next;
    }
    expect(paged).toEqual(all);
    for (const [, own] of Map.groupBy(all, workflowOf))
      expect(own.map(({ sequence }) => sequence)).toEqual(own.map((_, n) => n + 1));
  });

  test.each([
    ["here", here],
    ["at another broker", other],
  ])("are told to who waits %s", async (_, at) => {
    const org = await givenRun();
    const { next_cursor: cursor } = (await ask("wait=1ms", org.token)).body;
    const parked = ask(`cursor=${cursor}&wait=20s`, org.token, at);
    await expect.poll(() => at.broker.workflowEvents.readers()).toBe(1);
    const told = Promise.withResolvers<void>();
    const leave = at.broker.wakes.subscribe(`events:${org.orgId}`, () => told.resolve());
    const { body } = await org.run(org.installId, "greet");
    await told.promise;
    leave();
    const [first] = (await parked).body.items;
    expect(first?.body).toContain(body.workflow_id);
    await expect.poll(() => at.broker.workflowEvents.readers()).toBe(0);
  });

  test("are found by the fallback scan when nobody told of them", async () => {
    const org = await setup();
    const { next_cursor: cursor } = (await ask("wait=1ms", org.token)).body;
    const parked = ask(`cursor=${cursor}`, org.token);
    await expect.poll(() => here.broker.workflowEvents.readers()).toBe(1);
    await givenEvents(db, [{ orgId: org.orgId, workflowId: "wfl_1" }]);
    expect((await parked).body.items).toMatchObject([{ sequence: 1 }]);
  });

  test("reach many followers of an org through one reader, and none of another org", async () => {
    const [one, two] = [await setup(), await setup()];
    const present = async ({ token }: { readonly token: string }): Promise<string> =>
      (await ask("wait=1ms", token)).body.next_cursor;
    const [from, fromOther] = [await present(one), await present(two)]; // who asks late misses nothing either
    const parked = Array.from({ length: 20 }, () => hear(one.token, from));
    const others = hear(two.token, fromOther);
    await expect.poll(() => here.broker.workflowEvents.readers()).toBe(2);
    await givenEvents(db, [{ orgId: one.orgId, workflowId: "wfl_one" }]);
    for (const items of await Promise.all(parked))
      expect(items.map(workflowOf)).toEqual(["wfl_one"]);
    await givenEvents(db, [{ orgId: two.orgId, workflowId: "wfl_two" }]);
    expect((await others).map(workflowOf)).toEqual(["wfl_two"]);
  });

  test("wait for an older transaction that still writes, so that none is missed", async () => {
    const org = await setup();
    const { next_cursor: cursor } = (await ask("wait=1ms", org.token)).body;
    const older = await db.reserve();
    await older`begin`;
    await older`select pg_current_xact_id()`;
    await givenEvents(db, [{ orgId: org.orgId, workflowId: "wfl_later" }]);
    const { body: held } = await ask(`cursor=${cursor}&wait=100ms`, org.token);
    expect(held.items).toEqual([]);
    await givenEvents(older, [{ orgId: org.orgId, workflowId: "wfl_older" }]);
    await older`commit`;
    older.release();
    await untilSettled(db);
    const { body } = await ask(`cursor=${held.next_cursor}`, org.token);
    expect(body.items.map(workflowOf)).toEqual(["wfl_older", "wfl_later"]);
  });

  test("end the waiting of who follows a broker that stops, and go on at another", async () => {
    const org = await setup();
    const going = await startBroker({ url });
    const { next_cursor: cursor } = (await ask("wait=1ms", org.token, going)).body;
    const parked = ask(`cursor=${cursor}`, org.token, going);
    await expect.poll(() => going.broker.workflowEvents.readers()).toBe(1);
    await going.stop();
    const { items, next_cursor: next } = (await parked).body;
    expect(items).toEqual([]);
    await givenEvents(db, [{ orgId: org.orgId, workflowId: "wfl_after" }]);
    const { body } = await ask(`cursor=${next}`, org.token);
    expect(body.items.map(workflowOf)).toEqual(["wfl_after"]);
  });

  test.each([
    ["interests=x", "?interests"],
    [`interests=${encodeURIComponent("{}")}`, "?interests"],
    [
      `interests=${encodeURIComponent('{"resources":{"planets":{}}}')}`,
      "?interests.resources.planets",
    ],
    [`match=${encodeURIComponent('{"installs":{"ids":[]}}')}`, "?match.installs.ids"],
    ["cursor=x", "?cursor"],
    ["limit=0", "?limit"],
  ])("refuse %s, and say where", async (query, pointer) => {
    const org = await setup();
    const answer = await call<{ errors: { pointer: string }[] }>(
      `GET /v1/workflow-events?${query}`,
      { token: org.token },
    );
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });
});
