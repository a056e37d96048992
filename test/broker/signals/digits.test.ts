import { expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenQueue } from "../../support/queues/given-signals.ts";
import { endOfSignal } from "../../support/queues/given-turns.ts";
import { startReceiver } from "../../support/queues/start-receiver.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { db, url } = await testDatabase();
const server = await startBroker({ url });
const digits = "12345678901234567890123";

async function setup() {
  const queue = await givenQueue(db);
  const token = await givenToken(db, { orgId: queue.orgId, role: "org_admin" });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const path = `${server.url}/v1/queues/${queue.queueId}/signals`;
  const post = async (body: string): Promise<string> =>
    await (await fetch(path, { method: "POST", headers, body })).text();
  const get = async (id: string): Promise<string> =>
    await (await fetch(`${server.url}/v1/signals/${id}`, { headers })).text();
  return { post, get };
}

const idOf = (answer: string): string => (JSON.parse(answer) as { id: string }).id;

test("whole numbers beyond 2^53 keep their digits in the answers of an enqueue and of a read", async () => {
  const { post, get } = await setup();
  const signal = `"signal":{"n":${digits},"list":[-${digits}]}`;
  const made = await post(`{"type":"work",${signal}}`);
  expect(made).toContain(signal);
  expect(await get(idOf(made))).toContain(signal);
});

test("whole numbers beyond 2^53 keep their digits in a call, and in the call of a callback", async () => {
  const { post } = await setup();
  const receiver = await startReceiver();
  const call = `{"url":"${receiver.url}/","body":{"n":${digits}}}`;
  const made = await post(`{"type":"http-call","signal":${call},"callback":{"http_call":${call}}}`);
  const { seals } = server.broker;
  await expect.poll(() => endOfSignal(db, seals, idOf(made))).toMatchObject({ status: "finished" });
  await expect.poll(() => receiver.received.length).toBe(2);
  const [first, second] = receiver.received.map(({ body }) => body);
  expect(first).toBe(`{"n":${digits}}`);
  expect(second).toContain(`"data":{"n":${digits}}`);
});
