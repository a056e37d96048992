import { connect } from "../broker/database/connect.ts";
import { makeBeats } from "../broker/processes/beat-processes.ts";
import { makeWakes } from "../broker/wake/wakes.ts";
import { givenBeaters } from "./support/given-beaters.ts";
import { cpuSeconds } from "./support/process-cpu.ts";
import { withStage } from "./support/stage.ts";
await withStage(async ({ db, url, postgresPid }) => {
  await givenBeaters(db, 20000);
  const rows = await db<
    { org_id: string; runner_id: string; id: string }[]
  >`select org_id, runner_id, id from runner_processes order by random()`;
  const pool = connect(url, { max: 10 });
  const beats = makeBeats(
    pool,
    makeWakes(() => {}),
  );
  const go = async (label: string, size: number, rounds: number) => {
    let at = 0;
    const t = performance.now();
    const c = cpuSeconds(postgresPid);
    const me = process.cpuUsage();
    for (let r = 0; r < rounds; r++) {
      const some = Array.from({ length: size }, () => rows[at++ % rows.length]!);
      await Promise.all(
        some.map((p) =>
          beats({
            orgId: p.org_id as never,
            runnerId: p.runner_id,
            processId: p.id,
            aliveTime: 5e9,
            version: "1",
            executions: [],
          }),
        ),
      );
    }
    const n = size * rounds;
    const m = process.cpuUsage(me);
    console.log(
      label,
      "pg us/beat",
      (((cpuSeconds(postgresPid) - c) / n) * 1e6).toFixed(1),
      "node us/beat",
      ((m.user + m.system) / n).toFixed(1),
      "wall/flush ms",
      ((performance.now() - t) / rounds).toFixed(1),
    );
  };
  await go("warm", 400, 50);
  await go("400", 400, 150);
  await go("400", 400, 150);
  await go("1000", 1000, 60);
  if (process.argv[2]) {
    await pool.end();
    const one = connect(url, { max: 1 });
    const ids = rows.slice(0, 400);
    const explain = async (sql: string, params: unknown[]) => {
      const r = await one.unsafe("explain (analyze, buffers) " + sql, params as never);
      console.log(r.map((x) => x["QUERY PLAN"]).join("\n"));
    };
    await one.unsafe("load 'auto_explain'");
    await one
      .unsafe(
        "set auto_explain.log_min_duration=0; set auto_explain.log_nested_statements=on; set auto_explain.log_analyze=on; set client_min_messages=log",
      )
      .simple();
    void explain;
    void ids;
  }
  await pool.end({ timeout: 1 });
});
