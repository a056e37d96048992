import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { logOf } from "../../../support/logs/read-log.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import {
  approvedPlan,
  type Files,
  givenTerraformWorkspace,
} from "../../../support/terraform/given-terraform.ts";
import { tool } from "../../../tools/find-tool.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const files = {
  "main.tf": 'resource "terraform_data" "one" { input = "x" }\noutput "word" { value = "seen" }\n',
};

/** A workspace, and a plan of it that may be applied. */
async function setup() {
  const runner = await givenRunnerWithAgent(fleet);
  const terraform = await givenTerraformWorkspace(fleet, runner);
  const planned = await runner.run(await terraform.job("create-apply-plan", { files }));
  const plan = approvedPlan(planned);
  const apply = async (body: object, given: { files?: Files; plan?: object } = {}) =>
    await runner.run(await terraform.job("apply-plan", { files, body, plan, ...given }));
  return { runner, terraform, plan, apply };
}

describe("a plan that is applied", () => {
  test("is not, when its source is another one by then", async () => {
    const { terraform, apply } = await setup();
    const other = { files: { ...files, "script.sh": "echo another" } };
    const ended = await apply({}, other);
    expect(ended.result?.error_metadata).toMatchObject({ class: "plan_changed" });
    expect(ended.description).toContain("The source is at sha256:");
    expect(await terraform.state()).toBeUndefined();
  });

  test("is not, when the host's folder that it comes from was changed since", async () => {
    const runner = await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" });
    const terraform = await givenTerraformWorkspace(fleet, runner);
    const folder = await testFolder(0o755);
    const main = path.join(folder, "main.tf");
    await writeFile(main, files["main.tf"]);
    const run = async (operation: string, plan: object = {}) =>
      await runner.run(
        await terraform.job(operation, { files, body: { source: { path: folder } }, plan }),
      );
    const planned = await run("create-apply-plan");
    await writeFile(main, `${files["main.tf"]}# another\n`);
    const refused = await run("apply-plan", approvedPlan(planned));
    expect(refused.result?.error_metadata).toMatchObject({ class: "plan_changed" });
    expect(refused.description).toContain("The source is at sha256:");
    await writeFile(main, files["main.tf"]);
    expect(await run("apply-plan", approvedPlan(planned))).toMatchObject({ status: "finished" });
  });

  test("is told to be compared with nothing, when its job names nothing that was approved", async () => {
    const { runner, plan, apply } = await setup();
    const ended = await apply({}, { plan: { ...plan, approved: undefined } });
    expect(ended.status).toBe("finished");
    const words = expect.stringContaining("nothing was compared") as unknown;
    expect(await logOf(fleet, runner, ended.id)).toContainEqual(words);
  });

  test("is told to be applied, with its outputs, when what follows it fails", async () => {
    const { terraform, apply } = await setup();
    const ended = await apply({ hooks: { post_apply: "exit 3" } });
    expect(ended).toMatchObject({ status: "failed", outputs: { word: "seen" } });
    expect(ended.result).toMatchObject({ error_code: 3, error_metadata: { class: "hook" } });
    const begins = /^The plan was applied \(1 added, 0 changed, 0 destroyed\), but then: The hook/;
    expect(ended.description).toMatch(begins);
    expect((await terraform.state())?.resources).toHaveLength(1);
  });
});

describeWithTools(["opa"], "a policy of a plan that is applied", () => {
  test("is asked again, and denies it", async () => {
    const { terraform, apply } = await setup();
    const PATH = `${path.dirname(tool("opa"))}:${process.env["PATH"] ?? ""}`;
    const contents = 'package main\ndeny["no data"] if input.plan.resource_changes[0]\n';
    const ended = await apply({ env_vars: { PATH }, policies: [{ name: "data", contents }] });
    expect(ended.result?.error_metadata).toMatchObject({ class: "policy" });
    expect(ended.description).toContain("data: no data");
    expect(await terraform.state()).toBeUndefined();
  });
});
