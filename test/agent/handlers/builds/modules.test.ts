import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../../support/agent/given-jobs.ts";
import { givenKillableAgent } from "../../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { buildsOf, givenBuilds } from "../../../support/builds/given-builds.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { startFaultyRegistry } from "../../../support/sources/faulty-registry.ts";
import { givenRepository, type Repository } from "../../../support/sources/given-repository.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";
import { givenPackedProviders, providerTools } from "../../../support/terraform/given-providers.ts";
import { givenTerraformWorkspace } from "../../../support/terraform/given-terraform.ts";

let fleet: Fleet;
let registry: Registry;

const files = {
  "infra/app/main.tf": 'module "words" {\n  source = "../words"\n}\n',
  "infra/app/out.tf": 'output "said" { value = "${module.words.said} ${var.region}" }\n',
  "infra/app/region.tf": 'variable "region" { default = "nowhere" }\n',
  "infra/app/terraform.tfvars": 'region = "{{ .svc.inputs.inputs.region }}"\n',
  "infra/words/words.tf": 'output "said" { value = file("${path.module}/said.txt") }\n',
  "infra/words/said.txt": "hello",
};

async function commitAll({ folder, git }: Repository, all: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(all)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await git("add", ".");
  await git("commit", "-q", "-m", "all");
  return await git("rev-parse", "HEAD");
}

describeWithTools(["registry", "terraform"], "a build of a terraform module", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });

  test("has all its modules, is the same from another place, and is deployed without these", async () => {
    const remote = await givenRepository();
    await commitAll(remote, { "deep/main.tf": 'output "far" { value = "away" }\n' });
    const text = `module "far" { source = "git::file://${remote.folder}//deep" }\noutput "far" { value = module.far.far }\n`;
    const [one, other] = [await givenRepository(), await givenRepository()];
    const commit = await commitAll(one, { ...files, "infra/app/far.tf": text });
    await commitAll(other, { ...files, "infra/app/far.tf": text, "README.md": "another commit" });
    const runner = await givenBuilds(fleet, registry);
    const { build, placeOf, statementFor } = runner;
    const planOf = ({ folder }: Repository) => ({
      git_source: { url: `file://${folder}`, path: "infra/app" },
      terraform_build_plan: { labels: { team: "one" } },
    });
    const built = await build("terraform-module-build", planOf(one));
    expect(built).toMatchObject({ status: "finished", outputs: { tag: "b1", source_ref: commit } });
    expect(built.outputs["references"]).toEqual(["inputs.inputs.region"]);
    const again = await build("sandbox-build", { ...planOf(other), dst_tag: "b2" });
    const equal = ["digest", "checksum", "source_checksum", "size"];
    expect(equal.map((name) => again.outputs[name])).toEqual(
      equal.map((name) => built.outputs[name]),
    );
    const statement = await statementFor(built);
    expect(`sha256:${statement.subject[0]?.digest.sha256}`).toBe(built.outputs["digest"]);
    const { resolvedDependencies } = statement.predicate.buildDefinition;
    expect(resolvedDependencies[0]?.digest).toEqual({ gitCommit: commit });

    await rm(remote.folder, { recursive: true });
    const terraform = await givenTerraformWorkspace(fleet, runner);
    const { workspaceId: WorkspaceID } = terraform;
    const vars = { region: "here" };
    const deployed = await runner.run({
      type: "terraform-deploy",
      operation: "exec",
      plan: JSON.stringify({
        terraform: { terraform_backend: { WorkspaceID }, vars },
        ...placeOf(built),
      }),
    });
    expect(deployed).toMatchObject({
      status: "finished",
      outputs: { said: "hello here", far: "away" },
    });
  });

  test("of the commit that was built before fetches nothing, unless its artifact is gone", async () => {
    const { build, manifest } = await givenBuilds(fleet, registry);
    const repository = await givenRepository();
    const commit = await commitAll(repository, { "main.tf": 'output "x" { value = 1 }\n' });
    await repository.git("tag", "-a", "v1", "-m", "one");
    const url = `file://${repository.folder}`;
    const first = await build("terraform-module-build", { git_source: { url } });
    const kept = ["digest", "media_type", "size", "source_ref", "source_checksum", "builder"];
    const previous = Object.fromEntries(kept.map((name) => [name, first.outputs[name]]));
    for (const ref of ["", commit, "v1"]) {
      const again = await build("terraform-module-build", {
        git_source: { url, ref },
        previous,
        dst_tag: "unchanged",
      });
      expect(again).toMatchObject({ status: "finished", outputs: previous });
    }
    expect(await manifest("unchanged")).toBeUndefined();
    const rows = [
      { ...previous, digest: `sha256:${"0".repeat(64)}` },
      { ...previous, builder: "module/0" },
      { ...previous, source_ref: "0".repeat(40) },
    ];
    for (const [at, other] of rows.entries()) {
      const plan = { git_source: { url }, previous: other, dst_tag: `anew${at}` };
      await build("terraform-module-build", plan);
      expect(await manifest(`anew${at}`)).toBeDefined();
    }
  });

  test("that is not valid, leaves its directory, or comes from nowhere is told, and nothing is pushed", async () => {
    const { build, manifest } = await givenBuilds(fleet, registry);
    const repository = await givenRepository();
    await commitAll(repository, {
      "ok/main.tf": "",
      "broken/main.tf": 'output "x" {\n  value = var.nobody\n}\n',
      "absent/main.tf": 'module "a" {\n  source = "../nowhere"\n}\n',
      "away/main.tf": 'output "x" {\n  value = file("${path.module}/../ok/main.tf")\n}\n',
      "shell/main.tf": 'module "a" { source = "git::ext::sh -c touch% /tmp/x" }\n',
    });
    const url = `file://${repository.folder}`;
    await repository.git("checkout", "-q", "-b", "hostile");
    const blob = await repository.git("hash-object", "ok/main.tf");
    await repository.git("config", "core.protectNTFS", "false");
    const bad = Buffer.concat([Buffer.from("100644 ..\0", "latin1"), Buffer.from(blob, "hex")]);
    await writeFile(path.join(repository.folder, "tree"), bad);
    const tree = await repository.git("hash-object", "-t", "tree", "--literally", "-w", "tree");
    const dots = await repository.git("commit-tree", tree, "-m", "dots");
    await repository.git("branch", "dots", dots);
    const closed = { loginServer: "127.0.0.1:9", repository: "acme/part" };
    const rows: readonly (readonly [Record<string, unknown>, object])[] = [
      [{ path: "broken" }, { reason: "tool_failed", class: "config_invalid", file: "main.tf" }],
      [{ path: "absent" }, { reason: "tool_failed", class: "module_install" }],
      [{ path: "away" }, { reason: "build_failed", class: "outside", file: "main.tf:2" }],
      [{ path: "shell" }, { reason: "tool_failed", class: "module_install" }],
      [{ ref: "dots" }, { reason: "source_unavailable", class: "unsafe" }],
      [{ url: `${url}-not` }, { reason: "source_unavailable", class: "not_found" }],
      [{ url: "ext::sh -c true" }, { reason: "plan_invalid" }],
      [
        { path: "ok", dst_registry: closed },
        { reason: "build_failed", class: "network" },
      ],
    ];
    const told: object[] = [];
    for (const [{ dst_registry, ...given }] of rows) {
      const git_source = { url, ...given };
      const target = dst_registry === undefined ? {} : { dst_registry };
      const ended = await build("terraform-module-build", {
        git_source,
        dst_tag: "none",
        ...target,
      });
      told.push(ended.result?.error_metadata ?? {});
    }
    expect(told).toMatchObject(rows.map(([, expected]) => expected));
    const pulumi = { pulumi_build_plan: {}, git_source: { url } };
    expect((await build("sandbox-build", pulumi)).description).toContain("pulumi-build");
    expect(await manifest("none")).toBeUndefined();
  });

  test("of an agent that is killed while it pushes is pushed once by the next one", async () => {
    const repository = await givenRepository();
    await commitAll(repository, { "main.tf": 'output "x" { value = 1 }\n' });
    const { host, hold, passed } = await startFaultyRegistry(registry.host);
    const settings = { "allow-file-sources": "yes", groups: "build=1" };
    const agent = await givenKillableAgent(fleet, settings);
    const { manifest } = buildsOf(agent, registry.host);
    const release = hold(/^PUT .*\/manifests\/killed$/);
    const puts = () => passed.filter(({ path }) => path.endsWith("/manifests/killed")).length;
    const git_source = { url: `file://${repository.folder}` };
    const plan = { git_source, dst_tag: "killed" };
    const jobId = await agent.enqueue(buildsOf(agent, host).draft("terraform-module-build", plan));
    await until(() => puts() > 0);
    await agent.kill(agent.first);
    release();
    await agent.again();
    const ended = await agent.ended(jobId);
    expect(ended.description).toMatch(/^It is built/);
    expect(puts()).toBe(1);
    expect(await manifest("killed")).toEqual(await manifest(String(ended.outputs["digest"])));
  });
});

describeWithTools(
  ["registry", "terraform", ...providerTools(["null"])],
  "vendored providers",
  () => {
    test("are in the artifact with their lock file, and are deployed where there are no others", async () => {
      fleet = await givenFleet();
      const target = await startRegistry();
      const { mirrors } = await givenPackedProviders(["null"]);
      const folder = await testFolder();
      await writeFile(
        path.join(folder, "main.tf"),
        'terraform {\n  required_providers {\n    null = { source = "hashicorp/null" }\n  }\n}\nresource "null_resource" "one" {}\noutput "made" { value = null_resource.one.id != "" }\n',
      );
      const { build, placeOf } = await givenBuilds(fleet, target, {
        "provider-mirror": mirrors[0] ?? "",
      });
      const plan = {
        source: { path: folder },
        terraform_build_plan: { vendor_providers: true },
      };
      const built = await build("terraform-module-build", plan);
      expect(built.description).toMatch(/^It is built: sha256:/);
      const again = await build("terraform-module-build", plan); // from what the host keeps
      expect(again.outputs["digest"]).toBe(built.outputs["digest"]);

      const elsewhere = await givenRunnerWithAgent(fleet, {
        "provider-mirror": await testFolder(),
      });
      const { workspaceId: WorkspaceID } = await givenTerraformWorkspace(fleet, elsewhere);
      const deployed = await elsewhere.run({
        type: "terraform-deploy",
        operation: "exec",
        plan: JSON.stringify({
          terraform: { terraform_backend: { WorkspaceID } },
          ...placeOf(built),
        }),
      });
      expect(deployed).toMatchObject({ status: "finished", outputs: { made: true } });
    });
  },
);
