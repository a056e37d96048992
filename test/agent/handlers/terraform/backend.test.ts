import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { testFolder } from "../../../support/run/folder.ts";
import {
  approvedPlan,
  givenTerraformWorkspace,
} from "../../../support/terraform/given-terraform.ts";

const run = promisify(execFile);

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

async function setup() {
  const runner = await givenRunnerWithAgent(fleet);
  return { runner, terraform: await givenTerraformWorkspace(fleet, runner) };
}

const main = 'resource "terraform_data" "one" { input = "x" }\n';
const local = 'terraform {\n  backend "local" {}\n}\n';

/** A plan that was made by hand, with this backend. */
async function plannedByHand(backend: string): Promise<string> {
  const cwd = await testFolder();
  await writeFile(path.join(cwd, "main.tf"), main + backend);
  const env = { ...process.env, CHECKPOINT_DISABLE: "1" };
  await run("terraform", ["init", "-input=false"], { cwd, env });
  await run("terraform", ["plan", "-input=false", "-out=plan"], { cwd, env });
  return (await readFile(path.join(cwd, "plan"))).toString("base64");
}

describe("the state of a terraform job", () => {
  test.each(["override.tf", "my_override.tf", "z_override.tf", "backend_override.tf.json"])(
    "is the broker's, whatever backend the source's %s names",
    async (name) => {
      const { runner, terraform } = await setup();
      const other = name.endsWith(".json") ? '{"terraform":{"backend":{"local":{}}}}' : local;
      const files = { "main.tf": main, [name]: other };
      const planned = await runner.run(await terraform.job("create-apply-plan", { files }));
      const plan = approvedPlan(planned);
      const ended = await runner.run(await terraform.job("apply-plan", { files, plan }));
      expect(ended).toMatchObject({ status: "finished" });
      expect((await terraform.state())?.resources).toHaveLength(1);
    },
  );

  test.each(["zzzzz_override.tf", "zzzz_svc_override.tofu.json"])(
    "cannot be led away by a file that would come last: %s",
    async (name) => {
      const { runner, terraform } = await setup();
      const files = { "main.tf": main, [name]: local };
      const ended = await runner.run(await terraform.job("exec", { files }));
      expect(ended.result?.error_metadata).toMatchObject({ class: "config_invalid", file: name });
      expect(ended.description).toContain(name);
    },
  );

  test("cannot be led away by the plan that is to be applied", async () => {
    const { runner, terraform } = await setup();
    const plan = { apply_plan_contents: await plannedByHand(local) };
    const job = await terraform.job("apply-plan", { files: { "main.tf": main }, plan });
    const ended = await runner.run(job);
    expect(ended.result?.error_metadata).toMatchObject({ class: "config_invalid" });
    expect(ended.description).toContain("local (backend)");
  });

  test("cannot be led to another broker by the plan, which would get the job's token", async () => {
    const { runner, terraform } = await setup();
    const files = { "main.tf": main };
    const given = await givenTerraformWorkspace(fleet, runner);
    const other = await runner.run(await given.job("create-apply-plan", { files }));
    const plan = approvedPlan(other);
    const ended = await runner.run(await terraform.job("apply-plan", { files, plan }));
    expect(ended.result?.error_metadata).toMatchObject({ class: "config_invalid" });
    expect(ended.description).toContain("http (address)");
    expect(await given.state()).toBeUndefined();
  });
});
