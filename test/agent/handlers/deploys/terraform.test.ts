import { expect, test } from "vitest";
import type { WholeWorkflow } from "../../../../shared/api/workflow.ts";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";

const sandbox = `
variable "name" { type = string }
resource "terraform_data" "net" { input = var.name }
output "net" { value = terraform_data.net.output }
output "word" {
  value     = "never-shown"
  sensitive = true
}
`;
const component = `
variable "net" { type = string }
variable "size" { type = number }
resource "terraform_data" "web" { input = "\${var.net}/\${var.size}" }
output "url" { value = terraform_data.web.output }
`;

describeWithTools(["registry", "terraform"], "an app with a sandbox and components", () => {
  test("is provisioned by plans that somebody approves, with outputs of one in the other", async () => {
    const delivery = await givenDelivery({
      files: { "sandbox/main.tf": sandbox, "web/main.tf": component },
      document: (repo) => ({
        "metadata.toml": { name: "shop" },
        "sandbox.toml": {
          type: "terraform",
          vars: { name: "{{ .svc.install.name }}" },
          public_repo: repo("sandbox"),
        },
        "inputs.toml": { input: [{ name: "size", type: "number", default: 2 }] },
        components: {
          "web.toml": {
            name: "web",
            type: "terraform_module",
            vars: {
              net: "{{ .svc.sandbox.outputs.net }}",
              size: "{{ .svc.inputs.inputs.size }}",
            },
            public_repo: repo("web"),
          },
          "top.toml": {
            name: "top",
            type: "terraform_module",
            vars: { net: "{{ .svc.components.web.outputs.url }}", size: 1 },
            public_repo: repo("web"),
          },
        },
      }),
    });
    const { call, approved, rests } = delivery;
    const { id, workflow_id } = await delivery.install("acme");
    const at = `/v1/installs/${id}`;
    const stepsOf = ({ steps }: WholeWorkflow): string[] =>
      steps.map(({ name, status }) => `${name}: ${status.status}`);
    const urls = async () => {
      const { components, sandbox: of } = await call<State>(`GET ${at}/state`);
      return [
        of.outputs?.["net"],
        components["web"]?.outputs?.["url"],
        components["top"]?.outputs?.["url"],
      ];
    };
    const provisioned = await approved(workflow_id);
    expect(stepsOf(provisioned)).toEqual([
      "generate install state: success",
      "provision runner service account: success",
      "runner healthy: success",
      "provision sandbox plan: approved",
      "provision sandbox apply plan: success",
      "sync and plan web: approved",
      "apply web: success",
      "sync and plan top: approved",
      "apply top: success",
    ]);
    expect(await urls()).toEqual(["acme", "acme/2", "acme/2/1"]);
    expect((await call<{ lifecycle_phase: object }>(`GET ${at}`)).lifecycle_phase).toMatchObject({
      phase: "active",
    });

    // An input that changes has what reads it deployed, and what reads that.
    const changed = await call<{ workflow_id: string }>(`PATCH ${at}/inputs`, {
      inputs: { size: 3 },
    });
    const updated = await approved(changed.workflow_id);
    expect(stepsOf(updated)).toEqual([
      "generate install state: success",
      "sync and plan web: approved",
      "apply web: success",
      "sync and plan top: approved",
      "apply top: success",
    ]);
    expect(await urls()).toEqual(["acme", "acme/3", "acme/3/1"]);

    // Somebody who denies a plan changes nothing.
    const [web] = await call<{ component_id: string }[]>(`GET ${at}/components?q=web`);
    const deploys = `${at}/components/${web?.component_id ?? ""}/deploys`;
    const asked = await call<{ id: string; workflow_id: string }>(`POST ${deploys}`, {});
    console.log(JSON.stringify(asked, null, 1));
    const deployed = await approved(asked.workflow_id);
    console.log(stepsOf(deployed), deployed.status);

    const gone = await call<{ workflow_id: string }>(`POST ${at}/deprovision`, {});
    const torn = await approved(gone.workflow_id);
    console.log(stepsOf(torn), torn.status, await urls());
    void rests;
  });
});

type Outputs = { readonly outputs?: Readonly<Record<string, unknown>> };
type State = { readonly components: Readonly<Record<string, Outputs>>; readonly sandbox: Outputs };
