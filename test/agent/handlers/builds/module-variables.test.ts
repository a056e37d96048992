import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { startRegistry } from "../../../support/sources/start-registry.ts";
import { givenTerraformWorkspace } from "../../../support/terraform/given-terraform.ts";
import { tool } from "../../../tools/find-tool.ts";

/** A configuration whose files of variables are none before they are rendered. */
const files: Readonly<Record<string, string>> = {
  "main.tf": `variable "region" {}
variable "sizes" { type = list(string) }
variable "kind" { default = "none" }
variable "note" {}
output "variables" { value = [var.region, var.sizes, var.kind] }
output "length" { value = length(var.note) }
output "note" { value = var.note }
`,
  "terraform.tfvars": `region = "{{ .svc.inputs.inputs.region }}"
sizes = {{ .svc.inputs.inputs.sizes }}
{{- if .svc.inputs.inputs.is_large }}
{{ .svc.inputs.inputs.key }} = "large"
{{- end }}
`,
  "note.auto.tfvars.json": '{"note": "{{ .svc.inputs.inputs.note }}"}',
  "examples/other.tfvars": 'region = "{{ .svc.labels.nobody }}"',
};
const note = 'hunter-2"\n';
const inputs = {
  region: 'he"re ${1 + 1}\nkind = "small" {{ .Values.x }}',
  sizes: ["a${b}"],
  is_large: true,
  key: "kind",
  note,
};

async function setup() {
  const [fleet, registry] = [await givenFleet(), await startRegistry({ isOfFile: true })];
  const source = await testFolder();
  await mkdir(path.join(source, "examples"));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(source, name), text);
  vi.stubEnv("PATH", `${process.env["PATH"] ?? ""}:${path.dirname(tool("tofu"))}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const runner = await givenBuilds(fleet, registry);
  const { workspaceId: WorkspaceID } = await givenTerraformWorkspace(fleet, runner);
  return {
    build: async (by: string) =>
      await runner.build("terraform-module-build", {
        source: { path: source },
        terraform_build_plan: { tool: by },
      }),
    deploy: async (by: string, built: Parameters<typeof runner.placeOf>[0], known: object) => {
      const ended = await runner.run({
        type: "terraform-deploy",
        operation: "exec",
        plan: JSON.stringify({
          terraform: {
            tool: by,
            terraform_backend: { WorkspaceID },
            state: { inputs: { inputs: known } },
            state_sensitive: { inputs: { inputs: { note: true } } },
          },
          ...runner.placeOf(built),
        }),
      });
      return { ended, shown: JSON.stringify([ended, await runner.logOf(ended.id)]) };
    },
  };
}

describeWithTools(
  ["registry", "terraform", "tofu"],
  "a module whose variables have templates",
  () => {
    test.each(["terraform", "opentofu"])(
      "is built with them, and deployed with what they become: %s",
      async (by) => {
        const { build, deploy } = await setup();
        const built = await build(by);
        expect(built.description).toMatch(/^It is built: sha256:/);
        const names = ["is_large", "key", "note", "region", "sizes"];
        expect(built.outputs["references"]).toEqual(names.map((name) => `inputs.inputs.${name}`));
        const { ended, shown } = await deploy(by, built, inputs);
        expect(ended).toMatchObject({ status: "finished" });
        expect(ended.outputs).toMatchObject({
          variables: [inputs.region, inputs.sizes, "large"],
          length: note.length,
        });
        expect(shown).not.toContain("hunter-2");

        const { sizes: _, ...less } = inputs;
        const lacking = await deploy(by, built, less);
        const missing = "terraform.tfvars:2: .svc.inputs.inputs.sizes is missing";
        expect(lacking.ended.description).toContain(missing);
        expect(lacking.ended.result?.error_metadata).toMatchObject({ class: "missing_value" });
      },
    );
  },
);
