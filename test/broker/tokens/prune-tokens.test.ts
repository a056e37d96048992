import { beforeAll, describe, expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { Token } from "../../../shared/api/tokens.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenToken } from "../../support/rows/given-token.ts";

type Made = Token & { readonly secret: string };

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

async function setup() {
  const { id: runnerId } = await at.createRunner();
  const make = async (more: object = {}) =>
    (
      await createToken(at.db, at.orgId, {
        name: "t",
        kind: "rt",
        runnerId,
        createdById: "",
        ...more,
      })
    ).row.id;
  const rotate = async (id: string) =>
    (await at.call<Made>(`POST /v1/tokens/${id}/rotate`, { body: {} })).body;
  const use = (token: string) => at.call("GET /v1/tokens/current", { token });
  const prune = (token = at.token) =>
    at.call(`POST /v1/runners/${runnerId}/prune-tokens`, { token });
  const alive = async () =>
    (await at.call<{ items: Token[] }>(`GET /v1/tokens?runner_id=${runnerId}`)).body.items
      .filter(({ revoked_at }) => revoked_at === null)
      .map(({ id }) => id);
  return { runnerId, make, rotate, use, prune, alive };
}

describe("a prune of a runner's tokens", () => {
  test("revokes what is past its end, and nothing that may be needed", async () => {
    const { make, rotate, prune, alive } = await setup();
    const other = await setup();
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const [ended, waiting, beside] = [await make({ expiresAt }), await make(), await make()];
    await other.make({ expiresAt });
    const fresh = await rotate(waiting);
    await advanceClock(at.db, "1 hour");
    expect(await prune()).toMatchObject({ status: 200, body: { invalidated_count: 1 } });
    expect((await alive()).toSorted()).toEqual([waiting, beside, fresh.id].toSorted());
    expect(await other.alive()).toHaveLength(1);
    expect((await prune()).body).toEqual({ invalidated_count: 0 });
    const { body } = await at.call<{ items: { changes?: object }[] }>(
      "GET /v1/audit?action=pruneRunnerTokens",
    );
    expect(body.items.map(({ changes }) => changes)).toContainEqual({ revoked: ended });
  });

  test("revokes the token that a rotation replaced, once the new one is used and the old one is not", async () => {
    const { make, rotate, use, prune, alive } = await setup();
    const old = await make();
    const fresh = await rotate(old);
    await use(fresh.secret);
    await at.db`update tokens set last_used_at = svc_now() where id = ${old}`;
    expect((await prune()).body).toEqual({ invalidated_count: 0 });
    await advanceClock(at.db, "6 minutes");
    expect((await prune()).body).toEqual({ invalidated_count: 1 });
    expect(await alive()).toEqual([fresh.id]);
  });

  test("is refused to who may not revoke one of them, and for a runner that is not there", async () => {
    const { runnerId, make, prune, alive } = await setup();
    await make({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
    await advanceClock(at.db, "1 hour");
    const reader = await givenToken(at.db, { orgId: at.orgId, role: "org_read_only" });
    expect(await prune(reader)).toMatchObject({ status: 403 });
    expect(await alive()).toHaveLength(1);
    const gone = `POST /v1/runners/run_${"0".repeat(26)}/prune-tokens`;
    expect(await at.call(gone)).toMatchObject({ status: 404, body: { code: "runner_not_found" } });
    const own = await givenToken(at.db, { orgId: at.orgId, runnerId });
    expect(await prune(own)).toMatchObject({ status: 403 });
  });
});
