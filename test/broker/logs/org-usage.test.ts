import { expect, test } from "vitest";
import { openLog } from "../../../broker/log.ts";
import { makeOrgUsage } from "../../../broker/logs/intake/org-usage.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenOrg } from "../../support/rows/given.ts";

const { db } = await testDatabase();
const log = openLog("error", { write: () => {} });

test("what an org logged counts while it is being added to the database, and after", async () => {
  const orgId = await givenOrg(db);
  const usage = makeOrgUsage(db, 1_000, log);
  usage.add(orgId, 1_001);
  expect(usage.isOver(orgId)).toBe(true);
  await usage.stop();
  expect(usage.isOver(orgId)).toBe(true);
});

test("what could not be added to the database counts once, and is added later", async () => {
  const orgId = await givenOrg(db);
  const usage = makeOrgUsage(db, 1_000, log);
  await db`alter table log_org_days rename to log_org_days_away`;
  usage.add(orgId, 600);
  await usage.stop();
  await db`alter table log_org_days_away rename to log_org_days`;
  expect(usage.isOver(orgId)).toBe(false);
  usage.add(orgId, 401);
  expect(usage.isOver(orgId)).toBe(true);
  await usage.stop();
  const rows = await db`select bytes from log_org_days where org_id = ${orgId}`;
  expect(rows.map(({ bytes }) => Number(bytes))).toEqual([1_001]);
});
