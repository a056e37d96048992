import { expect, test } from "vitest";
import type { WholeWorkflow } from "../../../../shared/api/workflow.ts";
import { type Gate, killableAgent, requestGate } from "../../../support/agent/kill-gates.ts";
import { clusterTools } from "../../../support/cluster/given-cluster.ts";
import { givenNamespace, type Namespace } from "../../../support/cluster/given-namespace.ts";
import { proxiedCluster } from "../../../support/cluster/proxied-cluster.ts";
import { givenDelivery } from "../../../support/deploys/given-delivery.ts";
import { stepsOf } from "../../../support/deploys/steps-of.ts";
import { findsHelm } from "../../../support/helm/given-helm.ts";
import { type HelmGate, helmGates, type HelmGates } from "../../../support/helm/helm-gates.ts";
import type { FaultProxy, SeenRequest } from "../../../support/network/fault-proxy.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";

const helmGate = (gates: HelmGates, at: HelmGate): Gate => ({
  shut: async () => await gates.shut(at),
  reached: async () => await gates.reached(at),
  open: async () => await gates.open(at),
});

const isOf = (name: string, { method, path }: SeenRequest): boolean =>
  method === "PATCH" && path.includes(`/configmaps/${name}`);
const isDry = ({ path }: SeenRequest): boolean => path.includes("dryRun=All");

/** The gates of a manifest with the one ConfigMap `facts`, and of a chart. */
function gatesOf(proxy: FaultProxy, helm: HelmGates) {
  const real = (seen: SeenRequest): boolean => isOf("facts", seen) && !isDry(seen);
  const isInventory = (seen: SeenRequest): boolean => isOf("svc-inventory-", seen);
  const isApplied = (): boolean => proxy.seen(real).some(({ end }) => end === 200 || end === 201);
  return {
    planned: requestGate(proxy, (seen) => isOf("facts", seen) && isDry(seen)),
    looked: requestGate(
      proxy,
      ({ method, path }) => method === "GET" && path.endsWith("/configmaps/facts"),
    ),
    identified: requestGate(proxy, ({ path }) => path.endsWith("/namespaces/kube-system")),
    remembered: requestGate(proxy, isInventory),
    applied: requestGate(proxy, real),
    rememberedAgain: requestGate(proxy, (seen) => isInventory(seen) && isApplied()),
    rendered: helmGate(helm, "before-render"),
    renderedAfter: helmGate(helm, "after-render"),
    upgraded: helmGate(helm, "before-upgrade"),
    upgradedAfter: helmGate(helm, "after-upgrade"),
  };
}

const files = {
  "chart/Chart.yaml": "apiVersion: v2\nname: small\nversion: 1.2.3\n",
  "chart/values.yaml": "size: none\n",
  "chart/templates/config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-config"}
data: {size: {{ .Values.size | quote }}}
`,
};
const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: facts}
data: {size: "{{ .svc.inputs.inputs.size }}"}
`;

/** An app of a manifest and of a chart that needs it, and the agent of who installs it. */
async function setup() {
  const at = await givenNamespace();
  const { proxy, kubeconfig } = await proxiedCluster(at.kubeconfig);
  const helm = await helmGates();
  const agent = killableAgent({ "run-dir": await testFolder(0o700) });
  const delivery = await givenDelivery({
    files,
    env: { KUBECONFIG: kubeconfig, PATH: helm.path },
    start: agent.start,
    document: (repo) => ({
      "metadata.toml": { name: "shop" },
      "inputs.toml": { input: [{ name: "size", type: "number", default: 2 }] },
      components: {
        "facts.toml": { name: "facts", type: "kubernetes_manifest", namespace: at.name, manifest },
        "chart.toml": {
          name: "chart",
          type: "helm_chart",
          chart_name: "small",
          namespace: at.name,
          values: { size: "{{ .svc.inputs.inputs.size }}" },
          public_repo: repo("chart"),
          dependencies: ["facts"],
        },
      },
    }),
  });
  return { at, agent, gates: gatesOf(proxy, helm), ...delivery, ...readersOf(at, delivery) };
}

type Delivery = Awaited<ReturnType<typeof givenDelivery>>;
type Kept = { readonly version: number; readonly status: string };

function readersOf(at: Namespace, { call, fleet, rests, approve }: Delivery) {
  const ofMap = async (name: string, what: string): Promise<string> =>
    await at.kubectl(["get", "configmap", name, "-o", `jsonpath={${what}}`]);
  return {
    sizeOf: async (name: string) => await ofMap(name, ".data.size"),
    versionOf: async (name: string) => await ofMap(name, ".metadata.resourceVersion"),
    /** Every revision of the chart's release that there is. */
    revisions: async (): Promise<string[]> => {
      const [chart] = await fleet.db<{ id: string }[]>`
        select chart_id as id from install_components where name = 'chart'`;
      const asked = `GET /v1/helm-releases?chart_id=${chart?.id ?? ""}`;
      const { items } = await call<{ items: Kept[] }>(asked);
      return items.map(({ version, status }) => `${version} ${status}`).sort();
    },
    /** How often something was tried that was once to be done. */
    triedAgain: async () =>
      await fleet.db`select runner_job_id from runner_job_executions group by 1 having count(*) > 1`,
    /** Approves what is asked for once it is, with a gate shut behind it. */
    approvedBefore: async (id: string, gate?: Gate): Promise<void> => {
      const seen = await rests(id);
      await gate?.shut();
      if (!(await approve(seen))) throw new Error(`nothing is asked: ${stepsOf(seen).join("; ")}`);
    },
  };
}

const described = "an agent that is killed at each step of a deploy to a cluster";

describeWithTools([...clusterTools, "registry", "helm"], described, () => {
  test("applies what was approved once, and nothing of it where somebody else came in between", async () => {
    findsHelm();
    const given = await setup();
    const { at, agent, gates, call, rests, approved, approvedBefore } = given;
    await gates.planned.shut();
    const { id, workflow_id: workflow } = await given.install("acme");
    await agent.killAt([gates.planned, gates.identified]);
    await approvedBefore(workflow, gates.looked);
    let written: readonly string[] = [];
    const note = (name: string) => async () => {
      written = [...written, await given.versionOf(name)];
    };
    const again = { ...gates.rememberedAgain, meanwhile: note("facts") };
    const { looked, remembered, applied } = gates;
    await agent.killAt([looked, remembered, applied, again], gates.rendered);
    await agent.killAt([gates.rendered, gates.renderedAfter]);
    await approvedBefore(workflow, gates.rendered);
    const after = { ...gates.upgradedAfter, meanwhile: note("small-config") };
    await agent.killAt([gates.rendered, gates.renderedAfter, gates.upgraded, after]);
    const ended = await rests(workflow);
    expect([ended.status.status, ended.composite_error]).toEqual(["success", undefined]);
    expect(stepsOf(ended)).toEqual([
      "sync and plan facts: approved",
      "apply facts: success",
      "sync and plan chart: approved",
      "apply chart: success",
    ]);
    expect([await given.sizeOf("facts"), await given.sizeOf("small-config")]).toEqual(["2", "2"]);
    const versions = [await given.versionOf("facts"), await given.versionOf("small-config")];
    expect(versions).toEqual(written);
    expect(await given.revisions()).toEqual(["1 deployed"]);
    expect(await given.triedAgain()).toEqual([]);

    // Somebody changes the same by hand, while no agent runs that would apply what was approved.
    const changed = await call<{ workflow_id: string }>(`PATCH /v1/installs/${id}/inputs`, {
      inputs: { size: 3 },
    });
    await approvedBefore(changed.workflow_id, looked);
    const edit = ["patch", "configmap", "facts", "--patch", '{"data":{"size":"9"}}'];
    const meanwhile = async () => void (await at.kubectl(edit));
    await agent.killAt([{ ...looked, meanwhile }]);
    const refused = await rests(changed.workflow_id);
    expect(refused.status.status).toBe("failed-pending-retry");
    const failed = refused.steps.find(({ name }) => name === "apply facts");
    expect(failed?.composite_error).toMatchObject({ code: "plan_changed" });
    expect(await given.sizeOf("facts")).toBe("9");
    await call(`POST /v1/workflows/${refused.id}/steps/${failed?.id ?? ""}/retry`, {});
    const mended: WholeWorkflow = await approved(refused.id);
    expect(mended.status.status).toBe("success");
    expect([await given.sizeOf("facts"), await given.sizeOf("small-config")]).toEqual(["3", "3"]);
    expect(await given.revisions()).toEqual(["1 superseded", "2 deployed"]);
    expect(await given.triedAgain()).toEqual([]);
  });
});
