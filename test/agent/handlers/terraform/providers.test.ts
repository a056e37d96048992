import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent, jobReader } from "../../../support/agent/given-jobs.ts";
import { startTestAgent } from "../../../support/agent/start-test-agent.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder, patiently } from "../../../support/run/folder.ts";
import { givenPackedProviders, providerTools } from "../../../support/terraform/given-providers.ts";
import {
  approvedPlan,
  givenTerraformWorkspace,
} from "../../../support/terraform/given-terraform.ts";
import { tool } from "../../../tools/find-tool.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

async function setup(names: readonly string[], settings: Record<string, string> = {}) {
  const { mirrors } = await givenPackedProviders(names);
  const runner = await givenRunnerWithAgent(fleet, {
    "provider-mirror": mirrors[0] ?? "",
    groups: "deploy=8",
    ...settings,
  });
  return { runner, terraform: await givenTerraformWorkspace(fleet, runner) };
}

/** An agent that does eight such jobs at once. */
async function givenEightAtOnce() {
  const { mirrors } = await givenPackedProviders(["null"]);
  const runner = await fleet.addRunner({ parallelism: { deploy: 8 } });
  const settings = { groups: "deploy=8", "provider-mirror": mirrors[0] ?? "" };
  const agent = await startTestAgent({ url: fleet.broker.url, token: runner.token }, settings);
  return { ...jobReader(fleet, runner), agent };
}

const required = (name: string): string =>
  `terraform {\n  required_providers {\n    ${name} = { source = "hashicorp/${name}" }\n  }\n}\n`;

describeWithTools(providerTools(["null", "local"]), "a provider", () => {
  test("is kept on the host once, while several jobs at once look for it", async () => {
    const { runner } = await setup(["null"]);
    const files = { "main.tf": `${required("null")}resource "null_resource" "one" {}\n` };
    const all = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const terraform = await givenTerraformWorkspace(fleet, runner);
        return await runner.run(await terraform.job("exec", { files }));
      }),
    );
    expect(all.map(({ status }) => status)).toEqual(all.map(() => "finished"));
    const kept = path.join(runner.agent.dataDir, "providers/registry.terraform.io/hashicorp/null");
    expect(await readdir(kept)).toHaveLength(1);
    const [version = ""] = await readdir(kept);
    expect(await readdir(path.join(kept, version))).toHaveLength(1); // the platform, and no draft
  });

  test("is had by eight jobs at once that find none kept, round after round", async () => {
    const runner = await givenEightAtOnce();
    const files = { "main.tf": `${required("null")}resource "null_resource" "one" {}\n` };
    const workspaces = await Promise.all(
      Array.from({ length: 8 }, async () => await givenTerraformWorkspace(fleet, runner)),
    );
    const store = path.join(runner.agent.dataDir, "providers");
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(
        workspaces.map(
          async (one) => await runner.run(await one.job("create-apply-plan", { files })),
        ),
      );
      expect(all.map(({ description }) => description)).toEqual(
        all.map(() => "Plan: 1 to add, 0 to change, 0 to destroy."),
      );
      await rm(store, patiently);
    }
  });

  test("makes real things, whose drift is found, and takes them away", async () => {
    const { runner, terraform } = await setup(["local"]);
    const file = path.join(await mkdtemp(path.join(await testFolder(), "made-")), "it");
    const files = {
      "main.tf": `${required("local")}resource "local_file" "it" {\n  filename = "${file}"\n  content = "as planned"\n}\n`,
    };
    const given = { files };
    const planned = await runner.run(await terraform.job("create-apply-plan", given));
    const applied = await runner.run(
      await terraform.job("apply-plan", { files, plan: approvedPlan(planned) }),
    );
    expect(applied).toMatchObject({ status: "finished" });
    expect(await readFile(file, "utf8")).toBe("as planned");
    await rm(file);
    const drift = await runner.run(
      await terraform.job("create-apply-plan", { files, body: { refresh_only: true } }),
    );
    expect(JSON.parse(drift.result?.contents ?? "")).toMatchObject({ has_drift: true, drift: 1 });
    expect(drift.result?.contents_display).toContain("local_file.it was deleted");
  });

  test("that is not the one of the lock file is refused by that name", async () => {
    const { runner, terraform } = await setup(["null"]);
    const lock = `provider "registry.terraform.io/hashicorp/null" {\n  version = "2.1.2"\n  hashes = ["h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]\n}\n`;
    const main = `${required("null")}resource "null_resource" "one" {}\n`;
    const files = { "main.tf": main, ".terraform.lock.hcl": lock };
    const ended = await runner.run(await terraform.job("create-apply-plan", { files }));
    expect(ended.result?.error_metadata).toMatchObject({ class: "lockfile" });
  });
});

describeWithTools(["opa", "conftest"], "a policy", () => {
  const policy = (name: string): string => `package ${name}
import rego.v1
deny contains msg if {
  some change in object.get(input, "plan", input).resource_changes
  change.change.after.input == "forbidden"
  msg := sprintf("%s is forbidden", [change.address])
}
`;

  test.each(["opa", "conftest"])("of %s denies a plan, or lets it pass", async (engine) => {
    const bin = path.dirname(tool(engine));
    const before = process.env["PATH"];
    process.env["PATH"] = `${before ?? ""}:${bin}`;
    const runner = await givenRunnerWithAgent(fleet).finally(() => (process.env["PATH"] = before));
    const terraform = await givenTerraformWorkspace(fleet, runner);
    const policies = [{ name: "words", engine, contents: policy("main") }];
    const ask = async (input: string) => {
      const files = { "main.tf": `resource "terraform_data" "one" { input = "${input}" }\n` };
      return await runner.run(
        await terraform.job("create-apply-plan", { files, body: { policies } }),
      );
    };
    const denied = await ask("forbidden");
    expect(denied.result?.error_metadata).toMatchObject({ class: "policy" });
    expect(denied.description).toContain("terraform_data.one is forbidden");
    expect(await ask("allowed")).toMatchObject({ status: "finished" });
  });
});

describeWithTools(["tofu"], "OpenTofu", () => {
  async function givenTofu() {
    const before = process.env["PATH"];
    process.env["PATH"] = `${before ?? ""}:${path.dirname(tool("tofu"))}`;
    const runner = await givenRunnerWithAgent(fleet).finally(() => (process.env["PATH"] = before));
    return { runner, terraform: await givenTerraformWorkspace(fleet, runner) };
  }

  const encryption = (what: string): string => `
key_provider "pbkdf2" "one" { passphrase = "correct horse battery staple" }
method "aes_gcm" "one" { keys = key_provider.pbkdf2.one }
${what} { method = method.aes_gcm.one }
`;

  test("may encrypt its state, but no plan, for that could not be checked before its apply", async () => {
    const { runner, terraform } = await givenTofu();
    const files = { "main.tf": `resource "terraform_data" "one" { input = "plain" }\n` };
    const job = async (operation: string, what: string) =>
      await runner.run(
        await terraform.job(operation, {
          files,
          body: { tool: "opentofu", secret_env_vars: { TF_ENCRYPTION: encryption(what) } },
        }),
      );
    const refused = await job("create-apply-plan", "plan");
    expect(refused.result?.error_metadata).toMatchObject({ class: "config_invalid" });
    expect(refused.description).toContain("The plan file is encrypted");
    expect(await job("exec", "state")).toMatchObject({ status: "finished" });
    const state = JSON.stringify(await terraform.state());
    expect(state).toContain("encrypted_data");
    expect(state).not.toContain("plain");
    const { lock, block } = await terraform.workspace();
    expect({ lock, block }).toEqual({ lock: null, block: null });
  });

  test("does what terraform does", async () => {
    const { runner, terraform } = await givenTofu();
    const files = {
      "main.tf": `resource "terraform_data" "one" { input = "x" }\noutput "x" { value = terraform_data.one.output }\n`,
    };
    const body = { tool: "opentofu" };
    const planned = await runner.run(await terraform.job("create-apply-plan", { files, body }));
    expect(planned.description).toBe("Plan: 1 to add, 0 to change, 0 to destroy.");
    const ended = await runner.run(
      await terraform.job("apply-plan", { files, body, plan: approvedPlan(planned) }),
    );
    expect(ended).toMatchObject({ status: "finished", outputs: { x: "x" } });
  });
});
