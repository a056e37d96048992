import { describe, expect, test } from "vitest";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import type { OrgAccount } from "../../../shared/api/accounts.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";

const database = await testDatabase();
const broker = await startBroker({ url: database.url });
const { adminToken: token, orgId } = await bootstrapOrg(database.db, "Acme");

const make = (key: string, body: object = { name: "Ann", roles: ["org_read_only"] }) =>
  broker.call<OrgAccount>("POST /v1/accounts", {
    token,
    body,
    headers: { "idempotency-key": key },
  });
const count = async () => (await database.db`select from accounts`).length;

describe("a request with an Idempotency-Key", () => {
  test("is done once; its repeat gets the same answer and says so", async () => {
    const first = await make("once");
    const before = await count();
    const again = await make("once");
    expect(again).toMatchObject({ status: 201, body: first.body });
    for (const name of ["idempotent-replayed", "idempotency-replayed"]) {
      expect(again.headers.get(name)).toBe("true");
      expect(first.headers.get(name)).toBeNull();
    }
    expect(await count()).toBe(before);
  });

  test("is done once, however many come at once", async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 20 }, () => make("race")));
    expect(await count()).toBe(before + 1);
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(1);
    const others = answers.filter(({ status }) => status !== 201);
    expect(
      others.every(({ body }) => "code" in body && body.code === "idempotency_in_flight"),
    ).toBe(true);
  });

  test("with another content is 422", async () => {
    await make("reused");
    const other = await make("reused", { name: "Bob", roles: ["org_read_only"] });
    expect(other).toMatchObject({
      status: 422,
      body: { errors: [{ code: "idempotency_key_reused" }] },
    });
    const headers = { "idempotency-key": "reused" };
    const elsewhere = await broker.call("POST /v1/orgs", {
      token,
      body: { name: "Acme" },
      headers,
    });
    expect(elsewhere.status).toBe(422);
  });

  test("that was refused can be tried again with the same key", async () => {
    expect((await make("refused", { name: "Ann", roles: ["king"] })).status).toBe(422);
    expect((await make("refused")).status).toBe(201);
  });

  test("is remembered for a day", async () => {
    const first = await make("daily");
    await advanceClock(database.db, "25 hours");
    const later = await make("daily");
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(first.body.id);
  });

  test("whose broker died gives its key up after a minute, and is found by what it made", async () => {
    const first = await make("died");
    await database.db`
      update idempotency_keys set status = null, body = null where org_id = ${orgId} and key = 'died'`;
    expect(await make("died")).toMatchObject({
      status: 409,
      body: { code: "idempotency_in_flight" },
    });
    await advanceClock(database.db, "2 minutes");
    expect(await make("died")).toMatchObject({ status: 201, body: { id: first.body.id } });
  });

  test("that makes a secret is never repeated, and the secret never stored", async () => {
    const create = () =>
      broker.call("POST /v1/tokens", {
        token,
        body: { name: "ci", kind: "sa", role: "org_builder" },
        headers: { "idempotency-key": "secret" },
      });
    const first = await create();
    expect(first.status).toBe(201);
    expect(await create()).toMatchObject({ status: 409, body: { code: "secret_told_already" } });
    const stored = await database.db`select * from idempotency_keys`;
    expect(JSON.stringify(stored)).not.toContain("svc_sa_");
  });

  test("of another org has keys of its own", async () => {
    await make("mine");
    const other = await bootstrapOrg(database.db, "Other");
    const body = { name: "Ann", roles: ["org_read_only"] };
    const headers = { "idempotency-key": "mine" };
    const answer = await broker.call("POST /v1/accounts", {
      token: other.adminToken,
      body,
      headers,
    });
    expect(answer.headers.get("idempotency-replayed")).toBeNull();
    expect(answer.status).toBe(201);
  });

  test.each(["a b", "\u00e9", "x".repeat(256)])("that is no key is refused: %j", async (key) => {
    expect(await make(key)).toMatchObject({
      status: 422,
      body: { errors: [{ code: "invalid_idempotency_key" }] },
    });
  });
});
