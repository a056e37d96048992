import { describe, expect, test } from "vitest";
import { configPartReads } from "../../../shared/api/config-part-reads.ts";
import { partRecords } from "../../../shared/api/part-records.ts";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { richDocument } from "../../support/apps/rich-document.ts";

const { call, setup } = await givenAppsApi();
type Part = Refused & Record<string, unknown>;

const none = { status: 404, body: { code: "app_config_part_not_found" } };
/** What a part has of the config that it is in, and all in it has, too. */
const ofConfig = new Set([
  "org_id",
  "app_id",
  "app_config_id",
  "created_at",
  "created_by_id",
  "updated_at",
]);
const places = configPartReads.reads.map(({ section, latest, list, get }) => {
  const below = ({ path }: { readonly path: string }) => path.replace("/v1/apps/{app_id}", "");
  const placeOf = (id: string) => below(get).replace("{app_config_id}", id);
  return { section, latest: below(latest), list: below(list), placeOf };
});

describe("a part of a config", () => {
  test("is read of the active config, of one config and of all, as its schema says", async () => {
    const { sync, read, app, orgId, at, token } = await setup();
    const { body: former } = await sync(await richDocument());
    const { body: config } = await sync({ ...(await richDocument()), "runner.toml": undefined });
    const ids = { app_id: app.id, org_id: orgId };
    const idsOf = ({ id }: { readonly id: string }) => ({ ...ids, id, app_config_id: id });
    for (const { section, latest, list, placeOf } of places) {
      const { body: first } = await read<Part>(placeOf(former.id));
      expect(first).toMatchObject(idsOf(former));
      expect(partRecords[section].schema.strict().parse(first)).toEqual(first);
      const of = section === "runner" ? [] : [(await read<Part>(placeOf(config.id))).body];
      expect(of).toMatchObject(of.map(() => idsOf(config)));
      expect((await read<Part[]>(list)).body).toEqual([...of, first]);
      const { status, body } = await read<Part>(latest);
      expect(status === 404 ? [] : [body]).toEqual(of);
    }
    expect((await read<Part[]>("/stack-configs?limit=1&offset=1")).body).toHaveLength(1);
    expect(await read("/latest-runner-config")).toMatchObject(none);
    expect(await read(`/runner-configs/${config.id}`)).toMatchObject(none);
    const growing = await call<Part>(`POST ${at}/configs`, { token, body: {} });
    expect(await read(`/stack-configs/${String(growing.body["id"])}`)).toMatchObject(none);
    expect((await read("/stack-configs/cfg00000000000000000000000")).status).toBe(404);
  });

  test("has the members of records, by their names and types", async () => {
    const { sync, read } = await setup();
    await sync(await richDocument());
    const latest = async (part: string) => {
      const { body } = await read<Part>(`/latest-${part}-config`);
      const { id, ...whole } = body;
      expect(whole).toMatchObject({ app_config_id: id, updated_at: whole["created_at"] });
      const isOfConfig = (name: string, value: unknown) =>
        ofConfig.has(name) && value === whole[name];
      const told = JSON.stringify(whole, (name, value: unknown) => {
        if (isOfConfig(name, value)) return "the config's";
        return name === "id" ? String(value).slice(0, 4) : value; // of another app it is another one
      });
      return JSON.parse(told) as Part;
    };
    const parts = ["input", "sandbox", "runner", "permissions", "break-glass", "operation-role"];
    const shown = await Promise.all([...parts, "policies"].map(latest));
    expect(shown).toMatchSnapshot("members of parts");
  });

  test("is not there before a config is active, nor where it has none", async () => {
    const { sync, read } = await setup();
    expect(await read("/latest-runner-config")).toMatchObject(none);
    await sync(await richDocument());
    await sync(documentOf("shop"));
    expect(await read("/latest-runner-config")).toMatchObject(none);
  });
});
