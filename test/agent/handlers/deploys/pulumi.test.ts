import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { givenPulumiPath, pulumiLock, pulumiTools } from "../../../support/pulumi/given-pulumi.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";

const password = "correct-horse-9";
const programs = {
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

describeWithTools([...pulumiTools, "registry"], "an app with a program of Pulumi", () => {
  test("is provisioned by a plan that somebody approves, and torn down", async () => {
    await givenPulumiPath();
    const { call, approved, install } = await givenDelivery({
      files: await givenPrograms(),
      document: (repo) => ({
        "metadata.toml": { name: "shop" },
        "inputs.toml": { input: [{ name: "size", type: "number", default: 2 }] },
        components: {
          "web.toml": {
            name: "web",
            type: "pulumi",
            runtime: "nodejs",
            config: {
              net: "{{ .svc.install.name }}",
              size: "{{ .svc.inputs.inputs.size }}",
              dbPassword: password,
            },
            public_repo: repo("web"),
          },
        },
      }),
    });
    const { id, workflow_id } = await install("acme");
    const place = `/v1/installs/${id}`;
    const outputs = async () =>
      (await call<State>(`GET ${place}/state`)).components["web"]?.outputs;
    const provisioned = await approved(workflow_id);
    expect(stepsOf(provisioned)).toEqual(["sync and plan web: approved", "apply web: success"]);
    expect(await outputs()).toEqual({ url: "acme/2" });
    const { id: stepId, approval } =
      provisioned.steps.find(({ name }) => name === "sync and plan web") ?? {};
    const contents = `steps/${stepId}/approvals/${approval?.id ?? ""}/contents`;
    const plan = await call<object>(`GET /v1/workflows/${workflow_id}/${contents}`);
    expect(plan).toMatchObject({ tool: "pulumi", summary: { added: 2, removed: 0 } });
    expect(JSON.stringify(plan)).not.toContain(password);

    const gone = await call<{ workflow_id: string }>(`POST ${place}/deprovision`, {});
    expect(stepsOf(await approved(gone.workflow_id))).toEqual([
      "plan teardown web: approved",
      "teardown web: success",
    ]);
    expect(await outputs()).toBeUndefined();
  });
});

type Outputs = { readonly outputs?: object };
type State = { readonly components: Readonly<Record<string, Outputs>> };
