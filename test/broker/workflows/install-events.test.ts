import { describe, expect, test } from "vitest";
import type { Install, InstallEvent } from "../../../shared/api/install.ts";
import { until } from "../../support/broker/given-polling.ts";
import {
  type End,
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi();

const script = (command: string) => ({ steps: [{ name: "run", command }] });
const checked = {
  ...shopConfig,
  actions: {
    "check.toml": { name: "check", is_healthcheck: true, ...script("echo check") },
    "other.toml": { name: "other", is_healthcheck: true, ...script("echo other") },
    "greet.toml": { name: "greet", ...script("echo greet") },
  },
};

describe("an action that is a health check", () => {
  test("says how healthy its install is by the end of its last run", async () => {
    const org = await setup(checked);
    const ends: Record<string, End> = { check: "failed", other: "finished", greet: "failed" };
    const { installId } = await givenInstall(org, {
      ends: (plan) =>
        Object.entries(ends).find(([name]) => plan.includes(`echo ${name}`))?.[1] ?? "finished",
    });
    const install = async () => (await org.api<Install>(`GET /v1/installs/${installId}`)).body;
    const runOf = async (name: string, status: string) =>
      await org.reach((await org.run(installId, name)).body.workflow_id, status);
    expect(await install()).toMatchObject({ composite_health_status: "", health_checks: [] });

    await runOf("greet", "failed-pending-retry");
    await runOf("other", "success");
    expect((await install()).composite_health_status).toBe("healthy");
    await runOf("check", "failed-pending-retry");
    expect(await install()).toMatchObject({
      composite_health_status: "degraded",
      composite_health_status_description: "Failing: check.",
      health_checks: [
        { action: "check", status: "degraded", detail: "exit code 1" },
        { action: "other", status: "healthy", detail: "" },
      ],
    });
    ends["check"] = "finished";
    await runOf("check", "success");
    expect((await install()).composite_health_status).toBe("healthy");

    const { "check.toml": _, ...others } = checked.actions;
    const synced = await org.sync({ ...checked, actions: others });
    const update = await org.api<{ workflow_id: string }>(
      `POST /v1/installs/${installId}/app-config-updates`,
      { app_config_id: synced.body.id },
    );
    await org.reach(update.body.workflow_id, "success");
    expect((await install()).health_checks).toMatchObject([{ action: "other" }]);
  });
});

test("what was done to an install is listed, with why it failed, and in pages", async () => {
  const org = await setup();
  const { installId, workflowId } = await givenInstall(org, {
    ends: (plan) => (plan.includes("Hello") ? "failed" : "finished"),
  });
  const { body } = await org.run(installId, "greet");
  await org.reach(body.workflow_id, "failed-pending-retry");
  const events = await org.api<InstallEvent[]>(`GET /v1/installs/${installId}/events`);
  expect(events.body).toMatchObject([
    {
      operation: "action_workflow_run",
      operation_name: "Run greet",
      operation_status: "failed",
      payload: { workflow_id: body.workflow_id, transition: "failed" },
    },
    { operation_name: "Run greet", operation_status: "started" },
    { operation: "provision", operation_status: "finished", payload: { workflow_id: workflowId } },
    { operation: "provision", operation_status: "started" },
  ]);
  expect(events.body[0]?.payload.error).toContain("exit code 1");
  const at = `/v1/installs/${installId}/events`;
  expect((await org.api(`GET ${at}/${events.body[1]?.id}`)).body).toEqual(events.body[1]);
  expect((await org.api(`GET ${at}/evt_${"0".repeat(26)}`)).status).toBe(404);
  const paged: InstallEvent[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { items: InstallEvent[]; next_cursor: string | null } = (
      await org.api<{ items: InstallEvent[]; next_cursor: string | null }>(
        `GET /v1/installs/${installId}/events?limit=1&cursor=${encodeURIComponent(cursor)}`,
      )
    ).body;
    paged.push(...page.items);
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(events.body);
  const other = await setup();
  expect((await other.api(`GET /v1/installs/${installId}/events`)).status).toBe(404);
});

test("default labels of a new config go to the installs that are there: a default wins, and one that is gone goes", async () => {
  const org = await setup();
  const { body } = await org.create({ start: false, labels: { tier: "gold", zone: "a" } });
  expect(body.labels).toEqual({ tier: "gold", zone: "a", team: "platform" });
  const synced = await org.sync({
    ...shopConfig,
    "metadata.toml": { name: "shop", default_labels: { tier: "silver" } },
  });
  expect(synced.status).toBe(201);
  const read = async () => (await org.api<Install>(`GET /v1/installs/${body.id}`)).body;
  await until(async () => (await read()).labels["tier"] === "silver");
  expect(await read()).toMatchObject({
    labels: { tier: "silver", zone: "a" },
    app_default_labels: { tier: "silver" },
  });
  expect((await read()).labels).not.toHaveProperty("team");
  const refused = await org.api(`POST /v1/installs/${body.id}/labels`, { labels: { tier: "x" } });
  expect(refused.body.errors).toMatchObject([{ code: "label_locked" }]);
});
