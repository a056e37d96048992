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
  test("is provisioned, updated, rolled back, switched off and torn down by plans that somebody approves", async () => {
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
            toggleable: true,
            default_enabled: true,
            vars: { net: "{{ .svc.components.web.outputs.url }}", size: 1 },
            public_repo: repo("web"),
          },
        },
      }),
    });
    const { call, approved, rests, repository } = delivery;
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

    // What somebody denies is not done, and what only shows itself changes nothing.
    const ids = new Map(
      (await call<{ component_name: string; component_id: string }[]>(`GET ${at}/components`)).map(
        ({ component_name: name, component_id: of }) => [name, of],
      ),
    );
    const deploy = (name: string, body: object = {}) =>
      call<{ id: string; workflow_id: string }>(
        `POST ${at}/components/${ids.get(name) ?? ""}/deploys`,
        body,
      );
    const statusOf = async (deployed: { id: string }): Promise<string> =>
      (await call<{ status_v2: { status: string } }>(`GET ${at}/deploys/${deployed.id}`)).status_v2
        .status;
    const shown = await deploy("web", { plan_only: true });
    expect(stepsOf(await approved(shown.workflow_id)).at(-1)).toBe("sync and plan web: approved");
    expect(await statusOf(shown)).toBe("no-drift");

    // A newer build is deployed when somebody asks for it; an older one comes back, and stays.
    await repository.commit("web/main.tf", component.replace("/", "-"));
    const [before] = await call<{ id: string }[]>(
      `GET /v1/components/${ids.get("web") ?? ""}/builds`,
    );
    const build = await call<{ id: string }>(
      `POST /v1/components/${ids.get("web") ?? ""}/builds`,
      {},
    );
    const newer = await deploy("web");
    const upgraded = await approved(newer.workflow_id);
    expect(upgraded.status.status).toBe("success");
    expect(await call(`GET ${at}/deploys/${newer.id}`)).toMatchObject({ build_id: build.id });
    expect((await urls())[1]).toBe("acme-3");
    const back = await deploy("web", { build_id: before?.id });
    await approved(back.workflow_id);
    expect((await urls())[1]).toBe("acme/3");
    const again = await call<{ workflow_id: string }>(`PATCH ${at}/inputs`, {
      inputs: { size: 4 },
    });
    expect((await approved(again.workflow_id)).status.status).toBe("success");
    expect(await urls()).toEqual(["acme", "acme/4", "acme/4/1"]);

    // A component that is switched off is torn down; what was denied stays as it is.
    const toggle = (isOn: boolean) =>
      call<{ workflow_id: string }>(`POST ${at}/components/${ids.get("top") ?? ""}/toggle`, {
        enabled: isOn,
      });
    const off = await toggle(false);
    const asks = (await rests(off.workflow_id)).steps.find(
      ({ status }) => status.status === "approval-awaiting",
    );
    await call(
      `POST /v1/workflows/${off.workflow_id}/steps/${asks?.id ?? ""}/approvals/${asks?.approval?.id ?? ""}/response`,
      { response_type: "deny" },
    );
    expect((await rests(off.workflow_id)).status.status).toBe("error");
    expect((await urls())[2]).toBe("acme/4/1");
    expect(stepsOf(await approved((await toggle(false)).workflow_id))).toEqual([
      "generate install state: success",
      "runner healthy: success",
      "plan teardown top: approved",
      "teardown top: success",
    ]);
    expect((await urls())[2]).toBeUndefined();

    const gone = await call<{ workflow_id: string }>(`POST ${at}/deprovision`, {});
    const torn = await approved(gone.workflow_id);
    expect(stepsOf(torn)).toEqual([
      "generate install state: success",
      "runner healthy: success",
      "plan teardown web: approved",
      "teardown web: success",
      "deprovision sandbox plan: approved",
      "deprovision sandbox apply plan: success",
      "runner deprovisioned: success",
    ]);
    expect(await urls()).toEqual([undefined, undefined, undefined]);
  });
});

type Outputs = { readonly outputs?: Readonly<Record<string, unknown>> };
type State = { readonly components: Readonly<Record<string, Outputs>>; readonly sandbox: Outputs };
