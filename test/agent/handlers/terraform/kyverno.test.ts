import { beforeAll, expect, test } from "vitest";
import type { NewJob } from "../../../../broker/jobs/new-job.ts";
import { givenRunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import {
  approvedPlan,
  type Files,
  givenTerraformWorkspace,
} from "../../../support/terraform/given-terraform.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const main = `
variable "kyverno_policy_dir" { default = "./kyverno-policies" }
resource "terraform_data" "policy" {
  for_each = fileset(var.kyverno_policy_dir, "*.yaml")
  input    = file("\${var.kyverno_policy_dir}/\${each.key}")
}
output "policies" { value = { for name, one in terraform_data.policy : name => one.input } }
`;
const policies = {
  "labels.yaml": "kind: ClusterPolicy # {{request.object}}\n",
  "b.yaml": "b: 1\n",
};

/** A job of a sandbox: what a deploy has below `terraform` is its whole plan. */
async function givenSandbox() {
  const runner = await givenRunnerWithAgent(fleet);
  const terraform = await givenTerraformWorkspace(fleet, runner);
  const job = async (operation: string, files: Files, more: object): Promise<Partial<NewJob>> => {
    const made = await terraform.job(operation, { files });
    const { terraform: body } = JSON.parse(String(made.plan)) as { terraform: object };
    return { ...made, type: "sandbox-terraform", plan: JSON.stringify({ ...body, ...more }) };
  };
  return { runner, terraform, job };
}

test("policies of a cluster lie where a sandbox's plan says, when it plans and when it applies", async () => {
  const { runner, job } = await givenSandbox();
  const files = {
    "main.tf": main,
    "kyverno-policies/b.yaml": "b: 0\n",
    "kyverno-policies/own.yaml": "own: 1\n",
  };
  const more = { policies, kyverno_policies_dir: "kyverno-policies" };
  const planned = await runner.run(await job("create-apply-plan", files, more));
  expect(planned.status).toBe("finished"); // as Rego they could not be evaluated
  const applied = await runner.run(
    await job("apply-plan", files, { ...more, ...approvedPlan(planned) }),
  );
  expect(applied.status).toBe("finished");
  expect(applied.outputs).toEqual({ policies: { ...policies, "own.yaml": "own: 1\n" } });
});

test("a source's file in the place of the folder, or a folder that is not below it, is refused", async () => {
  const { runner, job } = await givenSandbox();
  const refused = async (files: Files, kyverno_policies_dir: string) => {
    const made = await job("create-apply-plan", files, { policies, kyverno_policies_dir });
    const { status, description } = await runner.run(made);
    return `${status} ${description}`;
  };
  const files = { "main.tf": main };
  expect(await refused({ ...files, "kyverno-policies": "x" }, "kyverno-policies")).toMatch(
    /^failed .*no folder in the source/,
  );
  expect(await refused(files, "../elsewhere")).toMatch(/^failed .*kyverno_policies_dir/);
});
