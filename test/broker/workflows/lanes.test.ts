import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi();

describe("a lane of an install", () => {
  test("that is full refuses another change, of which nothing is done", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const at = `/v1/installs/${installId}`;
    const lane = await laneOf(org, installId, "changes");
    await org.api(`PATCH /v1/queues/${lane}`, { max_depth: 1 });
    await org.api(`POST /v1/queues/${lane}/pause`, {});
    expect((await org.api(`POST ${at}/reprovision`, {})).status).toBe(201);
    const refused = await org.api(`PATCH ${at}/inputs`, { inputs: { audience: "moon" } });
    expect(refused).toMatchObject({ status: 429, body: { code: "queue_full" } });
    expect((await org.api(`GET ${at}/inputs/current`)).body).toMatchObject({
      version: 1,
      values: { audience: "world" },
    });
  });

  test("keeps its name, and that changes come one at a time", async () => {
    const org = await setup();
    const { body } = await org.create({ start: false });
    const changes = await laneOf(org, body.id, "changes");
    const managed = { status: 409, body: { code: "managed_queue" } };
    expect(await org.api(`PATCH /v1/queues/${changes}`, { max_in_flight: 2 })).toMatchObject(
      managed,
    );
    expect(await org.api(`PATCH /v1/queues/${changes}`, { name: "mine" })).toMatchObject(managed);
    const same = { name: "changes", max_in_flight: 1, max_depth: 5 };
    expect((await org.api(`PATCH /v1/queues/${changes}`, same)).status).toBe(200);
    const actions = await laneOf(org, body.id, "actions");
    expect((await org.api(`PATCH /v1/queues/${actions}`, { max_in_flight: 8 })).status).toBe(200);
  });

  test("cannot be deleted by itself, and goes with its install", async () => {
    const org = await setup();
    const { body } = await org.create({ start: false });
    const lane = await laneOf(org, body.id, "actions");
    expect(await org.api(`DELETE /v1/queues/${lane}`)).toMatchObject({
      status: 409,
      body: { code: "managed_queue" },
    });
    expect((await org.api(`POST /v1/installs/${body.id}/forget`, { confirm: "acme" })).status).toBe(
      200,
    );
    expect((await org.api(`GET /v1/queues/${lane}`)).status).toBe(404);
  });

  test("that is gone all the same is told to whoever needs it", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const { body } = await org.run(installId, "careful");
    const waiting = await org.reach(body.workflow_id, "approval-awaiting");
    const step = waiting.steps.find(({ approval }) => approval !== null);
    if (step === undefined) throw new Error("nothing waits");
    await org.respond(step, { response_type: "deny" });
    await org.reach(body.workflow_id, "error");
    await org.db`update queues set deleted_at = now() where install_id = ${installId}`;
    const gone = { status: 409, body: { code: "lane_gone" } };
    expect(await org.api(`POST /v1/workflows/${body.workflow_id}/resume`)).toMatchObject(gone);
    expect(await org.run(installId, "greet")).toMatchObject(gone);
    expect((await org.read(body.workflow_id)).body.status.status).toBe("error");
  });
});

describe("a config that only later versions provision", () => {
  const later = {
    ...shopConfig,
    components: {
      "web.toml": {
        name: "web",
        type: "helm_chart",
        chart_name: "web",
        public_repo: { repo: "a/b" },
      },
    },
  };
  const unsupported = { status: 409, body: { code: "config_unsupported" } };

  test("comes to no install", async () => {
    const org = await setup();
    const { installId } = await givenInstall(org);
    const at = `POST /v1/installs/${installId}`;
    const { id } = (await org.sync(later)).body;
    expect(await org.api(`${at}/app-config-updates`, { app_config_id: id })).toMatchObject(
      unsupported,
    );
    expect(await org.api(`${at}/reprovision`, {})).toMatchObject(unsupported);
    const before = { app_config_id: org.configId };
    expect((await org.api(`${at}/app-config-updates`, before)).status).toBe(201);
  });

  test("fails a provision that finds it active when its turn comes", async () => {
    const org = await setup();
    const { body } = await org.create({ start: false });
    const lane = await laneOf(org, body.id, "changes");
    await org.api(`POST /v1/queues/${lane}/pause`, {});
    const begun = await org.api<{ workflow_id: string }>(
      `POST /v1/installs/${body.id}/reprovision`,
      {},
    );
    await org.sync(later);
    await org.api(`POST /v1/queues/${lane}/resume`, {});
    const ended = await org.reach(begun.body.workflow_id, "error");
    expect(ended.composite_error).toMatchObject({ code: "config_unsupported", retryable: false });
    expect(ended.steps).toEqual([]);
    const after = (await org.api<Install>(`GET /v1/installs/${body.id}`)).body;
    expect(after.app_config_ref.applied_config_id ?? null).toBeNull();
  });
});

async function laneOf(
  { api }: Awaited<ReturnType<typeof setup>>,
  installId: string,
  lane: string,
): Promise<string> {
  const { queues } = (await api<Install>(`GET /v1/installs/${installId}`)).body;
  return queues.find(({ name }) => name === lane)?.id ?? "";
}
