import { describe, expect, test } from "vitest";
import type { InstallAuditLog, InstallReadme } from "../../../shared/api/install-records.ts";
import { readToml } from "../../../shared/app-config/read-toml.ts";
import {
  givenInstall,
  givenWorkflowsApi,
  shopConfig,
} from "../../support/workflows/workflows-api.ts";

const { call, setup } = await givenWorkflowsApi();
type Page = { readonly items: readonly InstallAuditLog[]; readonly next_cursor: string | null };
const inputs = { audience: "world", secret: "s3cr3t-value", size: 12 };
const withReadme = (readme: string) => ({
  ...shopConfig,
  "metadata.toml": { ...shopConfig["metadata.toml"], readme },
});

describe("the readme of an install", () => {
  test("is the app's, with what is known of the install; what is sensitive is hidden", async () => {
    const org = await setup(
      withReadme(
        "# Hello {{ .svc.inputs.inputs.audience }}\n{{ .svc.inputs.inputs.secret }} s3cr3t-value {{ .Values.kept }}\n",
      ),
    );
    const { body: made } = await org.create({ inputs, start: false });
    const read = await org.api<InstallReadme>(`GET /v1/installs/${made.id}/readme`);
    expect(read).toMatchObject({
      status: 200,
      body: {
        readme: "# Hello world\n(secret) (secret) {{ .Values.kept }}\n",
        app_config_id: org.configId,
        original:
          "# Hello {{ .svc.inputs.inputs.audience }}\n{{ .svc.inputs.inputs.secret }} s3cr3t-value {{ .Values.kept }}\n",
        warnings: [],
        faults: [],
      },
    });
  });

  test("is without what is missing, which is told as a warning", async () => {
    const org = await setup(
      withReadme("Port:\n{{ .svc.actions.greet.outputs.port }}.\n{{ .svc.name }}\n"),
    );
    const { body: made } = await org.create({ start: false });
    const read = await org.api<InstallReadme>(`GET /v1/installs/${made.id}/readme`);
    expect(read).toMatchObject({
      status: 206,
      body: {
        readme: "Port:\n.\nacme\n",
        warnings: [expect.stringMatching(/^Line 2: .*greet\.outputs\.port/)],
        faults: [{ code: "missing_value", line: 2, path: ".svc.actions.greet.outputs.port" }],
      },
    });
    const none = await setup();
    const { body: bare } = await none.create({ start: false });
    const empty = await none.api<InstallReadme>(`GET /v1/installs/${bare.id}/readme`);
    expect(empty).toMatchObject({ status: 200, body: { readme: "", warnings: [] } });
  });
});

test("the audit log of an install has what was done to it and to its workflows, and nothing else", async () => {
  const org = await setup();
  const { body: made } = await org.create({ inputs });
  const { body: other } = await org.create({ name: "other", start: false });
  const at = `/v1/installs/${made.id}`;
  await org.api(`PATCH ${at}/inputs`, { inputs: { secret: "n3w-s3cr3t" } });
  await org.api(`PATCH ${at}`, { name: "renamed" });
  await org.api(`PATCH /v1/installs/${other.id}`, { name: "strange" });
  await org.api(`POST /v1/workflows/${made.workflow_id ?? ""}/cancel`);
  const logs = async (query = "") =>
    (await org.api<InstallAuditLog[]>(`GET ${at}/audit_logs?${query}`)).body;
  const types = async (query = "") => (await logs(query)).map(({ type }) => type);
  await expect
    .poll(() => types())
    .toEqual(["cancelWorkflow", "updateInstall", "updateInstallInputs", "createInstall"]);
  const [cancel, ...rest] = await logs();
  expect(cancel?.log_line).toContain(`workflow ${made.workflow_id}: allowed`);
  expect(JSON.stringify([cancel, ...rest])).not.toMatch(/s3cr3t/);
  const second = encodeURIComponent(rest[0]?.time_stamp ?? "");
  expect(await types(`end=${second}`)).not.toContain("cancelWorkflow");
  expect(await types(`start=${second}`)).toContain("cancelWorkflow");
  expect(await types("limit=1&offset=3")).toEqual(["createInstall"]);
  const pages: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof org.api<Page>>> = await org.api<Page>(
      `GET ${at}/audit_logs?limit=3&cursor=${cursor}`,
    );
    pages.push(...page.body.items.map(({ type }) => type));
    cursor = page.body.next_cursor;
  }
  expect(pages).toEqual(await types());
  expect((await org.api(`GET ${at}/audit_logs?start=soon`)).status).toBe(422);
});

test("an install has a runner group, and nothing that drifted", async () => {
  const org = await setup();
  const { installId, runner } = await givenInstall(org);
  const at = `/v1/installs/${installId}`;
  expect((await org.api(`GET ${at}/runner-group`)).body).toMatchObject({
    id: runner.groupId,
    owner_id: installId,
    runners: [{ id: runner.runnerId }],
  });
  expect((await org.api(`GET ${at}/drifted-objects`)).body).toEqual([]);
});

test("an install as a file is taken by its app's config, and holds no secret", async () => {
  const org = await setup();
  const { body: made } = await org.create({
    inputs: { ...inputs, greeting: 'Say "hi"\n' },
    labels: { "env/zone": "a" },
    label_templates: { who: "{{ .svc.name }}" },
    aws_account: { region: "eu-west-1" },
    start: false,
  });
  const at = `GET /v1/installs/${made.id}/generate-cli-install-config`;
  const read = (accept: string) =>
    fetch(`${org.brokers[0]?.url ?? ""}${at.slice("GET ".length)}`, {
      headers: { authorization: `Bearer ${org.token}`, accept },
    });
  const [answer, bytes] = [await read("*/*"), await read("application/octet-stream")];
  const text = await answer.text();
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(bytes.headers.get("content-type")).toBe("application/octet-stream");
  expect(await bytes.text()).toBe(text);
  expect(text).not.toContain("s3cr3t");
  expect(text).toContain("# The input secret is sensitive");
  const { value, faults } = readToml(text);
  expect(faults).toEqual([]);
  expect(value).toEqual({
    name: "acme",
    approval_option: "prompt",
    aws_account: { region: "eu-west-1" },
    labels: { "env/zone": "a" },
    inputs: [{ audience: "world" }, { greeting: 'Say "hi"\n' }, { size: 12 }],
  });
  const whole = { ...shopConfig, installs: { "acme.toml": value } };
  const checked = await call(`POST /v1/apps/${org.appId}/configs/sync?dry_run=true`, {
    token: org.token,
    body: whole,
  });
  expect([checked.status, checked.body]).toEqual([200, checked.body]);
});

test("an install's runner is enrolled by a token that the install gives", async () => {
  const { api, create } = await setup();
  const { body: made } = await create({ start: false });
  const token = await api<{ secret: string; token: string; runner_id: string }>(
    `POST /v1/installs/${made.id}/runner-bootstrap-token`,
  );
  expect(token).toMatchObject({ status: 201, body: { runner_id: made.runner_id } });
  expect(token.body.token).toBe(token.body.secret); // by the name that other clients read
  const enrolled = await call<{ runner_id: string }>("POST /v1/enrol", {
    token: token.body.secret,
    body: {},
  });
  expect([enrolled.status, enrolled.body.runner_id]).toEqual([201, made.runner_id]);
});
