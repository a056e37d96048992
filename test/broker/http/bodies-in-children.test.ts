import { expect, test } from "vitest";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { givenResults, noise } from "../../support/broker/given-results.ts";
import { withSmallChildren } from "../../support/work/with-small-children.ts";

const { url, broker, setup } = await givenResults();

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

/** A body that waits behind a plan of its org, whose last byte comes when it is told to. */
async function setupWaiting(of: TestBroker) {
  const at = await setup();
  const coming = Promise.withResolvers<void>();
  const plan = {
    sizeBytes: 2,
    async *pieces() {
      yield Buffer.from("{");
      await coming.promise;
      yield Buffer.from("}");
    },
  };
  const type = "terraform-deploy";
  const ahead = of.broker.bodies.planFacts({ orgId: at.orgId, type, plan });
  const leaving = new AbortController();
  const sent = fetch(`${of.url}${at.execution}/result`, {
    method: "POST",
    headers: { authorization: `Bearer ${at.token}`, "content-type": "application/json" },
    body: JSON.stringify({ success: true, contents_compressed: noise(400_000) }),
    signal: leaving.signal,
  }).catch((error: unknown) => error);
  const waiting = (): number => {
    const text = of.broker.metrics.text();
    return Number(/^svc_work_waiting\{pool="bodies"\} (\d+)$/m.exec(text)?.[1]);
  };
  await expect.poll(waiting).toBe(1);
  return { come: coming.resolve, ahead, leaving, sent, waiting };
}

test("a body whose runner leaves while it waits for its turn waits no more", async () => {
  const { leaving, sent, waiting, come, ahead } = await setupWaiting(broker);
  leaving.abort();
  await sent;
  await expect.poll(waiting).toBe(0);
  come();
  expect(await ahead).toMatchObject({ ids: [] });
});

test("a body that waits for its turn when its broker stops is stored, if that comes in time", async () => {
  const other = await startBroker({ url });
  const { sent, come } = await setupWaiting(other);
  const stopped = other.stop();
  come();
  expect(await sent).toMatchObject({ status: 201 });
  await stopped;
});

test("a small body of many values is read in a child, too, with the answers of any other", async () => {
  const at = await setup();
  const readApart = async (end: string) => {
    const { body } = await broker.call<string>("GET /metrics");
    const shown = new RegExp(`^svc_work_total\\{kind="bodies.read",end="${end}"\\} (\\d+)$`, "m");
    return Number(shown.exec(body)?.[1] ?? 0);
  };
  const ends = async () => [await readApart("refused"), await readApart("done")] as const;
  const enqueue = (body: string) =>
    broker.call(`POST /v1/runners/${at.runnerId}/jobs`, { token: at.admin, body });
  const [refused, done] = await ends();
  const many = (value: string) => Array.from({ length: 6_000 }, (_, n) => `"k${n}":${value}`);
  const metadata = await enqueue(`{"type":"noop-deploy","metadata":{${many('"v"').join(",")}}}`);
  expect(metadata).toMatchObject({
    status: 422,
    body: { detail: "#/metadata: At most 100 entries are allowed." },
  });
  const stored = await enqueue(`{"type":"noop-deploy","plan":{${many("1e0").join(",")}}}`);
  expect(stored.status).toBe(201);
  expect(await ends()).toEqual([refused + 1, done + 1]);
  const { id } = stored.body as { id: string };
  const plan = await broker.call<string>(`GET /v1/runner-jobs/${id}/plan?secrets=true`, {
    token: at.admin,
  });
  expect(plan.status).toBe(200);
  expect(plan.body.slice(0, 20)).toBe('{"k0":1e0,"k1":1e0,"');
});
