import { describe, expect, test } from "vitest";
import { dropOldAudit } from "../../../broker/retention/drop-old-partitions.ts";
import type { AuditEventBody } from "../../../shared/api/audit.ts";
import { givenAudit } from "../../support/broker/given-audit.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

const { db, broker, events, mine, admin } = await givenAudit();
const { call } = broker;

/** Events of an org of their own, a second apart; every tenth is refused. */
async function givenEvents(count: number) {
  const { orgId } = await givenRunner(db);
  const token = await givenToken(db, { orgId });
  const ended = Array.from({ length: count }, (_, n) => ({
    id: `aud_${String(n).padStart(26, "0")}`,
    org_id: orgId,
    age_ms: 0,
    count: 1,
    status: 200,
    action: n % 2 === 0 ? "updateQueue" : "pauseQueue",
    permission: "",
    code: "",
    outcome: n % 10 === 0 ? "refused" : "allowed",
    actor_id: n % 3 === 0 ? "acc_a" : "acc_b",
    target_type: "queue",
    target_id: `que_${n % 4}`,
    parent_id: n % 4 === 1 ? "que_0" : "",
    ip: "",
    user_agent: "",
    request_id: "",
    reason: "",
    changes: null,
  }));
  await db`select write_audit('[]', ${JSON.stringify(ended)}::text::jsonb)`;
  return { orgId, token };
}

type Line = AuditEventBody & { readonly cursor: string };

async function exported(token: string, query = ""): Promise<Line[]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${broker.url}/v1/audit/export${query}`, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/x-ndjson");
  return (await answer.text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

describe("the list of events", () => {
  test("goes by pages, the newest first, each event once, whatever it is narrowed to", async () => {
    const { token } = await givenEvents(230);
    const all = async (query: string) => {
      const ids: string[] = [];
      let cursor: string | null = "";
      while (cursor !== null) {
        const path: string = `GET /v1/audit?limit=50&cursor=${cursor}${query}`;
        const page = await call<{ items: AuditEventBody[]; next_cursor: string | null }>(path, {
          token,
        });
        expect(page.status).toBe(200);
        ids.push(...page.body.items.map(({ id }) => id));
        cursor = page.body.next_cursor;
      }
      expect(ids).toEqual(ids.toSorted().toReversed());
      expect(new Set(ids).size).toBe(ids.length);
      return ids.length;
    };
    expect(await all("")).toBe(230);
    expect(await all("&outcome=refused")).toBe(23);
    expect(await all("&actor=acc_a")).toBe(77);
    expect(await all("&actor=acc_a&action=updateQueue&outcome=refused")).toBe(8);
    expect(await all("&target_id=que_0")).toBe(58 + 58);
    expect(await all("&target_id=que_3&target_type=queue")).toBe(57);
    expect(await all("&target_type=runner")).toBe(0);
    expect(await all("&to=2020-01-01T00:00:00Z")).toBe(0);
    expect(await all("&from=2020-01-01T00:00:00Z&action=pauseQueue")).toBe(115);
  });

  test("goes on after a page that looked through many events and found none", async () => {
    const { orgId, token } = await givenEvents(1);
    await db`
      insert into audit_events (id, org_id, at, started_at, action, outcome, actor_id)
      select 'aud_m' || lpad(n::text, 25, '0'), ${orgId}, svc_now(), svc_now(), 'noise', 'allowed', 'a'
        from generate_series(1, 6000) n`;
    const first = await call<{ items: unknown[]; next_cursor: string }>(
      "GET /v1/audit?action=updateQueue",
      { token },
    );
    expect(first.body.items).toEqual([]);
    const next = await call<{ items: unknown[] }>(
      `GET /v1/audit?action=updateQueue&cursor=${first.body.next_cursor}`,
      { token },
    );
    expect(next.body.items).toHaveLength(1);
  });

  test.each([
    ["?outcome=maybe", "?outcome"],
    ["?from=yesterday", "?from"],
    ["?cursor=x", "?cursor"],
    ["?action=a%20b", "?action"],
    ["?who=me", "?who"],
  ])("refuses %s", async (query, pointer) => {
    const answer = await call<{ errors: object[] }>(`GET /v1/audit${query}`, { token: admin });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({ pointer });
  });

  test("is for admins and support", async () => {
    for (const [role, status] of [
      ["org_support", 200],
      ["org_read_only", 403],
      ["installer", 403],
    ] as const) {
      const token = await givenToken(db, { orgId: mine.orgId, role });
      expect((await call("GET /v1/audit", { token })).status).toBe(status);
      expect((await call("GET /v1/audit/export", { token })).status).toBe(status);
    }
  });
});

describe("an export", () => {
  test("has each event once, the oldest first, and goes on after any line", async () => {
    const { token } = await givenEvents(1203);
    expect(await exported(token)).toEqual([]); // the last ten seconds come later
    await advanceClock(db, "11 seconds");
    const lines = await exported(token);
    expect(lines).toHaveLength(1203);
    expect(lines.map(({ id }) => id)).toEqual(lines.map(({ id }) => id).toSorted());
    const rest = await exported(token, `?cursor=${lines[700]?.cursor ?? ""}`);
    expect(rest).toEqual(lines.slice(701));
    expect(await exported(token, `?cursor=${lines.at(-1)?.cursor ?? ""}`)).toEqual([]);
    expect(await exported(token, "?outcome=refused")).toHaveLength(121);
    const other = `?outcome=refused&cursor=${lines[0]?.cursor ?? ""}`;
    expect((await call(`GET /v1/audit/export${other}`, { token })).status).toBe(422);
  });
});

test("months whose time is over are dropped, younger ones stay, and the next are there in time", async () => {
  const make = (name: string) => call("POST /v1/queues", { token: admin, body: { name } });
  await make("old");
  const old = await events();
  expect(old).not.toEqual([]);
  await advanceClock(db, "300 days");
  await make("young");
  expect(await dropOldAudit(db, 365)).toBe(0);
  expect((await events()).length).toBe(old.length + 1);
  await advanceClock(db, "66 days");
  expect((await events()).length).toBe(1); // not shown any more, although its month is not over
  await advanceClock(db, "31 days");
  expect(await dropOldAudit(db, 365)).toBeGreaterThanOrEqual(1);
  expect(await dropOldAudit(db, 365)).toBe(0);
  const rows = await db`select action from audit_events where org_id = ${mine.orgId}`;
  expect(rows).toHaveLength(1);
  const parts = await db`select from pg_inherits where inhparent = 'audit_events'::regclass`;
  expect(parts).toHaveLength(4); // of the young one and the one after it, of this month and the next
});
