import { beforeAll, describe, expect, test } from "vitest";
import type { NewJob } from "../../../../broker/jobs/new-job.ts";
import { givenRunnerWithAgent, type RunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { logOf } from "../../../support/logs/read-log.ts";
import {
  approvedPlan,
  archiveOf,
  givenTerraformWorkspace,
  shownPlan,
} from "../../../support/terraform/given-terraform.ts";

let fleet: Fleet;
let runner: RunnerWithAgent;
beforeAll(async () => {
  fleet = await givenFleet();
});

const config = `
variable "word" { type = string }
resource "terraform_data" "one" { input = var.word }
output "word" { value = terraform_data.one.output }
`;

async function setup(settings: Record<string, string> = {}) {
  runner = await givenRunnerWithAgent(fleet, settings);
  return { runner, terraform: await givenTerraformWorkspace(fleet, runner) };
}

describe("a terraform job", () => {
  test("plans, and another applies exactly that; then nothing is left to do, until it is taken away", async () => {
    const { terraform } = await setup();
    const given = { files: { "main.tf": config }, body: { vars: { word: "first" } } };
    const planned = await runner.run(await terraform.job("create-apply-plan", given));
    expect(planned).toMatchObject({ status: "finished" });
    expect(planned.description).toBe("Plan: 1 to add, 0 to change, 0 to destroy.");
    expect(planned.result?.contents_display).toContain('+ input = "first"');
    expect(await terraform.state()).toBeUndefined();
    const create = { change: { actions: ["create"] } };
    expect(shownPlan(planned)).toMatchObject({ resource_changes: [create] });
    const applied = await runner.run(
      await terraform.job("apply-plan", { ...given, plan: approvedPlan(planned) }),
    );
    expect(applied).toMatchObject({ status: "finished", outputs: { word: "first" } });
    expect(await logOf(fleet, runner, applied.id)).toContainEqual(
      expect.stringContaining("terraform_data.one: Creation complete"),
    );
    expect((await terraform.state())?.resources).toHaveLength(1);
    const again = await runner.run(await terraform.job("create-apply-plan", given));
    expect(JSON.parse(again.result?.contents ?? "")).toMatchObject({ has_changes: false });
    expect(again.description).toContain("No changes");
    const teardown = await runner.run(await terraform.job("create-teardown-plan", given));
    const gone = await runner.run(
      await terraform.job("apply-plan", { ...given, plan: approvedPlan(teardown) }),
    );
    expect(gone).toMatchObject({ status: "finished" });
    expect((await terraform.state())?.resources).toEqual([]);
    expect((await terraform.workspace()).lock).toBeNull();
  });

  test("plans and applies in one, and leaves alone what is as it should be", async () => {
    const { terraform } = await setup();
    const given = { files: { "main.tf": config }, body: { vars: { word: "one" } } };
    const first = await runner.run(await terraform.job("exec", given));
    expect(first).toMatchObject({ status: "finished", outputs: { word: "one" } });
    expect(first.description).toBe("Applied: 1 added, 0 changed, 0 destroyed.");
    const again = await runner.run(await terraform.job("exec", given));
    expect(again.description).toContain("No changes");
    const serial = (await terraform.state())?.serial;
    const planOnly = { ...given, body: { vars: { word: "two" }, plan_only: true } };
    const planned = await runner.run(await terraform.job("exec", planOnly));
    expect(planned.result?.contents_display).toContain('~ input = "one" -> "two"');
    expect((await terraform.state())?.serial).toBe(serial);
  });

  test("tells how far each of its resources is", async () => {
    const { terraform } = await setup();
    const given = { files: { "main.tf": config }, body: { vars: { word: "steps" } } };
    const ended = await runner.run(await terraform.job("exec", given));
    const { executions } = await runner.job(ended.id);
    const path = `GET /v1/runner-jobs/${ended.id}/executions/${executions[0]?.id ?? ""}`;
    const steps = async (): Promise<unknown> => {
      type Shown = { progress: { steps: { name: string; status: string }[] } | null };
      const { body } = await fleet.broker.call<Shown>(path, { token: runner.operatorToken });
      return body.progress?.steps.map(({ name, status }) => `${name} ${status}`);
    };
    const all = ["init", "plan", "show", "terraform_data.one", "apply", "outputs"];
    const expected = expect.arrayContaining(all.map((name) => `${name} finished`)) as unknown;
    await expect.poll(steps).toEqual(expected);
  });

  test("shows the state to the broker as JSON", async () => {
    const { terraform } = await setup();
    const given = { files: { "main.tf": config }, body: { vars: { word: "shown" } } };
    await runner.run(await terraform.job("exec", given));
    const path = `GET /v1/terraform-workspaces/${terraform.workspaceId}/state-json`;
    const { body } = await fleet.broker.call(path, { token: runner.operatorToken });
    expect(body).toMatchObject({ values: { outputs: { word: { value: "shown" } } } });
  });

  test.each(["sandbox-terraform", "runner-terraform"])("is one of type %s, too", async (type) => {
    const { terraform } = await setup({ groups: "sandbox=1,runner=1" });
    const made = await terraform.job("exec", { files: {} });
    const source = { archive: await archiveOf({ "main.tf": config }) };
    const terraform_backend = { WorkspaceID: terraform.workspaceId };
    const plan = JSON.stringify({ terraform_backend, source, vars: { word: type } });
    const job = { ...made, type: type as NonNullable<NewJob["type"]>, plan };
    expect(await runner.run(job)).toMatchObject({ status: "finished", outputs: { word: type } });
  });

  test("of type sandbox-terraform-plan only plans", async () => {
    const { terraform } = await setup({ groups: "sandbox=1" });
    const given = { files: { "main.tf": config }, body: { vars: { word: "x" } } };
    const made = await terraform.job("exec", given);
    const plan = JSON.stringify((JSON.parse(String(made.plan)) as { terraform: object }).terraform);
    const ended = await runner.run({ ...made, type: "sandbox-terraform-plan", plan });
    expect(ended.description).toBe("Plan: 1 to add, 0 to change, 0 to destroy.");
    expect(await terraform.state()).toBeUndefined();
  });

  test("takes variables from files, and those of the plan over them", async () => {
    const { terraform } = await setup();
    const files = {
      "main.tf": `
variable "a" { type = string }
variable "b" { type = string }
variable "c" { type = list(string) }
output "all" { value = "\${var.a} \${var.b} \${join(",", var.c)}" }
`,
    };
    const vars_files = ['a = "file"\nb = "file"\n', '{"c": ["x", "y"]}'];
    const body = { vars: { b: "plan" }, vars_files };
    const ended = await runner.run(await terraform.job("exec", { files, body }));
    expect(ended.outputs).toEqual({ all: "file plan x,y" });
  });

  test("finds what was changed outside of terraform, without a lock", async () => {
    const { terraform } = await setup();
    const given = { files: { "main.tf": config }, body: { vars: { word: "same" } } };
    await runner.run(await terraform.job("exec", given));
    const serial = (await terraform.state())?.serial;
    const body = { ...given.body, refresh_only: true };
    const drift = await runner.run(await terraform.job("create-apply-plan", { ...given, body }));
    expect(drift).toMatchObject({ status: "finished" });
    expect(drift.description).toContain("No drift");
    expect(JSON.parse(drift.result?.contents ?? "")).toMatchObject({ has_drift: false, drift: 0 });
    expect((await terraform.state())?.serial).toBe(serial);
    expect(await terraform.events()).toEqual([]);
  });

  test("runs its hooks, and fails with one", async () => {
    const { terraform } = await setup();
    const hooks = {
      pre_plan: 'echo "before the plan in $(ls *.tf)"',
      pre_apply: { command: 'echo "$WORD"', env_vars: { WORD: "before-the-apply" } },
      post_apply: "echo after; exit 3",
    };
    const given = { files: { "main.tf": config }, body: { vars: { word: "x" }, hooks } };
    const ended = await runner.run(await terraform.job("exec", given));
    expect(ended).toMatchObject({ status: "failed" });
    expect(ended.result).toMatchObject({ error_code: 3, error_metadata: { class: "hook" } });
    const lines = await logOf(fleet, runner, ended.id);
    const said = ["before the plan in main.tf", "before-the-apply", "after"];
    expect(lines.filter((line) => said.includes(line))).toEqual(said);
    expect((await terraform.state())?.resources).toHaveLength(1);
  });

  test("finds a clean environment: what bends terraform is left out, the token is where it belongs", async () => {
    const { terraform } = await setup();
    const files = {
      "main.tf": `
resource "terraform_data" "env" {
  provisioner "local-exec" { command = "env | cut -d= -f1 | sort | tr '\\n' ' '" }
}
`,
    };
    const env_vars = {
      TF_CLI_ARGS_apply: "-x",
      TF_LOG: "TRACE",
      TF_WORKSPACE: "other",
      GREETING: "hi",
    };
    const ofCluster = { TF_LOG_CORE: "TRACE", TF_HTTP_SKIP_CERT_VERIFICATION: "1", CLUSTER: "one" };
    const body = { env_vars, cluster_info: { env_vars: ofCluster } };
    const ended = await runner.run(await terraform.job("exec", { files, body }));
    expect(ended).toMatchObject({ status: "finished" });
    const lines = await logOf(fleet, runner, ended.id);
    const names = lines.find((line) => line.includes("TF_IN_AUTOMATION")) ?? "";
    expect(names).toContain("GREETING");
    expect(names).toContain("CLUSTER");
    expect(names).toContain("TF_HTTP_PASSWORD");
    expect(names).not.toMatch(/TF_LOG|TF_CLI_ARGS|TF_WORKSPACE|SKIP_CERT|SVC_AGENT_TOKEN/);
    for (const name of ["TF_LOG", "TF_CLI_ARGS_apply", "TF_WORKSPACE", "TF_LOG_CORE"]) {
      expect(lines).toContainEqual(expect.stringContaining(`The variable ${name} is ignored`));
    }
  });
});
