import { beforeAll, describe, expect, test } from "vitest";
import {
  canMove,
  isFinal,
  runnerJobClocks,
  type RunnerJobEvent,
  type RunnerJobStatus,
  runnerJobStatuses,
  type Transition,
  runnerJobTransitions,
} from "../../../shared/runner-job.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenExecution, givenJobs, givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db } = await testDatabase();
const table: [string, Transition][] = Object.entries(runnerJobTransitions);
const events = Object.keys(runnerJobTransitions) as RunnerJobEvent[];
const words = ["", ...runnerJobStatuses, "unknown"];

beforeAll(async () => {
  await db.unsafe(`
    create function is_stored(event text, from_status text, to_status text) returns boolean
      language plpgsql as $$
    begin
      insert into runner_job_events (org_id, runner_job_id, runner_id, job_group, event, from_status, to_status, at)
      values ('org_1', 'job_1', 'run_1', '', event, from_status, to_status, svc_now());
      raise exception using errcode = 'P9999';
    exception
      when check_violation then return false;
      when sqlstate 'P9999' then return true;
    end $$`);
  await db.unsafe(`
    create function moved_to(job text, event text, execution_status text) returns text
      language plpgsql as $$
    declare
      status text;
    begin
      select m.to_status into status
        from move_jobs(array[row(job, event, execution_status, 'broker', '', null, null, null)::job_move], svc_now()) m;
      raise exception using errcode = 'P9999', message = status;
    exception
      when check_violation or not_null_violation then return 'refused';
      when sqlstate 'P9999' then return sqlerrm;
    end $$`);
});

describe("the table of moves", () => {
  test.each([...events, "enqueue", "revive"])(
    "is what the database stores of %s",
    async (event) => {
      const stored = await db<{ move: string }[]>`
      select f || ' → ' || t as move
        from unnest(${words}::text[]) f cross join unnest(${words}::text[]) t
       where is_stored(${event}, f, t) order by 1`;
      const { from, to } =
        event === "enqueue"
          ? { from: [""], to: "queued" }
          : (table.find(([name]) => name === event)?.[1] ?? { from: [], to: "" });
      expect(stored.map(({ move }) => move)).toEqual(from.map((one) => `${one} → ${to}`).sort());
    },
  );

  test("is what the function that moves jobs makes of them, and all else it refuses", async () => {
    const runner = await givenRunner(db, { parallelism: { deploy: 2 } });
    const processId = await givenProcess(db, runner, { serves: { deploy: 2 } });
    const { jobId: running } = await givenExecution(db, runner, { processId });
    const [available = "", queued = ""] = await givenJobs(db, runner, [{}, {}]);
    const jobs = { queued, available, "in-progress": running } as const;
    for (const [from, job] of Object.entries(jobs) as [keyof typeof jobs, string][]) {
      const end = from === "in-progress" ? "failed" : null;
      for (const [event, { to }] of table) {
        if (event === "release" || event === "claim") continue; // made by functions of their own
        const [row] = await db<{ to: string }[]>`select moved_to(${job}, ${event}, ${end}) as to`;
        const expected = canMove(event as RunnerJobEvent, from) ? to : "refused";
        expect(`${from} ${event} ${row?.to}`).toBe(`${from} ${event} ${expected}`);
      }
    }
  });

  test("leaves no final status", () => {
    for (const status of runnerJobStatuses.filter(isFinal)) {
      expect(events.filter((event) => canMove(event, status))).toEqual([]);
    }
    expect(runnerJobStatuses.filter((status) => !isFinal(status))).toEqual([
      "queued",
      "available",
      "in-progress",
    ]);
  });

  test("lets every open status end, and gives each a clock whose end is a move out of it", () => {
    const clocks: Partial<Record<RunnerJobStatus, { expiry: RunnerJobEvent }>> = runnerJobClocks;
    for (const status of runnerJobStatuses.filter((one) => !isFinal(one))) {
      const expiry = clocks[status]?.expiry;
      expect(expiry !== undefined && canMove(expiry, status)).toBe(true);
      expect(canMove("cancel", status)).toBe(true); // the overall timeout
    }
    expect(Object.keys(clocks).every((status) => !isFinal(status as RunnerJobStatus))).toBe(true);
  });

  test("has a live row's status for each open one and an end for each final one, and no other", async () => {
    const allowed = async (name: string) => {
      const [row] = await db<{ text: string }[]>`
        select pg_get_constraintdef(c.oid) as text from pg_constraint c
         where c.conrelid = ${name}::regclass and c.contype = 'c' and pg_get_constraintdef(c.oid) like
               '%(status = ANY (ARRAY[%'`;
      return [...(row?.text ?? "").matchAll(/'([a-z-]+)'::text/g)]
        .map(([, word]) => word)
        .sort(byName);
    };
    const isOpen = (status: RunnerJobStatus) => !isFinal(status);
    expect(await allowed("runner_job_live")).toEqual(runnerJobStatuses.filter(isOpen).sort(byName));
    expect(await allowed("runner_job_ends")).toEqual(
      runnerJobStatuses.filter(isFinal).sort(byName),
    );
  });
});

function byName(one = "", other = ""): number {
  return one < other ? -1 : 1;
}
