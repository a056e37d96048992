import { expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { until } from "../../support/broker/given-polling.ts";
import { stopMemoryClock } from "../../support/database/clock.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";

test("a token revoked while the LISTEN connection was being reopened is not believed any longer", async () => {
  const { db, url } = await testDatabase();
  const { call, broker } = await startBroker({ url, env: { SVC_RATE_TOKEN_PER_S: "0" } });
  const runner = await givenRunner(db);
  await until(async () =>
    (await broker.health.runChecks()).every(({ fault }) => fault === undefined),
  );
  stopMemoryClock(); // no token is asked for anew because it was remembered for long
  for (let round = 0; round < 5; round += 1) {
    const token = await givenToken(db, { orgId: runner.orgId });
    const status = async () => (await call("GET /v1/tokens/current", { token })).status;
    expect(await status()).toBe(200);
    await db`
      select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'svc listen'`;
    await db`update tokens set revoked_at = svc_now() where org_id = ${runner.orgId}`;
    await until(async () => (await status()) === 401);
  }
});
