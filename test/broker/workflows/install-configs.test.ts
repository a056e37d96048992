import { describe, expect, test } from "vitest";
import type { InstallConfig } from "../../../shared/api/install-config.ts";
import type { Install } from "../../../shared/api/install.ts";
import { givenWorkflowsApi, shopConfig } from "../../support/workflows/workflows-api.ts";

const { call, setup } = await givenWorkflowsApi();

describe("configs of an install", () => {
  test("are replaced whole, and the newest is in force", async () => {
    const { api, create } = await setup();
    const { body: made } = await create({ start: false, install_config: { labels: { a: "b" } } });
    expect(made.install_config).toMatchObject({ approval_option: "prompt", labels: { a: "b" } });
    const at = `/v1/installs/${made.id}/configs`;
    const given = { approval_option: "approve-all", telemetry_enabled: true };
    const second = await api<InstallConfig>(`POST ${at}`, given);
    expect(second).toMatchObject({ status: 201, body: { ...given, labels: {} } });
    const third = await api<InstallConfig>(`POST ${at}`, { approval_option: null });
    expect(third.body).toMatchObject({ approval_option: "prompt", telemetry_enabled: null });
    const { body: install } = await api<Install>(`GET /v1/installs/${made.id}`);
    expect(install.install_config).toEqual(third.body);
    const listed = async (query: string) =>
      (await api<InstallConfig[]>(`GET ${at}?${query}`)).body.map(({ id }) => id);
    const ids = [third.body.id, second.body.id, made.install_config.id];
    expect(await listed("")).toEqual(ids);
    expect(await listed("labels=a")).toEqual([made.install_config.id]);
    const former = `PATCH ${at}/${second.body.id}`;
    expect(await api(former, {})).toMatchObject({ status: 409, body: { code: "config_replaced" } });
    expect((await api(`GET ${at}/${second.body.id}`)).body).toEqual(second.body);
    const other = await create({ name: "other", start: false });
    const strange = `GET /v1/installs/${other.body.id}/configs/${second.body.id}`;
    expect(await api(strange)).toMatchObject({
      status: 404,
      body: { code: "install_config_not_found" },
    });
    for (let n = 0; n < 99; n++) await api(`POST ${at}`, {});
    expect((await listed("limit=100")).length).toBe(100);
    expect((await api(`GET ${at}/${made.install_config.id}`)).status).toBe(404);
  });

  test("are changed as they were read, or not at all", async () => {
    const { api, create, token } = await setup();
    const { body: made } = await create({ start: false });
    const at = `/v1/installs/${made.id}/configs/${made.install_config.id}`;
    const etag = (await call(`GET ${at}`, { token })).headers.get("etag") ?? "";
    const patch = (body: object) =>
      call<InstallConfig>(`PATCH ${at}`, { token, headers: { "if-match": etag }, body });
    const changed = await patch({ approval_option: "approve-all", labels: { a: "b" } });
    expect(changed).toMatchObject({ status: 201, body: { approval_option: "approve-all" } });
    expect(changed.headers.get("etag")).not.toBe(etag);
    expect((await patch({ labels: null })).status).toBe(412);
    const rest = await api<InstallConfig>(`PATCH ${at}`, { labels: null });
    expect(rest.body).toMatchObject({ approval_option: "approve-all", labels: {} });
    const whole = await api<Install>(`PATCH /v1/installs/${made.id}`, {
      install_config: { approval_option: null },
    });
    expect(whole.body.install_config).toMatchObject({
      id: rest.body.id,
      approval_option: "prompt",
    });
  });

  test("decide whether workflows ask", async () => {
    const { api, create, read } = await setup();
    const { body: made } = await create({ start: false });
    await api(`POST /v1/installs/${made.id}/configs`, { approval_option: "approve-all" });
    const begun = await api<{ workflow_id: string }>(
      `POST /v1/installs/${made.id}/reprovision`,
      {},
    );
    expect((await read(begun.body.workflow_id)).body.approval_option).toBe("approve-all");
  });

  test("switch only components that the app's config lets installs leave out", async () => {
    const { api, create, sync } = await setup();
    const refused = await create({ component_toggles: { web: false }, start: false });
    expect(refused.body.errors).toMatchObject([
      { pointer: "#/component_toggles/web", code: "unknown_component" },
    ]);
    const { body: made } = await create({ start: false });
    const component = { type: "job", image_url: "busybox", tag: "1" };
    const components = {
      "web.toml": { name: "web", ...component, toggleable: true },
      "db.toml": { name: "db", ...component },
    };
    expect((await sync({ ...shopConfig, components })).status).toBe(201);
    const at = `POST /v1/installs/${made.id}/configs`;
    const wrong = await api(at, { component_toggles: { wep: true, db: false, web: true } });
    expect(wrong.body.errors).toMatchObject([
      { pointer: "#/component_toggles/wep", code: "unknown_component" },
      { pointer: "#/component_toggles/db", code: "not_toggleable" },
    ]);
    const right = await api<InstallConfig>(at, { component_toggles: { web: false } });
    expect(right.body.component_toggles).toEqual({ web: false });
    const patched = await api(`PATCH /v1/installs/${made.id}`, {
      install_config: { component_toggles: { db: true } },
    });
    expect(patched.body.errors).toMatchObject([
      { pointer: "#/install_config/component_toggles/db", code: "not_toggleable" },
    ]);
  });
});
