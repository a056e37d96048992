import { describe, expect, test } from "vitest";
import type { App } from "../../../shared/api/app.ts";
import type { Install } from "../../../shared/api/install.ts";
import type { ShownWorkflow } from "../../../shared/api/workflow.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, call, setup } = await givenWorkflowsApi();

type Keys = Record<string, string[]>;

/** An org with two installs of one app and one of another. */
async function givenLabels() {
  const org = await setup();
  const made = async (name: string, labels: object) =>
    (await org.create({ name, labels, start: false })).body.id;
  const gold = await made("gold", { tier: "gold", "env/zone": "a" });
  const silver = await made("silver", { tier: "silver" });
  const bare = (await org.api<App>("POST /v1/apps", { name: "bare" })).body.id;
  await org.api(`POST /v1/apps/${bare}/configs/sync`, { "metadata.toml": { name: "bare" } });
  const body = { name: "lone", labels: { lone: "yes" }, start: false };
  await org.api(`POST /v1/apps/${bare}/installs`, body);
  return { ...org, gold, silver, bare };
}
const org = await givenLabels();

describe("the keys of labels", () => {
  test("have the values that installs give them, of one app if asked", async () => {
    expect((await org.api<Keys>("GET /v1/installs/label-keys")).body).toEqual({
      "env/zone": ["a"],
      lone: ["yes"],
      team: ["platform"],
      tier: ["gold", "silver"],
    });
    const ofApp = await org.api<Keys>(`GET /v1/installs/label-keys?app_id=${org.bare}`);
    expect(ofApp.body).toEqual({ lone: ["yes"] });
    expect((await org.api<Keys>("GET /v1/apps/label-keys")).body).toEqual({ team: ["platform"] });
  });

  test("of a bound token are those that it reaches; of another org, none", async () => {
    const bound = { bound_type: "installs", bound_id: org.silver };
    const wanted = { name: "b", kind: "it", role: "installer", ...bound };
    const { secret: token } = (await org.api<{ secret: string }>("POST /v1/tokens", wanted)).body;
    expect((await call<Keys>("GET /v1/installs/label-keys", { token })).body).toEqual({
      team: ["platform"],
      tier: ["silver"],
    });
    const other = await setup();
    expect((await other.api<Keys>("GET /v1/installs/label-keys")).body).toEqual({});
  });

  test("are bounded, and so are their values", async () => {
    const full = await setup();
    const { id } = (await full.create({ start: false })).body;
    await db`
      update installs set labels = (select jsonb_object_agg('k' || lpad(n::text, 3, '0'), 'v') from generate_series(1, 210) n)
       where id = ${id}`;
    const { body } = await full.api<Keys>("GET /v1/installs/label-keys");
    expect([Object.keys(body).length, Object.keys(body).at(-1)]).toEqual([200, "k200"]);
  });
});

describe("lists", () => {
  const names = async (query: string) =>
    (await org.api<Install[]>(`GET /v1/installs?${query}`)).body.map(({ name }) => name);

  test("are narrowed by labels in either spelling", async () => {
    expect(await names("labels=tier:gold")).toEqual(["gold"]);
    expect(await names("labels=tier%3Dsilver,team")).toEqual(["silver"]);
    expect(await names("labels=tier%3D*")).toEqual(["silver", "gold"]);
    const apps = await org.api<App[]>("GET /v1/apps?labels=team:platform");
    expect(apps.body.map(({ name }) => name)).toEqual(["shop"]);
    expect((await org.api<App[]>("GET /v1/apps?labels=team:other")).body).toEqual([]);
  });

  test("are narrowed by when things were created", async () => {
    const { body } = await org.api<Install>(`GET /v1/installs/${org.silver}`);
    const past = encodeURIComponent(new Date(Date.parse(body.created_at) - 60_000).toISOString());
    expect(await names(`created_at_gte=${past}`)).toHaveLength(3);
    expect(await names(`created_at_lte=${past}`)).toEqual([]);
    for (const list of ["apps", "workflows"])
      expect((await org.api(`GET /v1/${list}?created_at_lte=${past}`)).body).toEqual([]);
    expect((await org.api("GET /v1/installs?created_at_gte=soon")).status).toBe(422);
  });
});

test("a workflow is changed as it was read, or not at all", async () => {
  const { body: made } = await org.create({ name: "started" });
  const id = made.workflow_id ?? "";
  const at = `/v1/workflows/${id}`;
  await org.reach(id, "in-progress");
  const answer = await call<ShownWorkflow>(`GET ${at}`, { token: org.token });
  const etag = answer.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"\d+"$/);
  const patch = (tag: string) =>
    call<ShownWorkflow>(`PATCH ${at}`, {
      token: org.token,
      headers: { "if-match": tag },
      body: { approval_option: "approve-all" },
    });
  expect((await patch('"1"')).status).toBe(412);
  expect((await patch("nonsense")).status).toBe(412);
  const changed = await patch(etag);
  expect(changed).toMatchObject({ status: 200, body: { approval_option: "approve-all" } });
  expect(changed.headers.get("etag")).not.toBe(etag);
  expect((await patch(etag)).status).toBe(412);
  expect((await patch("*")).status).toBe(200);
});
