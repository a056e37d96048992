import { describe, expect, test } from "vitest";
import type { ShownInputs } from "../../../shared/api/install-inputs.ts";
import type { Install } from "../../../shared/api/install.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

describe("templates of labels", () => {
  test("are rendered when the install is made, and again when its state is recorded", async () => {
    const org = await setup();
    const label_templates = {
      "who/for": "{{ .svc.inputs.inputs.audience | upper }}",
      mine: "{{ .svc.install.name }}-{{ .svc.labels.tier }}",
      later: "{{ .svc.actions.greet.outputs.port }}",
      safe: "x{{ .svc.inputs.inputs.secret }}",
    };
    const inputs = { audience: "world", secret: "s3cr3t-value" };
    const made = { label_templates, labels: { tier: "gold" }, inputs };
    const { installId } = await givenInstall(org, made);
    const read = async () => (await org.api<Install>(`GET /v1/installs/${installId}`)).body;
    const before = {
      "who/for": "WORLD",
      mine: "acme-gold",
      safe: "x(secret)",
      tier: "gold",
      team: "platform",
    };
    expect(await read()).toMatchObject({ labels: before, label_templates });
    const at = `/v1/installs/${installId}`;
    const { body } = await org.api<ShownInputs>(`PATCH ${at}/inputs`, {
      inputs: { audience: "moon" },
    });
    await org.reach(body.workflow_id ?? "", "success");
    expect((await read()).labels).toEqual({ ...before, "who/for": "MOON" });
    const set = await org.api(`POST ${at}/labels`, { labels: { mine: "x", other: "y" } });
    expect(set).toMatchObject({ status: 422, body: { errors: [{ code: "label_locked" }] } });
    const found = await org.api<Install[]>("GET /v1/installs?labels=who/for%3DMOON");
    expect(found.body.map(({ id }) => id)).toEqual([installId]);
  });

  test("that are none, or read what is not there, are refused by their keys", async () => {
    const { create } = await setup();
    const label_templates = {
      broken: "{{ .svc.id ",
      "un/known": "{{ .svc.inputs.inputs.audiense }}",
      team: "x",
      both: "x",
    };
    const { status, body } = await create({ label_templates, labels: { both: "y" } });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { pointer: "#/label_templates/team", code: "label_locked" },
      { pointer: "#/label_templates/both", code: "one_of" },
      { pointer: "#/label_templates/broken", code: "bad_template" },
      { pointer: "#/label_templates/un~1known", code: "reference_unknown" },
    ]);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`a${n}`, "x"]));
    const more = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`b${n}`, "x"]));
    const full = await create({ labels: many, label_templates: more });
    expect(full.body.errors).toMatchObject([{ pointer: "#/labels", code: "too_big" }]);
  });
});

describe("a change of templates of labels", () => {
  const given = async () => {
    const org = await setup();
    const label_templates = { who: "{{ .svc.inputs.inputs.audience }}", gone: "{{ .svc.id }}" };
    const { body } = await org.create({ label_templates, labels: { tier: "gold" }, start: false });
    const at = `/v1/installs/${body.id}`;
    const change = (templates: object, more: object = {}) =>
      org.api<Install>(`PATCH ${at}`, { label_templates: templates, ...more });
    return { ...org, at, change };
  };

  test("replaces them, renders them at once, and locks their keys alone", async () => {
    const { api, at, change } = await given();
    const templates = {
      who: "{{ .svc.inputs.inputs.audience | upper }}",
      mine: "{{ .svc.install.name }}-{{ .svc.labels.tier }}",
    };
    const changed = await change(templates, { metadata: { a: "b" }, name: "zeta" });
    expect(changed).toMatchObject({
      status: 200,
      body: { label_templates: templates, metadata: { a: "b" } },
    });
    const labels = { who: "WORLD", mine: "zeta-gold", tier: "gold", team: "platform" };
    expect(changed.body.labels).toEqual(labels);
    expect((await api<Install>(`GET ${at}`)).body.labels).toEqual(labels);
    const set = (key: string) => api(`POST ${at}/labels`, { labels: { [key]: "x" } });
    expect([(await set("mine")).status, (await set("gone")).status]).toEqual([422, 200]);
    const none = await change({});
    expect(none.body.label_templates).toEqual({});
    expect(none.body.labels).toEqual({ tier: "gold", team: "platform", gone: "x" });
  });

  test("is checked as at the creation, and changes nothing where it is refused", async () => {
    const { api, at, change, sync } = await given();
    const wrong = {
      broken: "{{ .svc.id ",
      "un/known": "{{ .svc.inputs.inputs.audiense }}",
      team: "x",
      tier: "x",
    };
    const { status, body } = await change(wrong, { metadata: { a: "b" } });
    expect([status, (body as { errors?: unknown }).errors]).toMatchObject([
      422,
      [
        { pointer: "#/label_templates/team", code: "label_locked" },
        { pointer: "#/label_templates/tier", code: "one_of" },
        { pointer: "#/label_templates/broken", code: "bad_template" },
        { pointer: "#/label_templates/un~1known", code: "reference_unknown" },
      ],
    ]);
    const { body: same } = await api<Install>(`GET ${at}`);
    expect([same.metadata, same.labels["who"]]).toEqual([{}, "world"]);
    await sync({ ...shopConfig, "metadata.toml": { name: "shop" } }); // the app gives team no more
    expect((await change({ team: "mine" })).body.labels).toEqual({ tier: "gold", team: "mine" });
  });

  test("is not undone by what a workflow rendered by the former ones", async () => {
    const { api, at, change, orgId } = await given();
    await change({ new: "1" });
    const former = { labels: { who: "x", gone: "y" }, label_templates: { who: "a", gone: "b" } };
    await db`
      select write_install_change(${orgId}, ${at.split("/").at(-1) ?? ""}, null, ${db.json(former)}, svc_now())`;
    const { body } = await api<Install>(`GET ${at}`);
    expect(body.labels).toEqual({ new: "1", tier: "gold", team: "platform" });
  });

  test("and labels that are set at once leave both", async () => {
    const { api, at, change } = await given();
    const answers = await Promise.all([
      change({ one: "1" }),
      api(`POST ${at}/labels`, { labels: { own: "2" } }),
      change({ one: "1" }, { metadata: { a: "b" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const { body } = await api<Install>(`GET ${at}`);
    expect(body.labels).toEqual({ one: "1", own: "2", tier: "gold", team: "platform" });
  });
});

describe("the account that is expected", () => {
  test("is that of the install's cloud", async () => {
    const { create } = await setup();
    const aws = { aws_account: { region: "eu-west-1" }, start: false };
    const expected_account_id = "123456789012";
    expect((await create({ ...aws, expected_account_id })).body).toMatchObject({
      expected_account_id,
      cloud_platform_metadata: { expected: expected_account_id, observed: null, match: null },
    });
    for (const wrong of [
      { ...aws, expected_project_id: "p" },
      { expected_account_id },
      { ...aws, expected_account_id: "12" },
    ])
      expect((await create({ ...wrong, name: "other" })).status).toBe(422);
    const metadata = { managed_by: "terraform" };
    const other = { metadata, name: "managed", start: false };
    expect((await create(other)).body).toMatchObject({ metadata });
  });
});
