import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import { isEndedStep } from "../../../shared/workflow-step.ts";

type Row = {
  readonly kind: string;
  readonly transition: string;
  readonly step_id: string | null;
};
const isEnd = ({ transition }: Row): boolean =>
  ["succeeded", "failed", "cancelled"].includes(transition);

/** A workflow that has finished told each begin and each end of its runs and steps once, and no step had two jobs. */
export async function expectToldOnce(db: Db, id: string): Promise<void> {
  const events = await db<Row[]>`
    select kind, transition, step_id from events where workflow_id = ${id} order by seq`;
  const [runs] = await db<{ begun: number; ended: number; open: number }[]>`
    select count(*) filter (where r.started_at is not null)::int as begun,
           count(*) filter (where r.started_at is not null and r.finished_at is not null)::int as ended,
           count(*) filter (where r.finished_at is null)::int as open
      from workflow_runs r where r.workflow_id = ${id}`;
  const own = events.filter(({ kind }) => kind === "workflow");
  const count = { begun: own.filter((one) => !isEnd(one)).length, ended: own.filter(isEnd).length };
  expect({ ...count, open: 0 }).toEqual(runs);
  expect(own.map((one) => (isEnd(one) ? "end" : "begin"))).toEqual(
    own.map((_, at) => (at % 2 === 0 ? "begin" : "end")),
  );
  const steps = await db<{ id: string; status: string; is_begun: boolean; jobs: number }[]>`
    select s.id, s.status, s.started_at is not null as is_begun,
           (select count(*)::int from runner_jobs j where j.workflow_step_id = s.id) as jobs
      from workflow_steps s where s.workflow_id = ${id}`;
  for (const one of steps) {
    expect(isEndedStep(one.status as "pending")).toBe(true); // a status of the database is one
    expect(one.jobs).toBeLessThanOrEqual(1);
    const said = events.filter(({ step_id: of }) => of === one.id);
    const [begins, over] = [said.filter((e) => e.transition === "started"), said.filter(isEnd)];
    const times = one.is_begun ? 1 : 0;
    expect([begins.length, over.length]).toEqual([times, times]);
    expect([said.at(0), said.at(-1)]).toEqual([begins.at(0), over.at(0)]); // the first word and the last
  }
}
