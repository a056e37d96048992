import { describe, expect, test } from "vitest";
import type { ShownActionRun } from "../../../shared/api/actions.ts";
import { until } from "../../support/broker/given-polling.ts";
import { advanceClock } from "../../support/database/clock.ts";
import { moveClockTo, nowOf } from "../../support/queues/emitting.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi({ brokers: 2 });

const clockwork = (cron_schedule = "*/10 * * * *", more: object = {}) => ({
  ...shopConfig,
  actions: {
    "tidy.toml": {
      name: "tidy",
      triggers: [{ type: "cron", cron_schedule }],
      steps: [{ name: "run", command: "echo tidy" }],
      ...more,
    },
  },
});

type Emitter = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly status_description: string;
  readonly skip_count: number;
  readonly version: number;
};
type Shown = Omit<Emitter, "status" | "status_description"> & {
  readonly status: { readonly status: string; readonly status_human_description: string };
};
type Org = Awaited<ReturnType<typeof setup>>;

async function emittersOf({ api }: Org): Promise<readonly Emitter[]> {
  const { body } = await api<{ items: Shown[] }>("GET /v1/emitters?cursor=&signal_type=action-run");
  return body.items.map(({ status, ...one }) => ({
    ...one,
    status: status.status,
    status_description: status.status_human_description,
  }));
}
async function awaitEmitters(org: Org, expected: readonly object[]): Promise<readonly Emitter[]> {
  let seen: readonly Emitter[] = [];
  await until(async () => {
    seen = await emittersOf(org);
    return (
      seen.length === expected.length &&
      seen.every((one, at) =>
        Object.entries(expected[at] ?? {}).every(([key, value]) => Reflect.get(one, key) === value),
      )
    );
  });
  return seen;
}
async function awaitCancelled({ api }: Org, signalId: string, why: string): Promise<void> {
  let status = { status: "", status_human_description: "" };
  await until(async () => {
    ({ status } = (await api<{ status: typeof status }>(`GET /v1/signals/${signalId}`)).body);
    return status.status === "cancelled";
  });
  expect(status.status_human_description).toContain(why);
}
const runsOf = async ({ api }: Org, installId: string): Promise<readonly ShownActionRun[]> =>
  (await api<ShownActionRun[]>(`GET /v1/installs/${installId}/actions/runs?limit=100`)).body;

/** Two minutes after a tick of each tenth minute: the next one comes when the test says so. */
async function betweenTicks(): Promise<void> {
  const now = (await nowOf(db)).getTime();
  await moveClockTo(db, new Date(Math.ceil(now / 600_000) * 600_000 + 120_000));
}

describe("an action with a cron trigger", () => {
  test("is run at its ticks, once each however many brokers there are", async () => {
    await betweenTicks();
    const org = await setup(clockwork());
    const { installId, agent } = await givenInstall(org);
    const [emitter] = await awaitEmitters(org, [{ name: "tidy: */10 * * * *", status: "active" }]);
    for (let ticks = 1; ticks <= 3; ticks++) {
      await advanceClock(db, "10 minutes", { alive: [agent.processId] });
      await until(async () => {
        const runs = await runsOf(org, installId);
        return runs.length === ticks && runs.every(({ status }) => status === "finished");
      });
    }
    const runs = await runsOf(org, installId);
    expect(runs[0]).toMatchObject({ trigger_type: "cron", triggered_by_id: emitter?.id });
    expect(agent.plans).toHaveLength(3);
    const signals = await db<{ status: string }[]>`
      select d.status from queue_signals s join queue_signal_ends d on d.signal_id = s.id where s.emitter_id = ${emitter?.id ?? ""}`;
    expect(signals.map(({ status }) => status)).toEqual(["finished", "finished", "finished"]);
  });

  test("skips the ticks that come while its last run waits for an approval", async () => {
    await betweenTicks();
    const org = await setup(clockwork("*/10 * * * *", { approval: true }));
    const { installId } = await givenInstall(org);
    await awaitEmitters(org, [{ status: "active" }]);
    await advanceClock(db, "10 minutes");
    await until(async () => (await runsOf(org, installId)).length === 1);
    await advanceClock(db, "10 minutes");
    await awaitEmitters(org, [{ skip_count: 1 }]);
    const [run] = await runsOf(org, installId);
    const workflow = await org.reach(run?.workflow_id ?? "", "approval-awaiting");
    expect((await org.api(`POST /v1/workflows/${workflow.id}/cancel`)).status).toBe(202);
    await org.reach(workflow.id, "cancelled");
    await advanceClock(db, "10 minutes");
    await until(async () => (await runsOf(org, installId)).length === 2);
  });

  test("follows the config that the install has, and rests once it is deprovisioned", async () => {
    const org = await setup(clockwork());
    const { installId } = await givenInstall(org);
    const [first] = await awaitEmitters(org, [{ status: "active" }]);
    const synced = await org.sync(clockwork("0 * * * *"));
    expect(await emittersOf(org)).toMatchObject([{ id: first?.id }]);
    const update = await org.api<{ workflow_id: string }>(
      `POST /v1/installs/${installId}/app-config-updates`,
      { app_config_id: synced.body.id },
    );
    await org.reach(update.body.workflow_id, "success");
    const [second] = await awaitEmitters(org, [{ name: "tidy: 0 * * * *", status: "active" }]);
    expect(second?.id).not.toBe(first?.id);
    const gone = await org.api<{ workflow_id: string }>(
      `POST /v1/installs/${installId}/deprovision`,
    );
    await org.reach(gone.body.workflow_id, "success");
    await awaitEmitters(org, [
      { id: second?.id, status: "paused", status_description: "the install is deprovisioned" },
    ]);
    const deleted = await org.api(`POST /v1/installs/${installId}/forget`, { confirm: "acme" });
    expect(deleted.status).toBe(200);
    expect(await emittersOf(org)).toEqual([]);
  });

  test("cannot be changed or deleted by itself, but paused, and stays so", async () => {
    const org = await setup(clockwork());
    const { installId } = await givenInstall(org);
    const [emitter] = await awaitEmitters(org, [{ status: "active" }]);
    const path = `/v1/emitters/${emitter?.id ?? ""}`;
    const refused = [
      await org.api(`DELETE ${path}`),
      await org.api(`PATCH ${path}`, { description: "mine" }),
    ];
    expect(refused.map(({ body: { code } }) => code)).toEqual([
      "managed_emitter",
      "managed_emitter",
    ]);
    await org.api(`POST ${path}/pause`, { note: "quiet please" });
    const update = await org.api<{ workflow_id: string }>(
      `POST /v1/installs/${installId}/reprovision`,
    );
    await org.reach(update.body.workflow_id, "success");
    await advanceClock(db, "20 minutes");
    await awaitEmitters(org, [{ status: "paused", status_description: "quiet please" }]);
    expect((await org.api(`POST ${path}/fire`)).status).toBe(201);
    await until(async () => (await runsOf(org, installId)).length === 1);
  });

  test("is not run while its install rests, also when somebody wakes its emitter", async () => {
    const org = await setup(clockwork());
    const { installId } = await givenInstall(org);
    const [emitter] = await awaitEmitters(org, [{ status: "active" }]);
    const gone = await org.api<{ workflow_id: string }>(
      `POST /v1/installs/${installId}/deprovision`,
    );
    await org.reach(gone.body.workflow_id, "success");
    await awaitEmitters(org, [{ status: "paused" }]);
    await org.api(`POST /v1/emitters/${emitter?.id ?? ""}/resume`);
    const fired = await org.api<{ id: string }>(`POST /v1/emitters/${emitter?.id ?? ""}/fire`);
    await awaitCancelled(org, fired.body.id, "the install is deprovisioned");
    expect(await runsOf(org, installId)).toEqual([]);
  });

  test("whose signal has its turn when the trigger is gone is not run, and says why", async () => {
    const org = await setup(clockwork());
    const { installId } = await givenInstall(org);
    const [emitter] = await awaitEmitters(org, [{ status: "active" }]);
    await org.sync({ ...clockwork(), actions: shopConfig.actions });
    await db`update installs i set applied_config_id = a.active_config_id from apps a where a.id = i.app_id and i.id = ${installId}`;
    const fired = await org.api<{ id: string }>(`POST /v1/emitters/${emitter?.id ?? ""}/fire`);
    await awaitCancelled(org, fired.body.id, "no longer has a cron trigger for the action tidy");
    expect(await runsOf(org, installId)).toEqual([]);
  });
});

const dayMs = 86_400_000;

/** The instants of a year that have this, by plain counting. */
function hoursOfYear(from: Date, is: (at: Date) => boolean): string[] {
  const first = Math.ceil((from.getTime() + 1) / 3_600_000) * 3_600_000;
  const hours = Array.from({ length: 365 * 24 }, (_, n) => new Date(first + n * 3_600_000));
  return hours.filter(is).map((at) => at.toISOString());
}

test("cron triggers of a year are run at their ticks, each once", async () => {
  const triggers = ["30 3 15 * *", "30 6 1 * *"];
  const [middle = "", first = ""] = triggers;
  const org = await setup({
    ...clockwork(),
    actions: {
      "middle.toml": actionAt("middle", middle),
      "first.toml": actionAt("first", first),
    },
  });
  const { installId, agent } = await givenInstall(org);
  await awaitEmitters(org, [{ status: "active" }, { status: "active" }]);
  const start = await nowOf(db);
  const halfPast = (at: Date) => new Date(at.getTime() - 1_800_000);
  const expected = hoursOfYear(halfPast(start), (at) => {
    const isMiddle = at.getUTCDate() === 15 && at.getUTCHours() === 3;
    return isMiddle || (at.getUTCDate() === 1 && at.getUTCHours() === 6);
  }).map((at) => new Date(Date.parse(at) + 1_800_000).toISOString());
  const seen: string[] = [];
  for (const at of expected) {
    const seconds = (Date.parse(at) - (await nowOf(db)).getTime()) / 1000 + 60;
    await advanceClock(db, `${seconds} seconds`, { alive: [agent.processId] });
    await until(async () => {
      const runs = await runsOf(org, installId);
      return runs.length === seen.length + 1 && runs.every(({ status }) => status === "finished");
    });
    const [last] = await db<{ at: Date }[]>`
      select scheduled_for as at from queue_signals where org_id = ${org.orgId} and emitter_id is not null order by scheduled_for desc limit 1`;
    seen.push(last?.at.toISOString() ?? "");
  }
  expect(seen).toEqual(expected);
  expect(seen).toHaveLength(24);
  expect(agent.plans).toHaveLength(expected.length);
  expect((await nowOf(db)).getTime() - start.getTime()).toBeGreaterThan(330 * dayMs);
});

const actionAt = (name: string, cron_schedule: string) => ({
  name,
  triggers: [{ type: "cron", cron_schedule }],
  steps: [{ name: "run", command: `echo ${name}` }],
});
