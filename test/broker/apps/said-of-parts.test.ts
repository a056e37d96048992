import { describe, expect, test } from "vitest";
import { type Config, givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";

const { call, setup: setupApps } = await givenAppsApi();
type Part = Refused & { id: string };

async function setup() {
  const { token, at, read } = await setupApps();
  const post = <Body = Part>(path: string, body: object) =>
    call<Body>(`POST ${at}/${path}`, { token, body });
  /** A config in parts that is begun, and how it is made whole. */
  const begin = async () => {
    const { id } = (await post<Config>("configs", {})).body;
    await post("metadata-configs", { display_name: "Shop", app_config_id: id });
    await post("runner-configs", { app_runner_type: "aws", app_config_id: id });
    return id;
  };
  const patch = (path: string, body: object) => call<Part>(`PATCH ${at}/${path}`, { token, body });
  const seal = (id: string) =>
    call<Config>(`PATCH ${at}/configs/${id}`, { token, body: { status: "active" } });
  return { post, patch, read, begin, seal };
}

describe("what an app has by name", () => {
  test("takes what is said of it ahead, which the next config in parts has", async () => {
    const { begin, post, seal, read } = await setup();
    const db = (await post("components", { name: "db" })).body.id;
    const said = { dependencies: [db], var_name: "front", labels: { tier: "1" } };
    const web = await post("components", { name: "web", ...said });
    expect(web).toMatchObject({ status: 201, body: { ...said, file: null } });
    expect(await post("components", { name: "web", labels: { a: "b" } })).toMatchObject({
      body: { id: web.body.id, ...said, labels: { a: "b", tier: "1" } },
    });
    const book = { name: "restart", description: "Down and up.", labels: { area: "eu" } };
    expect((await post("runbooks", book)).body).toMatchObject(book);
    expect((await post("actions", { name: "greet", labels: { a: "1" } })).body).toMatchObject({
      labels: { a: "1" },
    });
    const id = await begin();
    const job = { image_url: "busybox", cmd: ["true"], app_config_id: id };
    await post(`components/${db}/configs/job`, job);
    await post(`components/${web.body.id}/configs/job`, { ...job, dependencies: [db] });
    expect((await seal(id)).body).toMatchObject({ status: "active" });
    expect((await read<Part>("/components/web")).body).toMatchObject({
      ...said,
      labels: { a: "b", tier: "1" },
      config: { dependencies: ["db"], var_name: "front" },
    });
  });

  test("is said anew by fewer words, and by none; what a config has of it already stays", async () => {
    const { begin, post, seal, read, patch } = await setup();
    const [db, cache] = [
      (await post("components", { name: "db" })).body.id,
      (await post("components", { name: "cache" })).body.id,
    ];
    const { id: web } = (
      await post("components", { name: "web", dependencies: [db, cache], var_name: "front" })
    ).body;
    const at = `components/${web}`;
    expect((await patch(at, { name: "web", dependencies: ["db"] })).body).toMatchObject({
      dependencies: [db],
      var_name: "front",
    });
    expect((await patch(at, { name: "web", var_name: "" })).body).toMatchObject({
      dependencies: [db],
      var_name: "",
    });
    await patch(`components/${db}`, { name: "database" });
    const id = await begin();
    const job = { image_url: "busybox", cmd: ["true"], app_config_id: id };
    for (const part of [db, cache, web]) await post(`components/${part}/configs/job`, job);
    await patch(at, { name: "web", dependencies: ["cache"] });
    await post(`${at}/configs/job`, { tag: "2", app_config_id: id });
    expect((await seal(id)).body).toMatchObject({ status: "active" });
    expect((await read<Part>(`/${at}`)).body).toMatchObject({
      dependencies: [db],
      config: { dependencies: ["database"], tag: "2" },
    });
  });

  test("refuses what cannot be said of it, and makes nothing", async () => {
    const { post, read } = await setup();
    const wrong = { name: "web", dependencies: ["nobody"], labels: { "-": "a" }, var_name: 5 };
    const refused = await post("components", wrong);
    expect(refused.status).toBe(422);
    expect(refused.body.errors?.map(({ pointer }) => pointer).toSorted()).toEqual([
      "#/labels/-",
      "#/var_name",
    ]);
    expect(await post("components", { name: "web", dependencies: ["nobody"] })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/dependencies/0", code: "unknown_component" }] },
    });
    expect((await read<Part[]>("/components")).body).toEqual([]);
  });
});
