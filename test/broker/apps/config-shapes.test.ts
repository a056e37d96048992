import { expect, test } from "vitest";
import { givenAppsApi } from "../../support/apps/apps-api.ts";

const { call, setup } = await givenAppsApi();

test("editors get the schema of each kind of file", async () => {
  const { token } = await setup();
  const schema = (type: string) => call(`GET /v1/general/config-schema?type=${type}`, { token });
  expect((await schema("action")).body).toMatchObject({ required: ["name", "steps"] });
  expect((await schema("config")).body).toMatchObject({ required: ["metadata.toml"] });
  expect(await schema("nope")).toMatchObject({
    status: 404,
    body: { code: "config_schema_not_found" },
  });
});

test("a kind of file has one schema, by query and by path", async () => {
  const { token } = await setup();
  const schema = (of: string) => call(`GET /v1/general/config-schema${of}`, { token });
  const byQuery = await schema("?type=action&source=editor");
  expect(await schema("/action")).toMatchObject({ status: 200, body: byQuery.body });
  expect(await schema("/nope")).toMatchObject({
    status: 404,
    body: { code: "config_schema_not_found" },
  });
});

test("an app has a file of each kind to begin with", async () => {
  const { read } = await setup();
  const first = await read<{ content: string }>("/template-config");
  expect(first.body.content).toContain('name = "shop"');
  expect(first).toMatchObject({
    status: 201,
    body: {
      type: "top-level",
      filename: "metadata.toml",
      format: "v2",
    },
  });
  const helm = await read("/template-config?type=helm");
  expect(helm.body).toMatchObject({ type: "helm", filename: "components/shop.toml" });
  expect(await read("/template-config?type=nope")).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "?type" }] },
  });
});
