import { beforeEach, describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { OrgId } from "../../../../broker/orgs/org-id.ts";
import type { Token } from "../../../../shared/api/tokens.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { advanceClock } from "../../../support/database/clock.ts";
import { testDatabase } from "../../../support/database/database.ts";
import { givenRunner } from "../../../support/rows/given.ts";

type Made = Token & { secret: string };

const database = await testDatabase();
const broker = await startBroker({ url: database.url });
let org: OrgId;
let admin: string;
let runnerId: string;

beforeEach(async () => {
  const first = await bootstrapOrg(database.db, "Acme");
  [org, admin] = [first.orgId, first.adminToken];
  runnerId = (await givenRunner(database.db, { orgId: org })).runnerId;
});

const boot = () =>
  broker.call<Made>(`POST /v1/runners/${runnerId}/enrolment-tokens`, { token: admin });
const ownRunner = (token: string) => broker.call(`GET /v1/runners/${runnerId}`, { token });
const enrol = (token?: string) => broker.call<Made>("POST /v1/enrol", { token });

describe("an enrolment token", () => {
  test("is exchanged for its runner's own token, which reaches that runner", async () => {
    const { status, body } = await boot();
    expect(status).toBe(201);
    expect(body.secret).toMatch(/^svc_boot_/);
    const enrolled = await enrol(body.secret);
    expect(enrolled).toMatchObject({
      status: 201,
      body: { kind: "rt", role: "runner", runner_id: runnerId, org_id: org },
    });
    const own = await broker.call(`GET /v1/runners/${runnerId}`, { token: enrolled.body.secret });
    expect(own.status).toBe(200);
  });

  test("that twenty use at once brings one token that lives", async () => {
    const { body } = await boot();
    const answers = await Promise.all(Array.from({ length: 20 }, () => enrol(body.secret)));
    const enrolled = answers.filter(({ status }) => status === 201);
    expect(enrolled.length).toBeGreaterThan(0);
    const reads = await Promise.all(enrolled.map(({ body: { secret } }) => ownRunner(secret)));
    expect(reads.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(reads.filter(({ status }) => status === 401)).toHaveLength(reads.length - 1);
  });

  test("is exchanged anew while its answer was lost, and the former token is dead", async () => {
    const { body } = await boot();
    const [lost, second] = [await enrol(body.secret), await enrol(body.secret)];
    expect(second.status).toBe(201);
    expect((await ownRunner(lost.body.secret)).status).toBe(401);
    expect((await ownRunner(second.body.secret)).status).toBe(200);
    expect((await enrol(body.secret)).status).toBe(401); // its token is in use
  });

  test("whose token was revoked enrols nobody any more", async () => {
    const { body } = await boot();
    const enrolled = await enrol(body.secret);
    await broker.call(`DELETE /v1/tokens/${enrolled.body.id}`, { token: admin });
    expect((await enrol(body.secret)).status).toBe(401);
  });

  test("lasts an hour", async () => {
    const { body } = await boot();
    await advanceClock(database.db, "61 minutes");
    expect((await enrol(body.secret)).status).toBe(401);
  });

  test("that is revoked enrols nobody", async () => {
    const { body } = await boot();
    await broker.call(`DELETE /v1/tokens/${body.id}`, { token: admin });
    expect((await enrol(body.secret)).status).toBe(401);
  });

  test("can do nothing else", async () => {
    const { body } = await boot();
    expect((await broker.call(`GET /v1/runners/${runnerId}`, { token: body.secret })).status).toBe(
      403,
    );
    expect((await enrol(body.secret)).status).toBe(201);
  });

  test("is made for a live runner of the own org only", async () => {
    const stranger = (await bootstrapOrg(database.db, "Strangers")).adminToken;
    const path = `POST /v1/runners/${runnerId}/enrolment-tokens`;
    expect((await broker.call(path, { token: stranger })).status).toBe(404);
    await database.db`update runners set lifecycle = 'deprovisioned' where id = ${runnerId}`;
    expect((await boot()).status).toBe(404);
  });
});

test("nothing but an enrolment token enrols", async () => {
  expect((await enrol()).status).toBe(401);
  expect((await enrol(admin)).status).toBe(401);
});

describe("a runner's token", () => {
  test("only gives access to its own runner", async () => {
    const { body } = await enrol((await boot()).body.secret);
    const other = await givenRunner(database.db, { orgId: org });
    const token = body.secret;
    expect((await broker.call(`GET /v1/runners/${other.runnerId}`, { token })).status).toBe(404);
    expect(
      (await broker.call(`GET /v1/runners/${other.runnerId}/settings`, { token })).status,
    ).toBe(404);
    expect((await broker.call("GET /v1/runners", { token })).status).toBe(403);
  });
});
