import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseKeys } from "../../../broker/seals/key-source.ts";
import { registerKeys } from "../../../broker/seals/register-keys.ts";
import { reseal } from "../../../broker/seals/reseal.ts";
import { openSeals } from "../../../broker/seals/seals.ts";
import { findWebhook } from "../../../broker/webhooks/queries.ts";
import { openSecrets } from "../../../broker/webhooks/secrets.ts";
import { startBroker, type TestBroker } from "../../support/broker/broker.ts";
import { givenOperator } from "../../support/broker/given-operator.ts";
import { dumpOf, expectAllThere, plant, planted } from "../../support/broker/planted-secrets.ts";
import { keyLine } from "../../support/broker/seal-keys.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { testFolder } from "../../support/run/folder.ts";
import { webhooksPath } from "../../support/webhooks/webhooks-api.ts";
import { backendPath, stateText } from "../../support/workspaces/given-workspace.ts";
import { holdWorkspace } from "../../support/workspaces/held-workspace.ts";

const { signal } = new AbortController();
/** Plan, record, result, outputs, two of evidence, two revisions, a state's JSON. */
const plantedThings = 9;

/** A key file, and an operator at a broker that reads it, or at one that seals nothing. All ends with the test. */
async function setup({ isSealing = true } = {}) {
  const { url, db } = await testDatabase();
  onTestFinished(() => db.end({ timeout: 1 }));
  const file = path.join(await testFolder(), "keys");
  const [k1, k2] = [keyLine("k1"), keyLine("k2")];
  const write = (...lines: readonly string[]) => writeFile(file, lines.join("\n"));
  await write(k1);
  const env = { SVC_SEAL_KEYS: `file:${file}` };
  const by = await givenOperator("org_admin", {
    url,
    db,
    env: isSealing ? env : { SVC_SEAL_KEYS: "none" },
  });
  onTestFinished(by.broker.stop);
  const start = async (): Promise<TestBroker> => {
    const another = await startBroker({ url, env });
    onTestFinished(another.stop);
    return another;
  };
  /** As every broker does each minute. */
  const reread = ({ broker }: TestBroker = by.broker) =>
    broker.seals.refresh((keys) => registerKeys(db, "by-hand", keys));
  const keysKnown = async () =>
    (await db<{ id: string }[]>`select id from seal_keys order by id`).map(({ id }) => id);
  return { by, db, url, write, start, reread, keysKnown, k1, k2 };
}

describe("a rotation", () => {
  test("seals with the newest key, opens with the old one, and ends when nothing needs that", async () => {
    const { by, db, write, reread, keysKnown, k1, k2 } = await setup();
    const { broker } = by.broker;
    const made = await plant(by);
    await write(k2, k1);
    await reread();
    expect(await reseal(broker, signal)).toEqual({ sealed: 0, broken: [] }); // others may not have the new key
    await advanceClock(db, "11 minutes");
    expect(await reseal(broker, signal)).toEqual({ sealed: plantedThings, broken: [] });
    expect(await keysKnown()).toEqual(["k1", "k2"]);
    expect(await reseal(broker, signal)).toEqual({ sealed: 0, broken: [] });
    expect(await keysKnown()).toEqual(["k2"]);
    await write(k2);
    await reread();
    await expectAllThere(by.call, made);
  });

  test("seals late outputs anew that are kept beside their body", async () => {
    const { by, db, write, reread, k1, k2 } = await setup();
    const { broker } = by.broker;
    const { execution } = await plant(by);
    const id = execution.split("/").at(-1) ?? "";
    const late = { note: "large as it may be" };
    const plain = Buffer.from(JSON.stringify(late));
    const { keyId, bytes } = broker.seals.seal({ orgId: by.orgId, id, part: "outputs" }, plain);
    await db`
      insert into runner_job_execution_evidence (execution_id, org_id, kind, body, sealed, key_id, reason, created_at)
      values (${id}, ${by.orgId}, 'outputs', '""'::jsonb, ${bytes}, ${keyId}, 'late', svc_now())`;
    await write(k2, k1);
    await reread();
    await advanceClock(db, "11 minutes");
    expect(await reseal(broker, signal)).toEqual({ sealed: plantedThings + 1, broken: [] });
    await write(k2);
    await reread();
    const { body } = await by.call<{ evidence: { body: unknown }[] }>(`GET ${execution}`);
    expect(body.evidence.at(-1)?.body).toEqual(late);
  });

  test("seals the secrets of webhooks anew, the present and the former one", async () => {
    const { by, db, write, reread, keysKnown, k1, k2 } = await setup();
    const { broker } = by.broker;
    const { orgId } = by;
    const given = { url: "https://example.com/", secret: "first" };
    const { body } = await by.call<{ id: string }>(`POST ${webhooksPath}`, { body: given });
    const { id } = body;
    await by.call(`PATCH ${webhooksPath}/${id}`, { body: { secret: "second" } });
    await write(k2, k1);
    await reread();
    await advanceClock(db, "11 minutes");
    expect(await reseal(broker, signal)).toEqual({ sealed: 1, broken: [] });
    expect(await reseal(broker, signal)).toEqual({ sealed: 0, broken: [] });
    expect(await keysKnown()).toEqual(["k2"]);
    await write(k2);
    await reread();
    const row = await findWebhook(db, orgId, id);
    if (row === undefined) throw new Error("There is no webhook.");
    expect([row.key_id, row.previous_key_id]).toEqual(["k2", "k2"]);
    const secrets = openSecrets(broker.seals, { orgId, id }, row);
    expect(secrets).toEqual({ secret: "second", previousSecret: "first" });
  });

  test("goes on behind what does not open, tells what that is, and keeps its key", async () => {
    const { by, db, write, reread, keysKnown, k1, k2 } = await setup();
    const [first, second] = [await plant(by), await plant(by)];
    await db`update runner_job_plans set contents = decode('0011', 'hex') where runner_job_id = ${first.jobId}`;
    await write(k2, k1);
    await reread();
    await advanceClock(db, "11 minutes");
    const broken = [`runner_job_plans ${first.jobId}`];
    const { broker } = by.broker;
    expect(await reseal(broker, signal)).toEqual({ sealed: 2 * plantedThings - 1, broken });
    expect(await reseal(broker, signal)).toEqual({ sealed: 0, broken });
    expect(await keysKnown()).toEqual(["k1", "k2"]);
    await expectAllThere(by.call, second);
  });

  test("forgets no key that a living broker still seals with, or did a moment ago", async () => {
    const { by, db, write, reread, keysKnown, k1, k2 } = await setup();
    const { broker } = by.broker;
    const before = broker.seals.proofs();
    await write(k2, k1);
    await reread();
    await advanceClock(db, "11 minutes");
    await registerKeys(db, "late", before);
    await reseal(broker, signal);
    expect(await keysKnown()).toEqual(["k1", "k2"]);
    await registerKeys(db, "late", broker.seals.proofs());
    await reseal(broker, signal);
    expect(await keysKnown()).toEqual(["k1", "k2"]);
    await advanceClock(db, "11 minutes");
    await registerKeys(db, "late", broker.seals.proofs());
    await reseal(broker, signal);
    expect(await keysKnown()).toEqual(["k2"]);
  });
});

describe("the first key", () => {
  test("seals what was stored readable before there was one", async () => {
    const { by, db, start } = await setup({ isSealing: false });
    const made = await plant(by);
    expect(await dumpOf(by)).toContain(planted);
    const { broker, call } = await start();
    await by.broker.stop();
    await advanceClock(db, "11 minutes");
    expect(await reseal(broker, signal)).toEqual({ sealed: plantedThings, broken: [] });
    expect(await reseal(broker, signal)).toEqual({ sealed: 0, broken: [] });
    expect(await dumpOf(by)).not.toContain(planted);
    const { token } = by;
    await expectAllThere((what, asked) => call(what, { token, ...asked }), made);
  });

  test("leaves a state that comes again what it is: written already", async () => {
    const { by, start } = await setup({ isSealing: false });
    const held = await holdWorkspace(by);
    const text = stateText({ serial: 1 });
    await held.write(text);
    const { call } = await start();
    const path = `POST ${backendPath(held.id, held.lockId)}`;
    expect((await call(path, { token: by.token, body: text })).status).toBe(200);
    expect(await held.revisions()).toHaveLength(1);
  });
});

describe("a broker without a key", () => {
  test("does not start in a database that is sealed, and says what to do", async () => {
    const { db, url } = await setup();
    const started = startBroker({ url, env: { SVC_SEAL_KEYS: "none" } });
    await expect(started).rejects.toThrow(
      "SVC_SEAL_KEYS is none, but this database is sealed. Give this broker the keys of the others (k1).",
    );
    const [marks] = await db<{ n: number }[]>`select count(*)::int as n from seal_brokers`;
    expect(marks?.n).toBe(1);
  });

  test("stores nothing readable once another one seals, and is not ready", async () => {
    const { by, start, reread } = await setup({ isSealing: false });
    const held = await holdWorkspace(by);
    const runner = await by.createRunner();
    const before = await dumpOf(by);
    await start();
    await expect(reread()).rejects.toThrow("SVC_SEAL_KEYS is none");
    const body = { type: "terraform-deploy", operation: "exec", plan: { word: planted } };
    const refused = { status: 503, body: { code: "seal_key_missing" } };
    expect(await by.call(`POST /v1/runners/${runner.id}/jobs`, { body })).toMatchObject(refused);
    expect(await held.write(stateText({ serial: 1, secret: planted }))).toMatchObject(refused);
    const stateJson = `POST /v1/terraform-workspaces/${held.id}/state-json`;
    expect(await by.call(stateJson, { body: { word: planted } })).toMatchObject(refused);
    const ready = await by.call("GET /readyz");
    expect(ready.status).toBe(503);
    expect(JSON.stringify(ready.body)).toContain("SVC_SEAL_KEYS is none");
    expect(before).not.toContain(planted);
    expect(await dumpOf(by)).not.toContain(planted);
  });
});

describe("another key of a known name", () => {
  test("is not taken by a running broker, which seals with the right one and is not ready", async () => {
    const { by, write, reread, k1 } = await setup();
    const held = await holdWorkspace(by);
    await write(keyLine("k1"));
    await expect(reread()).rejects.toThrow("The seal key k1 differs from the key with this id");
    expect((await held.write(stateText({ serial: 1 }))).status).toBe(200);
    const ready = await by.call("GET /readyz");
    expect(ready.status).toBe(503);
    expect(JSON.stringify(ready.body)).toContain(
      "The seal key k1 differs from the key with this id",
    );
    await write(k1);
    await reread();
    await expect.poll(async () => (await by.call("GET /readyz")).status).toBe(200);
    expect((await held.read()).text).toBe(stateText({ serial: 1 }));
  });

  test("is taken by one of ten brokers that bring ten at once", async () => {
    const { db } = await testDatabase();
    const keys = Array.from({ length: 10 }, () => parseKeys(keyLine("k1")));
    const taken = keys.map(async (read, n) => {
      const rings = [[], read];
      const seals = await openSeals({ read: async () => rings.shift() ?? [] });
      return seals.refresh((proofs) => registerKeys(db, `broker-${n}`, proofs));
    });
    const ends = await Promise.allSettled(taken);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});
