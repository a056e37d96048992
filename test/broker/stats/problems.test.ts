import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import { sampleStats } from "../../../broker/stats/sample-stats.ts";
import type { StatsOverview } from "../../../shared/api/stats-overview.ts";
import { givenApp } from "../../support/apps/given-app.ts";
import { givenOperator, type GivenOperator } from "../../support/broker/given-operator.ts";
import { tallyAll } from "../../support/broker/metrics.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { aSignal, fileSignals } from "../../support/queues/given-signals.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { claim, givenJob, givenProcess, report } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

async function problemsFor(token = at.token) {
  const { body } = await at.call<StatsOverview>("GET /v1/stats/overview", { token });
  return Object.fromEntries(body.problems.map(({ kind, ...rest }) => [kind, rest]));
}

async function givenQueueWithSignal(name: string): Promise<string> {
  const { body: queue } = await at.call<{ id: string }>("POST /v1/queues", { body: { name } });
  await fileSignals(at.db, [aSignal({ orgId: at.orgId, queueId: queue.id })]);
  return queue.id;
}

describe("problems", () => {
  test("are named each with its thing, and only to who may read of it", async () => {
    const paused = await at.createRunner();
    await givenProcess(at.db, paused.given);
    await at.call(`POST /v1/runners/${paused.id}/pause`, { body: { note: "a look" } });
    await givenJob(at.db, paused.given);
    const lost = await at.createRunner();
    await givenJob(at.db, lost.given);
    const stuck = await at.createRunner();
    const processId = await givenProcess(at.db, stuck.given);
    await at.call(`POST /v1/runners/${stuck.id}/graceful-shutdown`);
    const held = await givenQueueWithSignal("held");
    await at.call(`POST /v1/queues/${held}/pause`, { body: {} });
    const failing = await givenQueueWithSignal("failing");
    await at.db`
      insert into queue_signal_ends (signal_id, org_id, queue_id, status, execution_count, finished_at)
      values (${newId("sig")}, ${at.orgId}, ${failing}, 'dead', 3, svc_now())`;
    const { body: workspace } = await at.call<{ id: string }>("POST /v1/terraform-workspaces", {
      body: {},
    });
    await at.call(`POST /v1/terraform-workspaces/${workspace.id}/block`, {
      body: { reason: "a look" },
    });
    await advanceClock(at.db, "6 minutes", { alive: [processId] });
    expect(await sampleStats(at.db)).toBe(true);
    const found = await problemsFor();
    expect(found).toMatchObject({
      "runner-paused": { count: 1, items: [{ id: paused.id, waiting: 1 }] },
      "shutdown-stuck": { count: 1, items: [{ id: stuck.id, waiting: null }] },
      "queue-paused": { count: 1, items: [{ id: held, name: "held", waiting: 1 }] },
      "signals-dead": { count: 1, items: [{ id: failing, name: "failing", waiting: 1 }] },
      "workspace-blocked": { count: 1, items: [{ id: workspace.id, waiting: null }] },
    });
    expect(found["runner-offline"]?.items.map(({ id }) => id)).toContain(lost.id);
    const installer = await givenToken(at.db, { orgId: at.orgId, role: "telemetry_collector" });
    expect((await at.call("GET /v1/stats/overview", { token: installer })).status).toBe(403);
  });

  test("tell of dead signals since the oldest one, and count a hundred of them", async () => {
    const failing = await givenQueueWithSignal("failing often");
    const signals = Array.from({ length: 130 }, (_, n) => ({ id: newId("sig"), age: 130 - n }));
    await at.db`
      insert into queue_signal_ends (signal_id, org_id, queue_id, status, execution_count, finished_at)
      select s.id, ${at.orgId}, ${failing}, 'dead', 3, svc_now() - make_interval(secs => s.age)
        from jsonb_to_recordset(${JSON.stringify(signals)}::text::jsonb) as s (id text, age int)`;
    await advanceClock(at.db, "1 minute");
    await sampleStats(at.db);
    const { "signals-dead": dead } = await problemsFor();
    const item = dead?.items.find(({ id }) => id === failing);
    expect(item?.waiting).toBe(100);
    const [oldest] = await at.db<{ at: Date }[]>`
      select min(finished_at) as at from queue_signal_ends where queue_id = ${failing}`;
    expect(new Date(item?.since ?? "").getTime()).toBe(oldest?.at.getTime());
  });

  test("are also jobs that no process takes, failures, webhooks that fail or are disabled, and workflows that wait for a person", async () => {
    const { db } = at;
    const idle = await at.createRunner();
    const alive = [await givenProcess(db, idle.given, { serves: { actions: 1 } })];
    await givenJob(db, idle.given, { type: "terraform-deploy" });
    const busy = (await at.createRunner()).given;
    const processId = await givenProcess(db, busy);
    alive.push(processId);
    await givenJob(db, busy);
    const [held] = await claim(db, busy, { processId });
    const executionId = held?.executionId ?? "";
    await report(db, busy, { executionId, status: "failed", result: { success: false } });
    const interests = { resources: {} }; // in nothing: what happens here counts at neither
    const { body: hook } = await at.call<{ id: string }>("POST /v1/orgs/current/webhooks", {
      body: { url: "http://127.0.0.1:9/hook", interests },
    });
    const { body: gone } = await at.call<{ id: string }>("POST /v1/orgs/current/webhooks", {
      body: { url: "http://127.0.0.1:9/gone", interests },
    });
    await db`update webhooks set failing_since = svc_now(), failing_events = 7 where id = ${hook.id}`;
    await db`update webhooks set disabled_at = svc_now(), disabled_reason = 'gone' where id = ${gone.id}`;
    const lane = await givenQueueWithSignal("lane");
    const workflow = newId("wfl");
    await db`
      insert into workflows (id, org_id, type, owner_type, owner_id, status, status_at, approval_option, signal_id, queue_id, created_at)
      values (${workflow}, ${at.orgId}, 'reprovision', 'installs', ${newId("ins")}, 'approval-awaiting', svc_now(), 'prompt',
              ${newId("sig")}, ${lane}, svc_now())`;
    const { body: made } = await at.call<{ id: string; workflow_id: string }>(
      `POST /v1/apps/${(await givenApp(db, { orgId: at.orgId })).appId}/installs`,
      { body: { name: "its agent was never started" } },
    );
    const waits = () =>
      db`select from workflow_steps where workflow_id = ${made.workflow_id} and kind = 'healthy' and status = 'in-progress'`;
    await expect.poll(async () => (await waits()).length).toBe(1);
    const told = () =>
      db`select p->>'count' as n from list_problems(svc_now()) l, jsonb_array_elements(l.problems) p
          where org_id = ${at.orgId} and p->>'kind' = 'workflow-waiting'`;
    expect(await told()).toEqual([{ n: "1" }]); // its runner may come within a minute
    await db`
      insert into workflow_steps (id, org_id, workflow_id, group_id, idx, kind, name, execution_type, status, status_at, created_at, started_at)
      select ${newId("stp")}, org_id, workflow_id, group_id, idx + 100, kind, 'again', execution_type, status, status_at, created_at, started_at
        from workflow_steps where workflow_id = ${made.workflow_id} and kind = 'healthy'`;
    await advanceClock(db, "1 minute", { alive });
    await tallyAll(db);
    expect(await sampleStats(db)).toBe(true);
    const found = await problemsFor();
    expect(found).toMatchObject({
      "jobs-without-taker": { count: 1, items: [{ id: idle.id, waiting: 1 }] },
      "jobs-failed": { count: 1, items: [{ id: held?.jobId, name: "noop-deploy" }] },
      "webhook-failing": { count: 1, items: [{ id: hook.id, waiting: 7 }] },
      "webhook-disabled": { count: 1, items: [{ id: gone.id, waiting: null }] },
      "workflow-waiting": {
        count: 2,
        items: [
          { id: workflow, name: "reprovision" },
          { id: made.workflow_id, name: "provision" },
        ],
      },
    });
  });

  test("are at most ten a kind, the oldest; the count says how many", async () => {
    const runners = [];
    for (let n = 0; n < 12; n += 1) runners.push(await at.createRunner());
    for (const { given } of runners) await givenJob(at.db, given);
    await advanceClock(at.db, "1 minute");
    await sampleStats(at.db);
    const { "runner-offline": offline } = await problemsFor();
    expect(offline?.count).toBeGreaterThanOrEqual(13);
    expect(offline?.items).toHaveLength(10);
  });
});
