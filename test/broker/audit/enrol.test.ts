import { expect, test } from "vitest";
import type { Token } from "../../../shared/api/tokens.ts";
import { mintToken } from "../../../shared/token.ts";
import { givenAudit } from "../../support/broker/given-audit.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { misspelt } from "../../support/tokens/misspelt.ts";

const { db, broker, mine, admin, stranger, events } = await givenAudit();
const { call } = broker;
const enrol = (token: string) => call<Token & { code: string }>("POST /v1/enrol", { token });

async function boot(): Promise<Token & { readonly secret: string }> {
  const path = `POST /v1/runners/${mine.runnerId}/enrolment-tokens`;
  return (await call<Token & { secret: string }>(path, { token: admin, body: {} })).body;
}

const enrolments = async () => await events("action=enrol");

test("an agent that enrols is told: by which token, for which runner, and what it got", async () => {
  const { id, secret } = await boot();
  const got = await enrol(secret);
  expect(got.status).toBe(201);
  const [event, ...others] = await enrolments();
  expect(event).toMatchObject({
    outcome: "allowed",
    status: 201,
    actor_id: id,
    token_id: id,
    target_type: "token",
    target_id: got.body.id,
    parent_id: mine.runnerId,
    ip: "127.0.0.1",
    permission: null,
  });
  expect(others).toEqual([]);
  expect((await events(`target_id=${mine.runnerId}`))[0]).toMatchObject({ action: "enrol" });
  expect(await db`select from audit_asked`).toEqual([]);
  expect(JSON.stringify(await events())).not.toContain(secret);
});

test("one whose token is used, revoked or too old is told as refused, to the token's org alone", async () => {
  const [used, revoked, old] = [await boot(), await boot(), await boot()];
  const { secret } = (await enrol(used.secret)).body as unknown as { secret: string };
  await call(`GET /v1/runners/${mine.runnerId}`, { token: secret });
  await call(`DELETE /v1/tokens/${revoked.id}`, { token: admin });
  for (const { secret: word } of [used, revoked]) expect((await enrol(word)).status).toBe(401);
  await advanceClock(db, "61 minutes");
  expect((await enrol(old.secret)).status).toBe(401);
  const told = await events("action=enrol&outcome=refused");
  expect(told.map(({ token_id }) => token_id)).toEqual([old.id, revoked.id, used.id]);
  expect(told[0]).toMatchObject({
    status: 401,
    code: "invalid_token",
    target_type: "runner",
    target_id: mine.runnerId,
  });
  expect(await events("action=enrol", stranger)).toEqual([]);
});

test("tokens that nobody made leave nothing, and a flood of refusals few events", async () => {
  const before = (await enrolments()).length;
  const { id, secret } = await boot();
  for (const wrong of [misspelt(secret), mintToken("boot")]) {
    expect((await enrol(wrong)).status).toBe(401);
  }
  expect((await enrol("svc_boot_nonsense")).status).toBe(401);
  expect((await enrolments()).length).toBe(before);
  await call(`DELETE /v1/tokens/${id}`, { token: admin });
  let refused = 0;
  while (refused < 80) {
    const { status } = await enrol(secret);
    if (status === 401) refused += 1; // else the address sends too many
  }
  await broker.broker.audit.flush();
  const [told] = await db<{ n: number; count: number }[]>`
    select count(*)::int as n, sum(count)::int as count from audit_events
     where org_id = ${mine.orgId} and token_id = ${id} and outcome = 'refused'`;
  expect(told?.count).toBe(80);
  expect(told?.n).toBeLessThan(60);
  expect(await db`select from audit_asked`).toEqual([]);
});

test("nobody enrols while the audit log cannot be written; later the same token does", async () => {
  const { secret } = await boot();
  await db`alter table audit_asked rename to audit_gone`;
  const refused = await enrol(secret);
  await db`alter table audit_gone rename to audit_asked`;
  expect(refused).toMatchObject({ status: 503, body: { code: "audit_unavailable" } });
  expect((await enrol(secret)).status).toBe(201);
});
