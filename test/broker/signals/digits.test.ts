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
  const send = async (method: string, path: string, body?: string): Promise<string> =>
    await (await fetch(`${server.url}${path}`, { method, headers, ...(body && { body }) })).text();
  const post = (body: string) => send("POST", `/v1/queues/${queue.queueId}/signals`, body);
  const get = (id: string) => send("GET", `/v1/signals/${id}`);
  return { queue, send, post, get };
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

test("whole numbers beyond 2^53 keep their digits in an emitter, through a change of it, and in what it emits", async () => {
  const { queue, send } = await setup();
  const template = `"signal_template":{"n":${digits}}`;
  const schedule = `"name":"a","mode":"cron","cron_schedule":"0 0 1 1 *"`;
  const path = `/v1/queues/${queue.queueId}/emitters`;
  const made = await send("POST", path, `{${schedule},"signal_type":"work",${template}}`);
  expect(made).toContain(template);
  const own = `/v1/emitters/${idOf(made)}`;
  expect(await send("PATCH", own, `{"signal_type":"other"}`)).toContain(template);
  const signal = `"signal":{"n":${digits}}`;
  expect(await send("POST", `${own}/fire`, "{}")).toContain(signal);
  const other = template.replace('"n"', '"m"');
  expect(await send("PATCH", own, `{${other}}`)).toContain(other);
  expect(await send("GET", own)).toContain(other);
});

test("whole numbers beyond 2^53 keep their digits in a batch, in a claim and in a result", async () => {
  const { queue, send, get } = await setup();
  const path = `/v1/queues/${queue.queueId}/signals`;
  const signal = `"signal":{"n":${digits}}`;
  expect(await send("POST", `${path}/batch`, `{"signals":[{"type":"work",${signal}}]}`)).toContain(
    signal,
  );
  const claimed = await send("POST", `${path}/claim`, `{"wait":"0s"}`);
  expect(claimed).toContain(signal);
  const [first] = (JSON.parse(claimed) as { signals: { id: string; lease_id: string }[] }).signals;
  const result = `"result":{"n":${digits}}`;
  const done = `{"lease_id":"${first?.lease_id ?? ""}",${result}}`;
  await send("POST", `${path}/${first?.id ?? ""}/complete`, done);
  expect(await get(first?.id ?? "")).toContain(result);
});
