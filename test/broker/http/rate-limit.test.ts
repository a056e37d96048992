import { describe, expect, onTestFinished, test, vi } from "vitest";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

const database = await testDatabase();
const limited = (env: Record<string, string>) => startBroker({ url: database.url, env });

/** From now on no time passes for the buckets: nothing flows into them, however long the requests take. */
function stopFilling(): void {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
}

const countOf = (answers: readonly { readonly status: number }[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

describe("the pace of requests", () => {
  test("is told with every answer, and kept: 429 with Retry-After past it", async () => {
    const { call } = await limited({ SVC_RATE_TOKEN_PER_S: "1", SVC_RATE_ORG_PER_S: "0" });
    const { orgId, adminToken: token } = await bootstrapOrg(database.db, "Acme");
    stopFilling();
    const first = await call("GET /v1/roles", { token });
    expect(first.headers.get("ratelimit-policy")).toBe(`"token";q=10;w=10`);
    expect(first.headers.get("ratelimit")).toBe(`"token";r=9;t=1`);
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => call("GET /v1/roles", { token })),
    );
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([9, 6]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: "rate_limited" });
    expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const other = await givenToken(database.db, { orgId });
    expect((await call("GET /v1/roles", { token: other })).status).toBe(200);
  });

  test("is kept by an org as a whole", async () => {
    const { call } = await limited({ SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "1" });
    const { orgId } = await bootstrapOrg(database.db, "Acme");
    stopFilling();
    const answers = [];
    for (let n = 0; n < 15; n++) {
      answers.push(
        await call("GET /v1/roles", { token: await givenToken(database.db, { orgId }) }),
      );
    }
    expect([countOf(answers, 200), countOf(answers, 429)]).toEqual([10, 5]);
    const { adminToken: token } = await bootstrapOrg(database.db, "Other");
    expect((await call("GET /v1/roles", { token })).status).toBe(200);
  });

  test("does not count polls and beats, which come by the clock", async () => {
    const { call } = await limited({ SVC_RATE_TOKEN_PER_S: "1", SVC_RATE_ORG_PER_S: "1" });
    const { orgId, runnerId } = await givenRunner(database.db);
    const token = await givenToken(database.db, { orgId, runnerId });
    const poll = () => call(`GET /v1/runners/${runnerId}/jobs/tail?wait=1ms`, { token });
    const statuses = [];
    for (let n = 0; n < 25; n++) statuses.push((await poll()).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("is no matter where both limits are 0", async () => {
    const { call } = await limited({ SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" });
    const { adminToken: token } = await bootstrapOrg(database.db, "Acme");
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => call("GET /v1/roles", { token })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers[0]?.headers.get("ratelimit")).toBeNull();
  });

  test("of who has no token yet is kept by the address", async () => {
    const { call } = await limited({ SVC_RATE_TOKEN_PER_S: "0", SVC_RATE_ORG_PER_S: "0" });
    stopFilling();
    const guess = () => call("POST /v1/enrol", { token: "svc_boot_guessed" });
    const answers = await Promise.all(Array.from({ length: 300 }, guess));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.every(({ headers }) => Number(headers.get("retry-after")) >= 1)).toBe(true);
    expect([countOf(answers, 401), refused.length]).toEqual([200, 100]);
  });
});
