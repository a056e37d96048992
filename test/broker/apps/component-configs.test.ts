import { describe, expect, test } from "vitest";
import type { ShownComponent } from "../../../shared/api/components.ts";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { chain, shopWith, job } from "../../support/apps/component-documents.ts";

const { call, setup: setupApps } = await givenAppsApi();
type Component = ShownComponent & Refused;
type Connection = Refused & { id: string; app_config_version: number; version: number };

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const api = <Body = Component>(what: string) => {
    const [method, path = ""] = what.split(" ");
    return call<Body>(`${method} ${path.startsWith("/v1/") ? path : `${at}${path}`}`, { token });
  };
  const idOf = async (name: string) =>
    (await api<Component[]>(`GET /components?name=${name}`)).body[0]?.id ?? "";
  return { at, api, idOf, ...rest };
}

describe("configs of a component", () => {
  test("are one for each config of the app that had it, with its members by its type", async () => {
    const { api, sync, idOf } = await setup();
    await sync(shopWith(job("web", { build_timeout: "90m" })));
    await sync(chain);
    const at = `/components/${await idOf("web")}/configs`;
    const { body } = await api<Connection[]>(`GET ${at}`);
    expect(body).toMatchObject([
      { app_config_version: 2, version: 2, component_name: "web", type: "job" },
      { app_config_version: 1, version: 1, build_timeout: "1h30m", job: { image_url: "busybox" } },
    ]);
    const page = await api<{ items: Connection[] }>(`GET ${at}?cursor=&limit=1`);
    expect(page.body.items).toEqual([body[0]]);
    expect((await api(`GET ${at}/latest`)).body).toEqual(body[0]);
    expect((await api(`GET ${at}/${body[1]?.id}`)).body).toEqual(body[1]);
    const short = at.replace("/components", "/v1/components");
    expect((await api(`GET ${short}/${body[1]?.id}`)).body).toEqual(body[1]);
    const chart = await api<object>("GET /components/chart/configs/latest");
    const values = { image: "{{ .svc.components.image.image.digest }}", n: "2" };
    const helm = { chart_name: "c", values, helm_config_json: { values } };
    expect(chart.body).toMatchObject({ helm, component_dependency_ids: [await idOf("web")] });
    expect(chart.body).not.toHaveProperty("job");
    const other = `/components/${await idOf("db")}/configs/${body[0]?.id}`;
    const none = { status: 404, body: { code: "component_config_not_found" } };
    expect(await api(`GET ${other}`)).toMatchObject(none);
    await sync(shopWith(job("db")));
    expect(await api(`GET ${at}/latest`)).toMatchObject(none);
    expect((await api<Connection[]>(`GET ${at}`)).body).toHaveLength(2);
  });

  test("are nothing of another org or app", async () => {
    const { api, sync, idOf, at } = await setup();
    await sync(chain);
    const id = await idOf("web");
    const config = (await api<Connection>(`GET /components/${id}/configs/latest`)).body.id;
    const theirs = await setup();
    for (const path of ["", `/${config}`, "/latest"])
      expect((await theirs.api(`GET ${at}/components/${id}/configs${path}`)).status).toBe(404);
    await theirs.sync(chain);
    const own = await theirs.idOf("web");
    expect((await theirs.api(`GET /components/${own}/configs/${config}`)).status).toBe(404);
  });
});
