import { PgBoss } from "pg-boss";

/** pg-boss as its documentation starts it, without its timers: no bench runs long enough for them. */
export async function startBoss(connectionString: string): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, supervise: false, schedule: false, max: 10 });
  boss.on("error", (error: Error) => process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  return boss;
}
