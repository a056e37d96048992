import { describe, expect, test } from "vitest";
import { isLast, statusAfter } from "../../shared/moves.ts";
import {
  isFinalSignal,
  liveSignalStatuses,
  signalEnds,
  signalStatuses,
} from "../../shared/queue-signal.ts";
import {
  executionEnds,
  executionStatuses,
  executionTransitions,
  isExecutionEnd,
} from "../../shared/runner-job-execution.ts";
import {
  departingStatuses,
  processStatuses,
  processTransitions,
  shutdownStatuses,
  shutdownTransitions,
} from "../../shared/runner-process.ts";
import { testDatabase } from "../support/database/database.ts";
import { between, diagramOf, rowsOf } from "../support/moves/draw-moves.ts";
import { machines } from "../support/moves/machines.ts";
import { givenProcess, givenRunner, type GivenRunner } from "../support/rows/given.ts";
import { readRootFile } from "../support/run/source-files.ts";

const { db } = await testDatabase();

describe.each(machines)("the table of moves of $name", (machine) => {
  const { statuses, table, start } = machine;

  test("is what SQL is told where an event leads, row by row", async () => {
    const moves = {
      ...table,
      ...(machine.startIsMove === true && {
        [start.event]: { from: [""], to: start.to, when: "" },
      }),
    };
    const words = ["", ...statuses, "unknown"];
    const events = [...Object.keys(moves), "revive", ""];
    const rows = await db<{ status: string; event: string; after: string | null }[]>`
      select status, event, ${db(`${machine.name}_status_after`)}(status, event) as after
        from unnest(${words}::text[]) status cross join unnest(${events}::text[]) event`;
    expect(rows).toHaveLength(words.length * events.length);
    for (const { status, event, after } of rows) {
      const expected = statusAfter<string>(moves, status, event) ?? null;
      expect(`${status} ${event} ${after}`).toBe(`${status} ${event} ${expected}`);
    }
  });

  test("leads from the first status to every other, and leaves none that is last", () => {
    const reached = new Set([start.to]);
    for (let size = 0; size < reached.size;) {
      size = reached.size;
      for (const { from, to } of Object.values(table))
        if (from.some((one) => reached.has(one))) reached.add(to);
    }
    expect([...reached].sort()).toEqual([...statuses].sort());
    const hasLast = statuses.some((status) => isLast(table, status));
    expect(hasLast).toBe(machine.hasNoLast !== true);
  });

  test("has the statuses that can be stored", async () => {
    const rows = await db<{ text: string }[]>`
      select pg_get_constraintdef(c.oid) as text from pg_constraint c
       where c.conrelid = any(${[...machine.stored]}::regclass[]) and c.contype = 'c'
         and pg_get_constraintdef(c.oid) like 'CHECK ((status = ANY (ARRAY[%'`;
    const stored = rows.flatMap(({ text }) =>
      [...text.matchAll(/'([a-z-]+)'::text/g)].map(([, word = ""]) => word),
    );
    expect(stored.sort()).toEqual([...statuses].sort());
  });

  test("is drawn in its page", async () => {
    const text = await readRootFile(machine.page);
    const [diagram, rows] = machine.marks;
    expect(between(text, diagram)).toBe(diagramOf(machine));
    expect(between(text, rows)).toBe(rowsOf(table));
  });
});

describe("functions that write a status", () => {
  test("ask its table of moves, and name none themselves", async () => {
    const functions = await db<{ name: string; text: string }[]>`
      select proname as name, prosrc as text from pg_proc where pronamespace = 'public'::regnamespace`;
    const tables = machines.flatMap(({ stored }) => stored).join("|");
    const update = new RegExp(
      `update (?:${tables}) \\w\\s+set status = ([\\w.]+(?:\\(\\w*)?)`,
      "g",
    );
    const written = functions.flatMap(({ name, text }) =>
      [...text.matchAll(update)].map(([, value = ""]) => `${name}: ${value}`),
    );
    expect(written.sort()).toEqual([
      "claim_job: job_status_after(l",
      "claim_jobs: job_status_after(l",
      "claim_signals: signal_status_after(l",
      "emit_ticks: coalesce(emitter_status_after",
      "move_emitters: emitter_status_after(e",
      "move_processes: process_status_after(p",
      "move_queues: queue_status_after(q",
      "move_rollout: rollout_status_after(r",
      "move_shutdowns: shutdown_status_after(d",
      "release_jobs: coalesce(job_status_after",
      "release_overdue: job_status_after(l",
      "send_back: execution_status_after(e",
      "send_back: j.to_status", // asked in the same statement
      "send_signals_back: j.to_status", // asked in the same statement
      "start_turns: signal_status_after(l",
      "step_reported: coalesce(execution_status_after", // of older brokers
      "take_reports: coalesce(execution_status_after",
      "write_ends: execution_status_after(e",
      "write_steps: status_after_all(",
      "write_workflow_now: status_after_all(",
    ]);
  });
});

describe("a signal that has ended", () => {
  test("is in no queue, and only a dead one comes back", () => {
    expect([...liveSignalStatuses, ...signalEnds]).toEqual([...signalStatuses]);
    expect(signalEnds.filter((end) => !isFinalSignal(end))).toEqual(["dead"]);
  });
});

describe("the functions that move processes and shutdowns", () => {
  test("move each as its table says, and leave it where the table has no such move", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    for (const status of processStatuses) {
      for (const event of Object.keys(processTransitions)) {
        const after = await movedProcess(processId, status, event);
        const expected = statusAfter(processTransitions, status, event) ?? status;
        expect(`${status} ${event} ${after}`).toBe(`${status} ${event} ${expected}`);
      }
    }
    for (const status of shutdownStatuses) {
      for (const event of Object.keys(shutdownTransitions)) {
        const after = await movedShutdown({ ...runner, processId }, status, event);
        const expected = statusAfter(shutdownTransitions, status, event) ?? status;
        expect(`${status} ${event} ${after}`).toBe(`${status} ${event} ${expected}`);
      }
    }
  });

  test("take a process wherever it says that it is on its way out", async () => {
    const runner = await givenRunner(db);
    const processId = await givenProcess(db, runner);
    for (const status of departingStatuses) {
      await db`select process_goes_down(${processId}, ${status}, '')`;
      expect(await statusOf("runner_processes", processId)).toBe(status);
    }
  });
});

async function movedProcess(id: string, status: string, event: string): Promise<string> {
  await db`
    update runner_processes
       set status = ${status}, deadline_at = case when ${status} in ('inactive', 'shut-down') then null else svc_now() end
     where id = ${id}`;
  await db`select move_processes(${[id]}, ${event}, '', svc_now())`;
  return statusOf("runner_processes", id);
}

async function movedShutdown(
  { orgId, runnerId, processId }: GivenRunner & { readonly processId: string },
  status: string,
  event: string,
): Promise<string> {
  const id = `shd_${status}_${event}`.replaceAll("-", "_");
  await db`
    insert into runner_process_shutdowns (id, org_id, runner_id, runner_process_id, type, status, deadline_at)
    values (${id}, ${orgId}, ${runnerId}, ${processId}, 'graceful', ${status},
            case when ${status} in ('requested', 'in-progress') then svc_now() end)`;
  await db`select move_shutdowns(${[processId]}, ${id}, ${event}, '', svc_now())`;
  return statusOf("runner_process_shutdowns", id);
}

async function statusOf(table: string, id: string): Promise<string> {
  const [row] = await db<{ status: string }[]>`select status from ${db(table)} where id = ${id}`;
  return row?.status ?? "gone";
}

describe("a report of an execution's status", () => {
  test("is the event that leads there, in SQL as in the table", async () => {
    const rows = await db<{ status: string; event: string | null; ends: boolean }[]>`
      select status, execution_event(status) as event, is_execution_end(status) as ends
        from unnest(${[...executionStatuses]}::text[]) status`;
    for (const { status, event, ends } of rows) {
      const [expected = null] = Object.entries(executionTransitions)
        .filter(([name, { to }]) => to === status && name !== "return") // asked for by a word of its own
        .map(([name]) => name);
      expect(`${status} ${event}`).toBe(`${status} ${expected}`);
      expect(ends).toBe(Object.hasOwn(executionEnds, status));
    }
    const ends: readonly string[] = Object.keys(executionEnds);
    expect(executionStatuses.filter(isExecutionEnd)).toEqual(ends);
    expect(await db`select is_execution_end(null) as ends`).toEqual([{ ends: false }]);
    for (const [end, event] of Object.entries(executionEnds)) {
      expect(executionTransitions[event].to).toBe(end);
    }
  });
});
