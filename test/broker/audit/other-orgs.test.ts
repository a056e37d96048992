import { describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { givenAudit } from "../../support/broker/given-audit.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

const { db, broker, mine, theirs, admin, stranger, runnerToken, events } = await givenAudit();
const { call } = broker;
const inTheirs = { "x-svc-org-id": theirs.orgId as string };

describe("a request in an org that its token does not reach", () => {
  test.each([
    ["a change", "POST /v1/queues", { name: "mine" }, "createQueue", 404],
    ["a read", `GET /v1/runners/${theirs.runnerId}`, undefined, "getRunner", 404],
    ["what cannot be read", "POST /v1/queues", { nonsense: 1 }, "createQueue", 404],
  ] as const)("%s is told to the org of the token, and to nobody else", async (...given) => {
    const [, path, body, action, status] = given;
    const before = await events();
    const answer = await call<{ code: string }>(path, { token: admin, body, headers: inTheirs });
    expect(answer).toMatchObject({ status, body: { code: "org_not_found" } });
    const after = await events();
    expect(after.length).toBe(before.length + 1);
    expect(after[0]).toMatchObject({
      action,
      org_id: mine.orgId,
      outcome: "refused",
      status: 404,
      code: "org_not_found",
      changes: { org_id: theirs.orgId },
    });
    expect(await events("", stranger)).toEqual([]);
  });

  test("of a runner is told, too, and of an org that is not there; odd words are cut", async () => {
    const path = `GET /v1/runners/${mine.runnerId}`;
    const odd = { "x-svc-org-id": `org_${"x".repeat(3000)}` };
    expect((await call(path, { token: runnerToken, headers: inTheirs })).status).toBe(404);
    expect((await call(path, { token: runnerToken, headers: odd })).status).toBe(404);
    const [second, first] = await events(`target_id=${mine.runnerId}`);
    expect(first).toMatchObject({ outcome: "refused", changes: { org_id: theirs.orgId } });
    expect(String(second?.changes?.["org_id"])).toHaveLength(100);
  });

  test("in great number is counted", async () => {
    const { orgId } = await givenRunner(db);
    const token = await givenToken(db, { orgId });
    for (let n = 0; n < 80; n += 1) await call("GET /v1/queues", { token, headers: inTheirs });
    await broker.broker.audit.flush();
    const [told] = await db<{ n: number; count: number }[]>`
      select count(*)::int as n, sum(count)::int as count from audit_events where org_id = ${orgId}`;
    expect(told?.count).toBe(80);
    expect(told?.n).toBeLessThan(60);
    expect(await events("", stranger)).toEqual([]);
  });
});

test("what an account does in another org of its own is told there, as what it may not do is", async () => {
  const { orgId, adminToken } = await bootstrapOrg(db, "First");
  const made = await call<{ id: string }>("POST /v1/orgs", {
    token: adminToken,
    body: { name: "Second" },
  });
  const headers = { "x-svc-org-id": made.body.id };
  const body = { name: "there" };
  expect((await call("POST /v1/queues", { token: adminToken, body, headers })).status).toBe(201);
  await broker.broker.audit.flush();
  const told = await db`
    select org_id, action, outcome from audit_events where org_id in (${orgId}, ${made.body.id}) order by at, action`;
  expect(told).toEqual([
    { org_id: orgId, action: "createOrg", outcome: "allowed" },
    { org_id: made.body.id, action: "createQueue", outcome: "allowed" },
  ]);
});
