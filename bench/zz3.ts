import postgres from "postgres";
import { givenBeaters } from "./support/given-beaters.ts";
import { withStage } from "./support/stage.ts";
await withStage(async ({ db, url }) => {
  await givenBeaters(db, 20000);
  const rows = await db<
    { org_id: string; runner_id: string; id: string }[]
  >`select org_id, runner_id, id from runner_processes order by random()`;
  let show = false;
  const one = postgres(url, {
    max: 1,
    onnotice: (n) => {
      if (show)
        console.log(
          String(n["message"])
            .replace(/'[^']{2000,}'/g, "'…'")
            .slice(0, 6000),
        );
    },
  });
  await one
    .unsafe(
      "load 'auto_explain'; set jit=off; set auto_explain.log_min_duration=0; set auto_explain.log_nested_statements=on; set auto_explain.log_analyze=on; set auto_explain.log_buffers=on; set client_min_messages=log",
    )
    .simple();
  let at = 0;
  for (let i = 0; i < 30; i++) {
    show = i === 29;
    const b = Array.from({ length: 400 }, () => rows[at++ % rows.length]!);
    const t = performance.now();
    await one`select * from beat_processes(${b.map((x) => x.id)}::text[], ${b.map((x) => x.org_id)}::text[], ${b.map((x) => x.runner_id)}::text[], array_fill(true, array[400]), array_fill(1::bigint, array[400]), array_fill('1'::text, array[400]), array_fill(true, array[400]), '{}', '{}')`;
    if (show) console.log("took", performance.now() - t);
  }
  await one.end();
});
