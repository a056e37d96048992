import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../broker/database/connect.ts";
import { testDatabase } from "../support/database.ts";
import { until } from "../support/given-polling.ts";

test("a pool is usable again within two seconds, whenever its backends died", async () => {
  const { db: admin, url } = await testDatabase();
  const db = connect(url, { max: 4, applicationName: "svc pool" });
  onTestFinished(async () => await db.end({ timeout: 1 }));
  let isOver = false;
  const answers = async (): Promise<boolean> => {
    const began = performance.now();
    await db`select ${performance.now()}::float8`.catch(() => {});
    return performance.now() - began < 2_000;
  };
  const asking = Array.from({ length: 8 }, async () => {
    const slow: number[] = [];
    while (!isOver) {
      if (!(await answers())) slow.push(1);
    }
    return slow.length;
  });
  for (let round = 0; round < 150; round += 1) {
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc pool'`;
    await until(async () => (await db`select 1`.catch(() => [])).length === 1, 5_000);
  }
  isOver = true;
  expect(await Promise.all(asking)).toEqual(asking.map(() => 0));
}, 60_000);
