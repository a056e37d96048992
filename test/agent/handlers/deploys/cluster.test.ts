import path from "node:path";
import { expect, test, vi } from "vitest";
import { clusterTools } from "../../../support/cluster/given-cluster.ts";
import { givenNamespace } from "../../../support/cluster/given-namespace.ts";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { findsHelm } from "../../../support/helm/given-helm.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { pusherOf, pushImage } from "../../../support/sources/given-images.ts";
import { tool } from "../../../tools/find-tool.ts";

const secret = "swordfish-of-tests";
const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: facts}
data:
  size: "{{ .svc.inputs.inputs.size }}"
  image: "{{ .svc.components.img.image.repository }}@{{ .svc.components.img.image.digest }}"
  pull: "{{ .svc.components.img.image.pull_secret }}"
`;
const chart = {
  "chart/Chart.yaml": "apiVersion: v2\nname: small\nversion: 1.2.3\nappVersion: '7.0'\n",
  "chart/values.yaml": 'level: low\nsize: "{{ .svc.inputs.inputs.size }}"\n',
  "chart/templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-config"}
data: {level: {{ .Values.level | quote }}, size: {{ .Values.size | quote }}}
`,
  "folder/kustomization.yaml": "resources: [map.yaml]\nnamePrefix: acme-\n",
  "folder/map.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: map}
data: {revision: "{{ .svc.components.chart.outputs.revision }}", word: "{{ .svc.inputs.inputs.word }}"}
`,
};

describeWithTools([...clusterTools, "registry", "helm", "kustomize"], "an app in a cluster", () => {
  test("is provisioned by plans that somebody approves, watched, and torn down", async () => {
    findsHelm();
    vi.stubEnv("PATH", [path.dirname(tool("kustomize")), process.env["PATH"]].join(":"));
    const at = await givenNamespace();
    const delivery = await givenDelivery({
      files: chart,
      env: { KUBECONFIG: at.kubeconfig },
      logins: {
        push: { username: "builds", password: "pushing-of-tests" },
        pull: { username: "installs", password: "pulling-of-tests" },
      },
      fill: (host) => pushImage(pusherOf(host, "upstream/app"), { tag: "1" }),
      document: (repo, registry) => ({
        "metadata.toml": { name: "shop" },
        "inputs.toml": {
          input: [
            { name: "size", type: "number", default: 2 },
            { name: "word", sensitive: true, default: secret },
          ],
        },
        components: {
          "img.toml": {
            name: "img",
            type: "external_image",
            public: { image_url: `${registry}/upstream/app`, tag: "1" },
          },
          "facts.toml": {
            name: "facts",
            type: "kubernetes_manifest",
            namespace: at.name,
            manifest,
            skip_noops: true,
          },
          "chart.toml": {
            name: "chart",
            type: "helm_chart",
            chart_name: "small",
            namespace: at.name,
            values: { level: "{{ .svc.inputs.inputs.size }}" },
            public_repo: repo("chart"),
            dependencies: ["facts"],
          },
          "folder.toml": {
            name: "folder",
            type: "kubernetes_manifest",
            namespace: at.name,
            kustomize: { path: "." },
            public_repo: repo("folder"),
            dependencies: ["chart"],
          },
          "once.toml": {
            name: "once",
            type: "job",
            image_url: "{{ .svc.components.img.image.repository }}",
            tag: "1",
            cmd: ["migrate"],
            env_vars: { LEVEL: "{{ .svc.components.chart.outputs.revision }}" },
          },
        },
      }),
    });
    const { call, approved } = delivery;
    const { id, workflow_id } = await delivery.install("acme");
    const provisioned = await approved(workflow_id);
    expect(stepsOf(provisioned)).toEqual([
      "sync img: success",
      "sync and plan facts: approved",
      "apply facts: success",
      "sync and plan chart: approved",
      "apply chart: success",
      "sync and plan folder: approved",
      "apply folder: success",
      "sync and plan once: approved",
      "apply once: success",
    ]);
    const place = `/v1/installs/${id}`;
    const outputs = async () => (await call<State>(`GET ${place}/state`)).components;
    const read = async (name: string) =>
      JSON.parse(await at.kubectl(["get", "configmap", name, "-o", "jsonpath={.data}"])) as object;
    const { img, chart: release, once } = await outputs();
    const image = `${img?.image?.repository ?? ""}@${img?.image?.digest ?? ""}`;
    expect(image).toMatch(/^127\.0\.0\.1:\d+\/acme\/.*@sha256:[0-9a-f]{64}$/);
    const pull = `svc-pull-${id.replaceAll("_", "-")}`;
    expect(await read("facts")).toEqual({ size: "2", image, pull });
    // What pulls it has the login of the org's installs beside it, and nobody else is told.
    const host = image.slice(0, image.indexOf("/"));
    const auth = Buffer.from("installs:pulling-of-tests").toString("base64");
    const config = await at.kubectl(["get", "secret", pull, "-o", "jsonpath={.data.*}"]);
    expect(JSON.parse(Buffer.from(config, "base64").toString())).toMatchObject({
      auths: { [host]: { auth } },
    });
    const told = JSON.stringify([await call(`GET ${place}/state`), provisioned]);
    expect(told).not.toContain("pulling-of-tests");
    expect(await read("small-config")).toEqual({ level: "2", size: "2" });
    // What an artifact has of templates, the agent renders; who looks at the plan sees nothing secret of it.
    expect(await read("acme-map")).toEqual({ revision: "1", word: secret });
    const { id: stepId, approval } =
      provisioned.steps.find(({ name }) => name === "sync and plan folder") ?? {};
    const contents = `steps/${stepId}/approvals/${approval?.id ?? ""}/contents`;
    const view = JSON.stringify(await call<object>(`GET /v1/workflows/${workflow_id}/${contents}`));
    expect(view).toContain("acme-map");
    expect(view).not.toContain(secret);
    expect(release?.outputs).toMatchObject({ revision: 1, status: "deployed" });
    expect(once?.outputs).toMatchObject({ exit_code: 0, namespace: at.name });

    const deploy = async (name: string, body: object = {}) => {
      const [found] = await call<{ component_id: string }[]>(`GET ${place}/components?q=${name}`);
      const deploys = `${place}/components/${found?.component_id ?? ""}/deploys`;
      const asked = await call<{ id: string; workflow_id: string }>(`POST ${deploys}`, body);
      const workflow = await approved(asked.workflow_id);
      return { ...(await call<{ status: string }>(`GET ${deploys}/${asked.id}`)), workflow };
    };
    // What would change nothing is passed over.
    const again = await deploy("facts");
    expect(again.status).toBe("noop");
    expect(stepsOf(again.workflow)).toEqual([
      "sync and plan facts: auto-skipped",
      "apply facts: auto-skipped",
    ]);
    expect(await deploy("facts", { plan_only: true })).toMatchObject({ status: "no-drift" });

    // Somebody has changed it by hand.
    const edit = JSON.stringify({ data: { size: "9" } });
    await at.kubectl(["patch", "configmap", "facts", "--patch", edit]);
    const drifted = await deploy("facts", { plan_only: true });
    expect(drifted.status).toBe("drift-detected");
    expect(await read("facts")).toMatchObject({ size: "9" });
    expect(await deploy("facts")).toMatchObject({ status: "active" });
    expect(await read("facts")).toMatchObject({ size: "2" });

    // Of a chart, too: its release says that nothing has changed.
    expect(await deploy("chart", { plan_only: true })).toMatchObject({ status: "no-drift" });
    await at.kubectl(["patch", "configmap", "small-config", "--patch", '{"data":{"level":"9"}}']);
    expect(await deploy("chart", { plan_only: true })).toMatchObject({ status: "drift-detected" });
    const changed = await call<{ workflow_id: string }>(`PATCH ${place}/inputs`, {
      inputs: { size: 3 },
    });
    expect(stepsOf(await approved(changed.workflow_id))).toEqual([
      "sync and plan facts: approved",
      "apply facts: success",
      "sync and plan chart: approved",
      "apply chart: success",
      "sync and plan folder: approved",
      "apply folder: success",
      "sync and plan once: approved",
      "apply once: success",
    ]);
    expect(await read("facts")).toEqual({ size: "3", image, pull });
    expect(await read("small-config")).toEqual({ level: "3", size: "3" });
    expect(await read("acme-map")).toEqual({ revision: "2", word: secret });
    expect((await outputs())["chart"]?.outputs).toMatchObject({ revision: 2 });

    const gone = await call<{ workflow_id: string }>(`POST ${place}/deprovision`, {});
    const torn = await approved(gone.workflow_id);
    expect(stepsOf(torn)).toEqual([
      "plan teardown once: approved",
      "teardown once: success",
      "plan teardown folder: approved",
      "teardown folder: success",
      "plan teardown chart: approved",
      "teardown chart: success",
      "plan teardown facts: approved",
      "teardown facts: success",
      "teardown img: success",
    ]);
    const left = await at.kubectl(["get", "configmap,job,secret", "-o", "name"]);
    expect(left.trim()).toBe("configmap/kube-root-ca.crt");
    expect(Object.keys((await outputs())["facts"] ?? {})).not.toContain("outputs");
  });
});

type Outputs = {
  readonly outputs?: object;
  readonly image?: { repository: string; digest: string };
};
type State = { readonly components: Readonly<Record<string, Outputs>> };
