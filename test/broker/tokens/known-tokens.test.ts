import { describe, expect, onTestFinished, test, vi } from "vitest";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { createToken } from "../../../broker/tokens/create-token.ts";
import { mintToken } from "../../../shared/token.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { url, db } = await testDatabase();
const { call } = await startBroker({ url });
const { orgId, adminToken } = await bootstrapOrg(db, "Acme");

/** No time passes for buckets and caches. */
function stopTime(): void {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
}

describe("a token that is remembered", () => {
  test("is one, however it is written in the header", async () => {
    const known = async () =>
      /^svc_known_token_bytes (\d+)$/m.exec((await call<string>("GET /metrics")).body)?.[1];
    // A broker that just begins to listen forgets what it remembered before.
    const remembered = async (): Promise<string | undefined> => {
      expect((await call("GET /v1/roles", { token: adminToken })).status).toBe(200);
      return await known();
    };
    await expect.poll(remembered).toMatch(/^[1-9]/);
    const before = await known();
    for (let n = 1; n <= 50; n++) {
      const authorization = `${n % 2 === 0 ? "bearer" : "Bearer"}${" ".repeat(n)}${adminToken}`;
      expect((await call("GET /v1/roles", { headers: { authorization } })).status).toBe(200);
    }
    expect(await known()).toBe(before);
  });

  test.each([
    ["no space", (token: string) => `Bearer${token}`],
    ["a tab", (token: string) => `Bearer\t${token}`],
    ["a comma and more", (token: string) => `Bearer ${token}, realm=x`],
    ["two tokens", (token: string) => `Bearer ${token} ${token}`],
    ["a thousand spaces", (token: string) => `Bearer${" ".repeat(1024)}${token}`],
    ["a quoted token", (token: string) => `Bearer "${token}"`],
  ])("is refused where the header is not as RFC 6750 has it: %s", async (_, write) => {
    const headers = { authorization: write(adminToken) };
    expect(await call("GET /v1/roles", { headers })).toMatchObject({
      status: 401,
      body: { code: "invalid_token" },
    });
  });
});

describe("a token that nobody made", () => {
  test("is refused again without asking the database", async () => {
    stopTime();
    for (const token of [mintToken("sa"), mintToken("rt")]) {
      expect((await call("GET /v1/roles", { token })).status).toBe(401);
      await db.begin(async (tx) => {
        await tx`lock table tokens in access exclusive mode`;
        expect((await call("GET /v1/roles", { token })).status).toBe(401);
      });
    }
  });

  test("does not keep one that was just made from working at once", async () => {
    for (let n = 0; n < 5; n++) {
      await call("GET /v1/roles", { token: mintToken("sa") });
      const { secret } = await createToken(db, orgId, {
        name: "t",
        kind: "sa",
        role: "org_read_only",
        createdById: "",
      });
      expect((await call("GET /v1/roles", { token: secret })).status).toBe(200);
    }
  });
});

describe("who guesses tokens", () => {
  test("is told 429 by its address, which names the limit; tokens in use go on, and new ones after a while", async () => {
    const small = await startBroker({ url, env: { SVC_RATE_GUESSES_PER_S: "1" } });
    const used = await givenToken(db, { orgId });
    expect((await small.call("GET /v1/roles", { token: used })).status).toBe(200);
    stopTime();
    const guess = async () => small.call("GET /v1/roles", { token: mintToken("sa") });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) statuses.push((await guess()).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const refused = await guess();
    expect(refused.body).toMatchObject({ code: "limit_reached", limit: "guesses_of_address" });
    expect(refused.body["detail"]).toContain("SVC_RATE_GUESSES_PER_S");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await small.call("GET /v1/roles", { token: used })).status).toBe(200);
    const fresh = await givenToken(db, { orgId });
    expect((await small.call("GET /v1/roles", { token: fresh })).status).toBe(429);
    vi.restoreAllMocks();
    await expect
      .poll(async () => (await small.call("GET /v1/roles", { token: fresh })).status)
      .toBe(200);
  });

  test("is told the same when what it tries could be no token", async () => {
    const small = await startBroker({ url, env: { SVC_RATE_GUESSES_PER_S: "1" } });
    stopTime();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const token = `svc_sa_${String(n).padStart(36, "0")}`;
      statuses.push((await small.call("GET /v1/roles", { token })).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    vi.restoreAllMocks();
  });

  test("is nobody who has many tokens that there are", async () => {
    const small = await startBroker({ url, env: { SVC_RATE_GUESSES_PER_S: "1" } });
    stopTime();
    const tokens = await Promise.all(Array.from({ length: 30 }, () => givenToken(db, { orgId })));
    const answers = await Promise.all(
      tokens.map((token) => small.call("GET /v1/roles", { token })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
