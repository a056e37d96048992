import { expect, test } from "vitest";
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
    const { id, workflow_id } = await delivery.install("acme");
    const done = await delivery.approved(workflow_id);
    const steps = done.steps.map(({ name, status }) => `${name}: ${status.status}`);
    console.log(
      JSON.stringify({ steps, status: done.status, error: done.composite_error }, null, 1),
    );
    console.log(JSON.stringify(await delivery.call(`GET /v1/installs/${id}/state`), null, 1));
  });
});
