import { describe, expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import type { ShownInputs } from "../../../shared/api/install.ts";
import { givenInstall, givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { setup } = await givenWorkflowsApi();

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
