import { describe, expect, test } from "vitest";
import type { Org } from "../../../../shared/api/orgs.ts";
import { givenAudit } from "../../../support/broker/given-audit.ts";
import { advanceClock } from "../../../support/database/clock.ts";
import { givenToken } from "../../../support/rows/given-token.ts";
import { givenRunner } from "../../../support/rows/given.ts";

const { db, broker, events, mine, admin, stranger } = await givenAudit();
type Refusal = { code: string; errors: { pointer: string; code: string; detail: string }[] };

const change = (retention_days: unknown, token = admin, headers: Record<string, string> = {}) =>
  broker.call<Org & Refusal>("PATCH /v1/orgs/current", {
    token,
    headers,
    body: { retention_days },
  });
const read = async (token = admin) => await broker.call<Org>("GET /v1/orgs/current", { token });

const brokers = { jobs: null, logs: null, heart_beats: null, health_checks: null, audit: null };

describe("for how long an org keeps what has ended", () => {
  test("is as long as the broker does, until it asks for less; each kind by itself", async () => {
    const limits = { jobs: 90, logs: 30, heart_beats: 7, health_checks: 7, audit: 365 };
    expect((await read()).body).toMatchObject({
      retention_days: brokers,
      retention_limit_days: limits,
    });
    const changed = await change({ jobs: 7, logs: 30, audit: 365 });
    expect(changed.status).toBe(200);
    expect(changed.body.retention_days).toEqual({ ...brokers, jobs: 7, logs: 30, audit: 365 });
    const again = await change({ logs: null, heart_beats: 1, health_checks: 2 });
    const now = { ...brokers, jobs: 7, heart_beats: 1, health_checks: 2, audit: 365 };
    expect(again.body.retention_days).toEqual(now);
    const renamed = await broker.call<Org>("PATCH /v1/orgs/current", {
      token: admin,
      body: { name: "Renamed" },
    });
    expect(renamed.body).toMatchObject({ name: "Renamed", retention_days: now });
    expect((await read(stranger)).body.retention_days).toEqual(brokers);
    const [last, , first] = await events("action=updateCurrentOrg");
    expect(last).toMatchObject({ outcome: "allowed", changes: { name: "Renamed" } });
    expect(first?.changes).toEqual({ retention_days: { jobs: 7, logs: 30, audit: 365 } });
  });

  test.each([
    [{ jobs: 91 }, "#/retention_days/jobs", "longer_than_broker", "1 to 90"],
    [{ logs: 31 }, "#/retention_days/logs", "longer_than_broker", "1 to 30"],
    [{ audit: 366 }, "#/retention_days/audit", "longer_than_broker", "7 to 365"],
    [{ heart_beats: 8 }, "#/retention_days/heart_beats", "longer_than_broker", "1 to 7"],
    [{ audit: 6 }, "#/retention_days/audit", "too_small", "7"],
    [{ jobs: 0 }, "#/retention_days/jobs", "too_small", "1"],
    [{ jobs: -1 }, "#/retention_days/jobs", "too_small", "1"],
    [{ jobs: 3651 }, "#/retention_days/jobs", "too_big", "3650"],
    [{ jobs: 1.5 }, "#/retention_days/jobs", "invalid_type", "whole number"],
    [{ jobs: "7" }, "#/retention_days/jobs", "invalid_type", "number"],
    [{ signals: 7 }, "#/retention_days/signals", "unknown_member", ""],
    [7, "#/retention_days", "invalid_type", "object"],
  ])("is not %j: 422, and nothing is changed", async (asked, pointer, code, says) => {
    const token = await givenToken(db, { orgId: (await givenRunner(db)).orgId });
    const both = typeof asked === "object" ? { health_checks: 3, ...asked } : asked;
    const { status, body } = await change(both, token);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer, code }]);
    expect(body.errors[0]?.detail).toContain(says);
    expect((await read(token)).body.retention_days).toEqual(brokers);
  });

  test("is changed by one of two who read the same version; the other is told 412", async () => {
    const { headers } = await read();
    const etag = headers.get("etag") ?? "";
    const answers = await Promise.all(
      [3, 4, 5, 6].map(async (days) => {
        const { status } = await change({ logs: days }, admin, { "if-match": etag });
        return { status, days };
      }),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412]);
    const won = answers.find(({ status }) => status === 200)?.days;
    const after = await read();
    expect(after.body.retention_days.logs).toBe(won);
    const next = await change({ logs: 9 }, admin, { "if-match": after.headers.get("etag") ?? "" });
    expect(next.status).toBe(200);
    expect(next.headers.get("etag")).toBe((await read()).headers.get("etag"));
  });

  test("is for those who may change the org", async () => {
    for (const role of ["org_support", "org_read_only", "installer"] as const) {
      const token = await givenToken(db, { orgId: mine.orgId, role });
      expect((await change({ jobs: 1 }, token)).status).toBe(403);
    }
  });
});

test("events older than the org's own days are not shown, and another org's are", async () => {
  const [org, other] = [await givenRunner(db), await givenRunner(db)];
  const tokens = await Promise.all([org, other].map(({ orgId }) => givenToken(db, { orgId })));
  const [own = "", others = ""] = tokens;
  for (const token of tokens) await change({ jobs: 5 }, token);
  await advanceClock(db, "8 days");
  expect((await events("", own)).length).toBe(1);
  await change({ audit: 7 }, own);
  const shown = await events("", own);
  expect(shown.map(({ changes }) => changes)).toEqual([{ retention_days: { audit: 7 } }]);
  expect((await events("", others)).length).toBe(1);
});
