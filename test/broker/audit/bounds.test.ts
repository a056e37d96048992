import { expect, test } from "vitest";
import type { AuditEvent } from "../../../broker/audit/audit-entry.ts";
import { makeAuditTally } from "../../../broker/audit/audit-tally.ts";
import { actBounds, makeEventBudget, refusalBounds } from "../../../broker/audit/event-budget.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { givenAudit } from "../../support/broker/given-audit.ts";

const { db, broker, mine, theirs } = await givenAudit();

const eventOf = (target: string, orgId = mine.orgId, tokenId = "tok_loop"): AuditEvent => ({
  id: newId("aud"),
  org_id: orgId,
  action: "updateQueue",
  permission: null,
  actor_id: "acc_a",
  account_id: null,
  token_id: tokenId,
  target_type: "queue",
  target_id: target,
  parent_id: "",
  ip: "",
  user_agent: "",
  request_id: "",
  reason: "",
  changes: null,
  outcome: "allowed",
  status: 200,
  code: "",
  age_ms: 0,
  count: 1,
});

test("a token's budget of refusals fills up again, and one token does not use up its org's", () => {
  const admits = makeEventBudget(refusalBounds);
  const count = (token: string) =>
    Array.from({ length: 300 }, () => admits(mine.orgId, token)).filter(Boolean).length;
  expect(count("a")).toBe(50);
  expect(count("a")).toBe(0);
  expect(count("b") + count("c") + count("d") + count("e")).toBe(150);
});

test("a loop of allowed acts is counted past its bound, and no act is missing from the sum", async () => {
  const { audit } = broker.broker;
  const acts = actBounds.token.most + 700;
  await Promise.all(Array.from({ length: acts }, async () => await audit.end(eventOf("que_a"))));
  await audit.end(eventOf("que_b", theirs.orgId));
  await audit.flush();
  const rows = await db<{ org_id: string; rows: number; acts: number }[]>`
    select org_id, count(*)::int as rows, sum(count)::int as acts from audit_events
     where action = 'updateQueue' group by org_id`;
  const ours = rows.find((row) => row.org_id === mine.orgId);
  expect(ours?.acts).toBe(acts);
  expect(ours?.rows).toBeLessThan(actBounds.token.most + 100); // what is refilled meanwhile is told, too
  expect(rows.find((row) => row.org_id === theirs.orgId)).toMatchObject({ rows: 1, acts: 1 });
});

test("of counts only those that were not written are counted on", () => {
  const tally = makeAuditTally();
  for (const target of ["que_a", "que_a", "que_b"])
    tally.add(eventOf(target), { outcome: "allowed", status: 200, code: "" });
  const { taken, giveBack } = tally.take();
  giveBack(taken.filter(({ event }) => event.target_id === "que_a"));
  tally.add(eventOf("que_a"), { outcome: "allowed", status: 200, code: "" });
  const again = tally.take().taken.map(({ event }) => [event.target_id, event.count]);
  expect(again).toEqual([["que_a", 3]]);
});
