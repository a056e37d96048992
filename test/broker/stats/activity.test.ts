import { expect, test } from "vitest";
import { newId } from "../../../broker/database/new-id.ts";
import { sampleStats } from "../../../broker/stats/sample-stats.ts";
import type { WebhookStats, WorkflowStats } from "../../../shared/api/activity-stats.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

test("workflows and calls to webhooks are counted by the minute, each once", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org, {
    ends: (plan) => (plan.includes("Hello") ? "failed" : "finished"),
  });
  const cancelled = (await org.run(installId, "greet")).body.workflow_id;
  await org.reach(cancelled, "failed-pending-retry");
  await org.api(`POST /v1/workflows/${cancelled}/cancel`);
  await org.reach(cancelled, "cancelled");
  await db`select make_attempt_partition((svc_now() at time zone 'UTC')::date)`;
  await db`insert into webhook_attempts (id, org_id, delivery_id, n, started_at, duration_ms, result, at)
           select id, ${org.orgId}, id, 1, svc_now(), ms, result, svc_now()
             from (values (${newId("wha")}, 20, 'delivered'), (${newId("wha")}, 400, 'failed')) a (id, ms, result)`;
  for (let minutes = 0; minutes < 6; minutes++) {
    await advanceClock(db, "1 minute");
    await Promise.all([sampleStats(db), sampleStats(db)]);
  }
  const stats = (await org.api<WorkflowStats>("GET /v1/stats/workflows?step=5m")).body;
  expect(sum(stats.ended.succeeded)).toBe(1);
  expect(sum(stats.ended.failed)).toBe(0);
  expect(sum(stats.ended.cancelled)).toBe(1);
  expect(stats.types.map(({ type, ended }) => [type, sum(ended)])).toEqual([
    ["action_workflow_run", 1],
    ["provision", 1],
  ]);
  expect(stats.at).toHaveLength(stats.ended.failed.length);
  expect(Math.max(...stats.duration.p95.map((value) => value ?? 0))).toBeGreaterThan(0);
  const calls = (await org.api<WebhookStats>("GET /v1/stats/webhooks?step=5m")).body;
  expect([sum(calls.calls.delivered), sum(calls.calls.failed)]).toEqual([1, 1]);
  expect(Math.max(...calls.duration.max.map((value) => value ?? 0))).toBe(400e6);
  const byDay = (await org.api<WorkflowStats>("GET /v1/stats/workflows?step=1d")).body;
  expect(sum(byDay.ended.succeeded)).toBe(1);
  const other = await setup();
  const nothing = (await other.api<WorkflowStats>("GET /v1/stats/workflows?step=5m")).body;
  expect(sum(nothing.ended.succeeded)).toBe(0);
});

test("what happened while nobody counted is made up for, ten minutes at a time", async () => {
  const org = await setup();
  await advanceClock(db, "1 minute");
  await sampleStats(db);
  await givenInstall(org);
  await advanceClock(db, "3 hours");
  await sampleStats(db);
  for (let n = 0; n < 4; n++) {
    await advanceClock(db, "1 minute");
    await sampleStats(db);
  }
  const stats = (await org.api<WorkflowStats>("GET /v1/stats/workflows?step=5m")).body;
  expect(sum(stats.ended.succeeded)).toBe(1);
});
