import { beforeAll, describe, expect, test } from "vitest";
import {
  type EndedJob,
  givenRunnerWithAgent,
  type RunnerWithAgent,
} from "../../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { logOf } from "../../../support/logs/read-log.ts";
import {
  approvedPlan,
  givenTerraformWorkspace,
  shownPlan,
  type TestWorkspace,
} from "../../../support/terraform/given-terraform.ts";

let fleet: Fleet;
let runner: RunnerWithAgent;
let terraform: TestWorkspace;
beforeAll(async () => {
  fleet = await givenFleet();
});

async function setup(): Promise<void> {
  runner = await givenRunnerWithAgent(fleet);
  terraform = await givenTerraformWorkspace(fleet, runner);
}

const good = `resource "terraform_data" "one" { input = "x" }`;

async function planned(main: string, body: object = {}): Promise<EndedJob> {
  const files = { "main.tf": main };
  return await runner.run(await terraform.job("create-apply-plan", { files, body }));
}

/** What programs are told of a failed job. */
function toldBy(ended: EndedJob) {
  const { error_metadata, composite_error } = (ended.result ?? {}) as unknown as {
    error_metadata: Record<string, string>;
    composite_error: Record<string, unknown>;
  };
  return { status: ended.status, ...error_metadata, composite: composite_error };
}

describe("a terraform job that cannot go well", () => {
  test("names file and line of a module that does not parse", async () => {
    await setup();
    const ended = await planned('resource "terraform_data" "one" {\n  input = \n}\n');
    expect(toldBy(ended)).toMatchObject({
      status: "failed",
      reason: "tool_failed",
      class: "config_invalid",
      file: "main.tf",
      line: "2",
      composite: { type: "terraform.config_invalid", retryable: false },
    });
    expect(ended.description).toContain("main.tf:2");
  });

  test("names the argument that is not known", async () => {
    await setup();
    const ended = await planned('resource "terraform_data" "one" {\n  inptu = 1\n}\n');
    expect(toldBy(ended)).toMatchObject({
      class: "config_invalid",
      file: "main.tf",
      line: "2",
      composite: { diagnostics: [{ summary: "Unsupported argument", file: "main.tf", line: 2 }] },
    });
  });

  test("names the variable that has no value", async () => {
    await setup();
    const ended = await planned('variable "word" { type = string }\n');
    expect(toldBy(ended)).toMatchObject({ class: "variable_missing", file: "main.tf" });
  });

  test("names the registry that a provider cannot be had from", async () => {
    await setup();
    const source = "registry.invalid/acme/nothing";
    const providers = `required_providers {\n nothing = { source = "${source}" }\n}`;
    const ended = await planned(`terraform {\n${providers}\n}\n`);
    expect(toldBy(ended)).toMatchObject({ class: "registry", composite: { retryable: true } });
    expect(ended.description).toContain("registry.invalid");
  });

  test("refuses a plan that was changed by a byte, and changes nothing", async () => {
    await setup();
    const files = { "main.tf": good };
    const plan = await planned(good);
    const approved = approvedPlan(plan);
    const bytes = Buffer.from(String(approved["apply_plan_contents"]), "base64");
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    const changed = { ...approved, apply_plan_contents: bytes.toString("base64") };
    const ended = await runner.run(await terraform.job("apply-plan", { files, plan: changed }));
    expect(toldBy(ended)).toMatchObject({ status: "failed", class: "plan_changed" });
    const other = { ...approved, approved: { lock_sha256: "0".repeat(64) } };
    const third = await runner.run(await terraform.job("apply-plan", { files, plan: other }));
    expect(toldBy(third)).toMatchObject({ status: "failed", class: "plan_changed" });
    expect(await terraform.state()).toBeUndefined();
  });

  test("says that a plan is stale", async () => {
    await setup();
    const files = { "main.tf": good };
    const plan = approvedPlan(await planned(good));
    await runner.run(await terraform.job("exec", { files }));
    const ended = await runner.run(await terraform.job("apply-plan", { files, plan }));
    expect(toldBy(ended)).toMatchObject({ status: "failed", class: "plan_stale" });
    expect((await terraform.workspace()).lock).toBeNull();
  });

  test("says who holds the lock", async () => {
    await setup();
    const path = `POST /v1/terraform-workspaces/${terraform.workspaceId}/lock`;
    await runner.operate(path, {
      ID: "b1c5d2a0-1111-2222-3333-444455556666",
      Who: "somebody@elsewhere",
      Operation: "OperationTypeApply",
      Created: "2026-11-21T08:30:00Z",
    });
    const ended = await planned(good, { lock_timeout: 1e9 });
    expect(toldBy(ended)).toMatchObject({
      class: "state_lock",
      composite: {
        holder: { id: "b1c5d2a0-1111-2222-3333-444455556666", who: "somebody@elsewhere" },
      },
    });
    expect(ended.description).toContain("somebody@elsewhere");
  });

  test("says that the workspace is blocked, and why", async () => {
    await setup();
    const path = `POST /v1/terraform-workspaces/${terraform.workspaceId}/block`;
    await runner.operate(path, { reason: "somebody looks at it" });
    const ended = await planned(good, { lock_timeout: 1e9 });
    expect(toldBy(ended)).toMatchObject({ class: "workspace_blocked" });
    expect(ended.description).toContain("somebody looks at it");
  });

  test("says which tool a policy needs that this host has not", async () => {
    await setup();
    const policies = [{ name: "no-public", engine: "conftest", contents: "package main" }];
    const ended = await planned(good, { policies });
    expect(toldBy(ended)).toMatchObject({ reason: "tool_missing", tool: "conftest" });
  });

  test("refuses a state of fifty megabytes before it changes anything", async () => {
    await setup();
    const main = `
locals { part = join("", [for at in range(1024) : "0123456789abcdef0123456789abcdef0123456789abcdef"]) }
resource "terraform_data" "large" { input = join("", [for at in range(1000) : local.part]) }
`;
    const files = { "main.tf": main };
    const ended = await runner.run(await terraform.job("exec", { files }));
    expect(toldBy(ended)).toMatchObject({ status: "failed", class: "too_large" });
    expect(await terraform.state()).toBeUndefined();
    expect((await terraform.workspace()).lock).toBeNull();
  });

  test.each([
    [{ terraform_backend: {} }, "terraform_backend.WorkspaceID"],
    [{ source: {} }, "source"],
    [{ vars: "x" }, "vars"],
    [{ targets: ["-destroy"] }, "targets"],
    [{ refresh_only: true, destroy: true }, "refresh_only"],
  ])("refuses a plan that is not fit: %j", async (body, member) => {
    await setup();
    const ended = await planned(good, body);
    expect(toldBy(ended)).toMatchObject({ reason: "plan_invalid" });
    expect(ended.description).toContain(member);
  });
});

describe("a secret of a terraform job", () => {
  const main = `
variable "code" {
  type      = string
  sensitive = true
}
variable "login" { type = object({ user = string, db_password = string }) }
resource "terraform_data" "one" {
  input = { code = var.code, plain = "seen" }
  provisioner "local-exec" {
    command = "echo the code is $CODE"
    environment = { CODE = nonsensitive(var.code) }
  }
}
resource "terraform_data" "made" { input = sensitive("\${var.code}-and-more") }
output "code" {
  value     = var.code
  sensitive = true
}
output "leaked" { value = "it is \${nonsensitive(var.code)}" }
output "plain" { value = terraform_data.one.output.plain }
`;

  test("is in its state alone: no log, plan, diff, output or error shows it", async () => {
    await setup();
    const files = { "main.tf": main };
    const vars = { code: "zebra-quartz-77", login: { user: "u", db_password: "violet-onyx-31" } };
    const body = { vars };
    const plan = await runner.run(await terraform.job("create-apply-plan", { files, body }));
    const applied = await runner.run(
      await terraform.job("apply-plan", { files, body, plan: approvedPlan(plan) }),
    );
    expect(applied).toMatchObject({ status: "finished", outputs: { plain: "seen" } });
    expect(applied.outputs).not.toHaveProperty("code");
    const { contents_gzip: _, ...result } = plan.result ?? {};
    const everything = JSON.stringify([
      { ...plan, result },
      applied,
      shownPlan(plan),
      await logOf(fleet, runner, plan.id),
      await logOf(fleet, runner, applied.id),
    ]);
    expect(everything).toContain("the code is");
    expect(everything).not.toMatch(/zebra-quartz|violet-onyx/);
    expect(JSON.stringify(await terraform.state())).toContain("zebra-quartz-77");
  });
});
