import { connect } from "../broker/database/connect.ts";
import { givenBeaters } from "./support/given-beaters.ts";
import { withStage } from "./support/stage.ts";
await withStage(async ({ db, url }) => {
  await givenBeaters(db, 20000);
  const rows = await db<
    { org_id: string; runner_id: string; id: string }[]
  >`select org_id, runner_id, id from runner_processes order by random()`;
  const one = connect(url, { max: 1 });
  const arr = (v: string[]) => `array[${v.map((x) => `'${x}'`).join(",")}]::text[]`;
  let at = 0;
  const batch = () => {
    const r = Array.from({ length: 400 }, () => rows[at++ % rows.length]!);
    return r;
  };
  const time = async (
    label: string,
    make: (r: typeof rows extends readonly (infer T)[] ? T[] : never) => string,
  ) => {
    const all: number[] = [];
    for (let i = 0; i < 60; i++) {
      const sql = make(batch());
      const [x] = await one.unsafe(`explain (analyze, format json) ${sql}`);
      const e = (x as never as Record<string, { ["Execution Time"]: number }[]>)["QUERY PLAN"]![0]!;
      all.push(e["Execution Time"]);
    }
    all.sort((a, b) => a - b);
    console.log(label, "ms/400 p50", all[30], "min", all[0]);
  };
  await time(
    "beat_processes",
    (r) =>
      `select * from beat_processes(${arr(r.map((x) => x.id))}, ${arr(r.map((x) => x.org_id))}, ${arr(r.map((x) => x.runner_id))}, array_fill(true, array[400]), array_fill(1::bigint, array[400]), array_fill('1'::text, array[400]), ${arr(r.map((x) => x.id))}, '{}', '{}')`,
  );
  await time(
    "beat_processes no names",
    (r) =>
      `select * from beat_processes(${arr(r.map((x) => x.id))}, ${arr(r.map((x) => x.org_id))}, ${arr(r.map((x) => x.runner_id))}, array_fill(true, array[400]), array_fill(1::bigint, array[400]), array_fill('1'::text, array[400]), '{}', '{}', '{}')`,
  );
  await time(
    "touch only",
    (r) =>
      `select * from beat_processes(${arr(r.map((x) => x.id))}, ${arr(r.map((x) => x.org_id))}, ${arr(r.map((x) => x.runner_id))}, array_fill(false, array[400]), array_fill(1::bigint, array[400]), array_fill('1'::text, array[400]), '{}', '{}', '{}')`,
  );
  await time(
    "write_beats",
    (r) =>
      `select write_beats(${arr(r.map((x) => x.id))}, ${arr(r.map((x) => x.org_id))}, ${arr(r.map((x) => x.runner_id))}, array_fill(true, array[400]), array_fill(1::bigint, array[400]), array_fill('1'::text, array[400]), svc_now())`,
  );
  await time("orders_for", (r) => `select * from orders_for(${arr(r.map((x) => x.id))})`);
  const b = batch();
  const plan = await one.unsafe(
    `explain (analyze, buffers) select * from orders_for(${arr(b.map((x) => x.id))})`,
  );
  console.log(
    plan
      .map((x) => x["QUERY PLAN"])
      .filter((l: string) => l.length < 200)
      .join("\n"),
  );
  await one.end();
});
