import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { givenPulumiPath, pulumiLock, pulumiTools } from "../../../support/pulumi/given-pulumi.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";

const password = "correct-horse-9";
const programs = {
  net: `
const pulumi = require("@pulumi/pulumi");
exports.net = new pulumi.Config().require("name");
`,
  web: `
const pulumi = require("@pulumi/pulumi");
const config = new pulumi.Config();
new pulumi.ComponentResource("words:index:Part", "part-" + config.require("size"));
exports.url = config.require("net") + "/" + config.require("size");
exports.password = config.requireSecret("dbPassword");
`,
};

/** Programs with what they import, each in a folder of its own. */
async function givenPrograms(): Promise<Record<string, string>> {
  const pins = ["package.json", "package-lock.json"];
  const files: Record<string, string> = {};
  for (const [name, program] of Object.entries(programs)) {
    files[`${name}/Pulumi.yaml`] = `name: ${name}\nruntime: nodejs\n`;
    files[`${name}/index.js`] = program;
    for (const pin of pins)
      files[`${name}/${pin}`] = await readFile(path.join(pulumiLock(), pin), "utf8");
  }
  return files;
}

describeWithTools([...pulumiTools, "registry"], "an app with programs of Pulumi", () => {
  test("is provisioned by plans that somebody approves, updated, and torn down", async () => {
    await givenPulumiPath();
    const { call, approved, install } = await givenDelivery({
      files: await givenPrograms(),
      document: (repo) => ({
        "metadata.toml": { name: "shop" },
        "sandbox.toml": {
          type: "pulumi",
          runtime: "nodejs",
          pulumi_config: { name: "{{ .svc.install.name }}" },
          public_repo: repo("net"),
        },
        "inputs.toml": { input: [{ name: "size", type: "number", default: 2 }] },
        components: {
          "web.toml": {
            name: "web",
            type: "pulumi",
            runtime: "nodejs",
            config: {
              net: "{{ .svc.sandbox.outputs.net }}",
              size: "{{ .svc.inputs.inputs.size }}",
              dbPassword: password,
            },
            public_repo: repo("web"),
            skip_noops: true,
          },
        },
      }),
    });
    const { id, workflow_id } = await install("acme");
    const place = `/v1/installs/${id}`;
    const outputs = async () => {
      const { components, sandbox } = await call<State>(`GET ${place}/state`);
      return [sandbox.outputs, components["web"]?.outputs];
    };
    expect(stepsOf(await approved(workflow_id))).toEqual([
      "provision sandbox plan: approved",
      "provision sandbox apply plan: success",
      "sync and plan web: approved",
      "apply web: success",
    ]);
    expect(await outputs()).toEqual([{ net: "acme" }, { url: "acme/2" }]);

    const [web] = await call<{ component_id: string }[]>(`GET ${place}/components?q=web`);
    const deploys = `POST ${place}/components/${web?.component_id ?? ""}/deploys`;
    const again = await call<{ workflow_id: string }>(deploys, {});
    expect(stepsOf(await approved(again.workflow_id))).toEqual([
      "sync and plan web: auto-skipped",
      "apply web: auto-skipped",
    ]);

    const changed = await call<{ workflow_id: string }>(`PATCH ${place}/inputs`, {
      inputs: { size: 3 },
    });
    const updated = await approved(changed.workflow_id);
    expect(stepsOf(updated)).toEqual(["sync and plan web: approved", "apply web: success"]);
    expect(await outputs()).toEqual([{ net: "acme" }, { url: "acme/3" }]);
    const { id: stepId, approval } = updated.steps.find(({ name }) => /plan web/.test(name)) ?? {};
    const contents = `steps/${stepId}/approvals/${approval?.id ?? ""}/contents`;
    const plan = await call<object>(`GET /v1/workflows/${updated.id}/${contents}`);
    expect(plan).toMatchObject({ tool: "pulumi", summary: { added: 1, removed: 1 } });
    expect(JSON.stringify(plan)).not.toContain(password);

    const gone = await call<{ workflow_id: string }>(`POST ${place}/deprovision`, {});
    expect(stepsOf(await approved(gone.workflow_id))).toEqual([
      "plan teardown web: approved",
      "teardown web: success",
      "deprovision sandbox plan: approved",
      "deprovision sandbox apply plan: success",
    ]);
    expect(await outputs()).toEqual([undefined, undefined]);
  });
});

type Outputs = { readonly outputs?: object };
type State = { readonly components: Readonly<Record<string, Outputs>>; readonly sandbox: Outputs };
