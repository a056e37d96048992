import { expect, test } from "vitest";
import { type Config, givenAppsApi } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";

const { call, setup: setupApps } = await givenAppsApi();

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const post = (path: string, body: object) => call<Config>(`POST ${at}/${path}`, { token, body });
  const begin = async () => (await post("configs", {})).body.id;
  const patch = (id: string, body: object) =>
    call<Config>(`PATCH ${at}/configs/${id}`, { token, body });
  const add = (id: string, path: string, contents: object) =>
    post(path, { ...contents, app_config_id: id });
  const greet = { name: "greet", steps: [{ name: "greet", command: "echo hello" }] };
  return { begin, patch, add, greet, ...rest };
}

test("a config shows what it is warned of, and on what of it nothing acts, when it is checked and whenever it is read", async () => {
  const { begin, add, patch, read, sync } = await setup();
  const id = await begin();
  const secrets = { secret: [{ name: "key" }] };
  const command = "echo {{ .acme.inputs.inputs.name }}";
  await add(id, "actions", { name: "greet", steps: [{ name: "greet", command }] });
  await add(id, "secrets-configs", secrets);
  const nothing = { warnings: [], notices: [], state: "" };
  expect((await read(`/configs/${id}`)).body).toMatchObject(nothing);
  const { body: sealed } = await patch(id, { status: "active" });
  const remarks = {
    warnings: [{ file: "actions/greet.toml", code: "unknown_root" }],
    notices: [{ file: "secrets.toml", code: "not_deployed_yet" }],
  };
  expect(sealed).toMatchObject(remarks);
  expect((await read(`/configs/${id}`)).body).toMatchObject(remarks);
  expect((await read("/latest-config?recurse=true")).body).toMatchObject(remarks);
  const document = { ...documentOf("shop", command), "secrets.toml": secrets };
  const { body: synced } = await sync(document);
  expect((await read(`/configs/${synced.id}`)).body).toMatchObject({ ...remarks, state: "" });
});

test("a config keeps what its client keeps with it, however long", async () => {
  const { begin, add, patch, read, greet } = await setup();
  const id = await begin();
  await add(id, "actions", greet);
  const state = JSON.stringify({ parts: Array.from({ length: 500 }, (_, at) => `part ${at}`) });
  expect((await patch(id, { status: "active", state })).body).toMatchObject({ state });
  expect((await read(`/configs/${id}`)).body).toMatchObject({ state });
  expect((await patch(id, { state: "another" })).body).toMatchObject({ state: "another" });
  const long = await patch(id, { state: "x".repeat(2 ** 18 + 1) });
  expect(long).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/state" }] } });
});
