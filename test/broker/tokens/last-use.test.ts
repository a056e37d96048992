import { beforeAll, describe, expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { Token } from "../../../shared/api/tokens.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { untilOneWaits } from "../../support/database/until-one-waits.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

async function setup() {
  const { authenticator } = at.broker.broker;
  const { row, secret } = await createToken(at.db, at.orgId, {
    name: "t",
    kind: "sa",
    role: "org_read_only",
    createdById: "",
  });
  const use = () => at.call("GET /v1/tokens/current", { token: secret });
  const lastUse = async () => {
    await authenticator.flush();
    return (await at.call<Token>(`GET /v1/tokens/${row.id}`)).body.last_used_at;
  };
  return { id: row.id, authenticator, use, lastUse };
}

describe("the last use of a token", () => {
  test("is written down, at most once a minute", async () => {
    const { authenticator, use, lastUse } = await setup();
    await use();
    const first = await lastUse();
    expect(first).not.toBeNull();
    await use();
    authenticator.forgetAll();
    await use();
    expect(await lastUse()).toBe(first);
    await advanceClock(at.db, "2 minutes");
    authenticator.forgetAll();
    await use();
    expect(await lastUse()).not.toBe(first);
  });

  test("is written when a flush has ended, also where another was under way", async () => {
    const { id, authenticator, use } = await setup();
    await at.db`update tokens set used_at = svc_now() where id = ${id}`; // its first use would be written at once
    const order: string[] = [];
    const flushes: Promise<unknown>[] = [];
    await at.db.begin(async (tx) => {
      await tx`select from tokens where id = ${id} for update`;
      await use();
      flushes.push(authenticator.flush());
      flushes.push(authenticator.flush().then(() => order.push("flushed")));
      await untilOneWaits(at.db);
      order.push("let go");
    });
    await Promise.all(flushes);
    expect(order).toEqual(["let go", "flushed"]);
  });
});
