import { expect, test } from "vitest";
import { givenResults, noise } from "../../support/broker/given-results.ts";
import { withSmallChildren } from "../../support/work/with-small-children.ts";

const { broker, setup } = await givenResults();

test("a body of too many values is refused, and its child dies of it alone: another org's is stored meanwhile", async () => {
  withSmallChildren(broker.broker);
  const [at, other] = [await setup(), await setup()];
  const faults = () => broker.logged.filter((line) => line.includes("work was given up")).length;
  const before = faults();
  const values = `{"success":true,"contents":[${"{},".repeat(2_000_000)}{}]}`;
  const refused = broker.call(`POST ${at.execution}/result`, { token: at.token, body: values });
  const body = { success: true, contents_compressed: noise(400_000) };
  const stored = await broker.call(`POST ${other.execution}/result`, {
    token: other.token,
    body,
  });
  expect(stored.status).toBe(201);
  expect(await refused).toMatchObject({ status: 413, body: { code: "too_many_parts" } });
  expect(faults()).toBe(before);
  const next = await broker.call(`POST ${at.execution}/result`, { token: at.token, body });
  expect(next.status).toBe(201);
});

test("a body whose runner leaves while it waits for its turn waits no more", async () => {
  const at = await setup();
  const waiting = async () => {
    const { body } = await broker.call<string>("GET /metrics");
    return Number(/^svc_work_waiting\{pool="bodies"\} (\d+)$/m.exec(body)?.[1]);
  };
  const coming = Promise.withResolvers<void>();
  const plan = {
    sizeBytes: 2,
    async *pieces() {
      yield Buffer.from("{");
      await coming.promise;
      yield Buffer.from("}");
    },
  };
  const ahead = broker.broker.bodies.planFacts({
    orgId: at.orgId,
    type: "terraform-deploy",
    plan,
  });
  const leaving = new AbortController();
  const sent = fetch(`${broker.url}${at.execution}/result`, {
    method: "POST",
    headers: { authorization: `Bearer ${at.token}`, "content-type": "application/json" },
    body: JSON.stringify({ success: true, contents_compressed: noise(400_000) }),
    signal: leaving.signal,
  }).catch((error: unknown) => error);
  await expect.poll(waiting).toBe(1);
  leaving.abort();
  await sent;
  await expect.poll(waiting).toBe(0);
  coming.resolve();
  expect(await ahead).toMatchObject({ ids: [] });
});
