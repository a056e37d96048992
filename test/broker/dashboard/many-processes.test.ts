import { expect, test } from "vitest";
import type { RunnerProcess } from "../../../shared/api/runner-process.ts";
import { givenDashboard, signIn } from "../../support/browser/given-dashboard.ts";
import { givenProcess } from "../../support/rows/given.ts";

const dashboard = await givenDashboard();
const { broker, db, link, call } = dashboard;
const cookie = await signIn(await link());

/** A runner with one live process, and this many that crashed after that one had begun. */
async function given(crashed: number) {
  const { id, given: runner } = await dashboard.createRunner();
  const processId = await givenProcess(db, runner);
  const changes = (n: string) => db`jsonb_build_object(
    'id', 'prc_crashed' || ${db.unsafe(n)}, 'status', 'shut-down', 'deadline_at', null,
    'created_at', p.created_at + ${db.unsafe(n)} * interval '1 s')`;
  await db`
    insert into runner_processes
    select (jsonb_populate_record(p, ${changes("n")})).*
      from runner_processes p, generate_series(1, ${crashed}::int) n where p.id = ${processId}`;
  await db`
    insert into runner_process_beats
    select (jsonb_populate_record(w, jsonb_build_object('process_id', 'prc_crashed' || n))).*
      from runner_process_beats w, generate_series(1, ${crashed}::int) n where w.process_id = ${processId}`;
  return { id, processId };
}

test("a live process is found among its runner's, however many crashed after it", async () => {
  const { id, processId } = await given(120);
  const list = async (query: string) => {
    const path = `GET /v1/runners/${id}/processes?${query}`;
    const { body } = await call<{ items: RunnerProcess[]; next_cursor: string | null }>(path);
    return { ids: body.items.map((process) => process.id), next: body.next_cursor };
  };
  expect(await list("alive=true")).toEqual({ ids: [processId], next: null });
  const ended = await list("alive=false&limit=100");
  expect(ended.ids).toHaveLength(100);
  const rest = await list(`alive=false&limit=100&cursor=${encodeURIComponent(ended.next ?? "")}`);
  expect(rest.ids).toHaveLength(20);
  expect([...ended.ids, ...rest.ids]).not.toContain(processId);

  const page = await dashboard.html(`/runners/${id}`, cookie);
  expect(page.text).toContain(`/runners/${id}/processes/${processId}/shutdown`);
  const question = await dashboard.html(`/runners/${id}/drain`, cookie);
  expect(question).toMatchObject({ status: 200 });
  expect(question.text).toContain("1 process is alive");
  const drained = await fetch(`${broker.url}/runners/${id}/drain`, {
    method: "POST",
    body: new URLSearchParams({ deadline: "10m" }),
    headers: { "sec-fetch-site": "same-origin", cookie },
    redirect: "manual",
  });
  expect(drained.status).toBe(303);
});
