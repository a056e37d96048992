import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Delivery } from "../../../shared/api/webhook-deliveries.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { type Receiver, startReceiver } from "../../support/queues/start-receiver.ts";
import { givenEvents } from "../../support/webhooks/given-events.ts";
import { givenWebhooksApi, webhooksPath as path } from "../../support/webhooks/webhooks-api.ts";

const { db, url, call, setup, givenReceiving } = await givenWebhooksApi();
await startBroker({ url }); // another one, which takes its share

/** What arrived, of each workflow in its order. */
function arrived({ received }: Receiver, where: string): Map<string, number[]> {
  const all = new Map<string, number[]>();
  for (const { path: at, headers, body } of received.filter((one) => one.path === where)) {
    const { data } = JSON.parse(body) as { data: { workflow: { id: string } } };
    const key = `${at} ${data.workflow.id}`;
    all.set(key, [...(all.get(key) ?? []), Number(headers["x-svc-sequence"])]);
  }
  return all;
}

test("a receiver that fails at random gets each workflow's events in their order", async () => {
  const chance = fc.sample(fc.integer({ min: 0, max: 99 }), { numRuns: 2000, seed: 7 });
  let answers = 0;
  const failures = new Map<string, number>();
  // Seldom enough that no event fails four times in a row, after which its successors go on.
  const { orgId, receiver, statuses } = await givenReceiving({
    "/ok": () => {
      const event = receiver.received.at(-1)?.headers["webhook-id"] as string;
      const failed = failures.get(event) ?? 0;
      const isFailure = (chance[(answers += 1)] ?? 0) < 30 && failed < 3;
      if (isFailure) failures.set(event, failed + 1);
      return { status: isFailure ? 500 : 204 };
    },
  });
  const workflows = ["wfl_a", "wfl_b", "wfl_c", "wfl_d"];
  for (let n = 0; n < 8; n += 1) {
    await givenEvents(
      db,
      workflows.map((workflowId) => ({ orgId, workflowId })),
    );
  }
  await until(async () => {
    await advanceClock(db, "3 min");
    const all = await statuses();
    return all.length === 32 && all.every((one) => one === "delivered");
  });
  const first = [1, 2, 3, 4, 5, 6, 7, 8];
  const told = [...arrived(receiver, "/ok").values()].map((seqs) => {
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b)); // repeated, but never behind a later one
    return [...new Set(seqs)];
  });
  expect(told).toEqual(workflows.map(() => first));
  expect(failures.size).toBeGreaterThan(3);
});

/** How long a receiver may take to answer. */
const callMs = 15_000;

test("one receiver that never answers keeps the others of its org from nothing", async () => {
  const { orgId, token, create } = await setup();
  const startedMs = performance.now();
  const hanging = await startReceiver({ "/": () => new Promise(() => {}) });
  const receiver = await startReceiver();
  const dead = (await create({ url: `${hanging.url}/` })).body;
  const ends = Array.from({ length: 30 }, (_, n) => `/${n}`);
  for (const end of ends) await create({ url: receiver.url + end });
  await givenEvents(
    db,
    Array.from({ length: 10 }, (_, n) => ({ orgId, workflowId: `wfl_${n}` })),
  );
  await until(() => receiver.received.length >= 300);
  const { body } = await call<Delivery[]>(`GET ${path}/${dead.id}/deliveries?limit=100`, { token });
  expect(body.filter(({ status }) => status === "delivered")).toEqual([]);
  const givenUp = Math.floor((performance.now() - startedMs) / callMs); // calls that were long enough under way
  expect(hanging.received.length).toBeLessThanOrEqual(4 * (1 + givenUp));
  const told = new Set(
    receiver.received.map((one) => `${one.path} ${String(one.headers["webhook-id"])}`),
  );
  expect(told.size).toBe(300);
});

test("Python finds the signatures right", async () => {
  const { orgId, receiver, statuses, own, token } = await givenReceiving({}, { secret: "first ü" });
  await call(`PATCH ${own}`, { token, body: { secret: "second" } });
  await givenEvents(db, [{ orgId }]);
  await until(async () => (await statuses())[0] === "delivered");
  const [got] = receiver.received;
  const script = `
import base64, hashlib, hmac, json, sys
got = json.load(sys.stdin)
h, body = got["headers"], got["body"].encode()
assert hmac.new(b"second", body, hashlib.sha256).hexdigest() == h["x-svc-signature"]
signed = f'{h["webhook-id"]}.{h["webhook-timestamp"]}.'.encode() + body
each = [hmac.new(key, signed, hashlib.sha256).digest() for key in (b"second", "first ü".encode())]
assert h["webhook-signature"] == " ".join("v1," + base64.b64encode(one).decode() for one in each)
print("right")`;
  const checked = spawnSync("python3", ["-c", script], { input: JSON.stringify(got) });
  expect(checked.stderr.toString()).toBe("");
  expect(checked.stdout.toString()).toBe("right\n");
});
