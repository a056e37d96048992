import { expect, onTestFinished, test } from "vitest";
import { endLostActs } from "../../broker/audit/queries.ts";
import { startBrokerProcess } from "../support/broker/broker-process.ts";
import { send } from "../support/broker/broker.ts";
import { advanceClock } from "../support/database/clock.ts";
import { testDatabase } from "../support/database/database.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenOrg } from "../support/rows/given.ts";

const { db, url } = await testDatabase();

test("an act whose broker is killed before it answers is in the audit log", async () => {
  const broker = await startBrokerProcess(url);
  onTestFinished(() => broker.kill());
  const orgId = await givenOrg(db);
  const token = await givenToken(db, { orgId });
  await db.begin(async (tx) => {
    await tx`select from orgs where id = ${orgId} for update`;
    const asked = send(broker.url, "PATCH /v1/orgs/current", { token, body: { name: "Other" } });
    const answered = asked.catch(() => undefined);
    await expect.poll(() => db`select from audit_asked where org_id = ${orgId}`).toHaveLength(1);
    await broker.kill();
    expect(await answered).toBeUndefined();
  });
  expect(await endLostActs(db, "10 minutes", 10)).toBe(0); // it may still be under way
  await advanceClock(db, "11 minutes");
  expect(await endLostActs(db, "10 minutes", 10)).toBe(1);
  expect(await endLostActs(db, "10 minutes", 10)).toBe(0);
  const rows = await db`select * from audit_events where org_id = ${orgId}`;
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({
    action: "updateCurrentOrg",
    outcome: "unknown",
    code: "broker_stopped",
    status: null,
    target_id: orgId,
    changes: { name: "Other" },
  });
  expect(await db`select from audit_asked`).toHaveLength(0);
});
