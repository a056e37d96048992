import { expect, test } from "vitest";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { findsHelm } from "../../../support/helm/given-helm.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";

const files = {
  "module/main.tf": 'resource "terraform_data" "one" { input = "x" }\n',
  "chart/Chart.yaml": "apiVersion: v2\nname: small\nversion: 1.2.3\n",
};
const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: facts}\n";

describeWithTools(["registry", "terraform", "helm"], "an install that is simulated", () => {
  test("is provisioned and torn down whole, without a cloud, a cluster or an image", async () => {
    findsHelm();
    const { call, install, rests } = await givenDelivery({
      files,
      document: (repo) => ({
        "metadata.toml": { name: "shop" },
        "sandbox.toml": { type: "terraform", public_repo: repo("module") },
        components: {
          "net.toml": {
            name: "net",
            type: "terraform_module",
            public_repo: repo("module"),
          },
          "web.toml": {
            name: "web",
            type: "helm_chart",
            chart_name: "small",
            namespace: "shop",
            public_repo: repo("chart"),
            dependencies: ["net"],
          },
          "facts.toml": {
            name: "facts",
            type: "kubernetes_manifest",
            namespace: "shop",
            manifest,
            dependencies: ["web"],
          },
          "once.toml": {
            name: "once",
            type: "job",
            image_url: "registry.invalid/never/pulled",
            tag: "1",
            cmd: ["migrate"],
            dependencies: ["facts"],
          },
        },
      }),
    });
    const { id, workflow_id } = await install("acme", {
      sandbox_mode: true,
      install_config: { approval_option: "approve-all" },
    });
    const done = await rests(workflow_id);
    expect(stepsOf(done)).toEqual([
      "provision sandbox plan: approved",
      "provision sandbox apply plan: success",
      ...["net", "web", "facts", "once"].flatMap((name) => [
        `sync and plan ${name}: approved`,
        `apply ${name}: success`,
      ]),
    ]);
    const gone = await call<{ workflow_id: string }>(`POST /v1/installs/${id}/deprovision`, {});
    const torn = await rests(gone.workflow_id);
    expect([torn.status.status, stepsOf(torn).length]).toEqual(["success", 10]);
  });
});
