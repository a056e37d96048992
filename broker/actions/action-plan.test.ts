import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { deployedFacts } from "../../test/support/deploys/planned-deploy.ts";
import { baseOf, factsOf } from "../../test/support/installs/state-facts.ts";
import { planAction, type PlanTexts } from "./action-plan.ts";

/** The plan of a run of this command, of an install whose sensitive input has this value. */
function planOf(command: string, pin: string): PlanTexts {
  const planned = plannedOf(command, pin);
  if (!("text" in planned)) throw new Error(planned.detail);
  return planned;
}

function plannedOf(command: string, pin: string) {
  const { inputs, variables, ends, outputs } = factsOf({ inputs: { pin } });
  const action = { name: "act", steps: [{ name: "run", command }] };
  const run = { id: "iar_a", configId: null, env: {} };
  const planning = { facts: baseOf(["pin"]), action, run, cause: {} };
  const values = { inputs, variables, ends, outputs };
  return planAction(planning, values, new RenderWork());
}

const digestOf = ({ text }: PlanTexts): string => createHash("sha256").update(text).digest("hex");

test.each([
  [
    "a short text that a sensitive value decides",
    '{{ if eq .svc.inputs.inputs.pin "1234" }}y{{ end }}',
  ],
  ["what is shortened", "{{ .svc.inputs.inputs.pin | trunc 1 }}"],
  ["a guess that an author wrote", "echo 1234"],
  ["a wrong guess that an author wrote", "echo 4321"],
])("the digest of a plan does not tell %s", (_, command) => {
  expect(digestOf(planOf(command, "1234"))).not.toBe(digestOf(planOf(command, "1234")));
});

test("a plan has the names of its steps and the ids that it names beside it", () => {
  const { names, steps } = planOf("true", "1234");
  expect(names).toEqual(["iar_a"]);
  expect(steps).toEqual([{ step_id: "iar_a.1", name: "run", idx: 0 }]);
});

test("a plan that would be longer than 8 MiB with its twin is none, and says so", () => {
  const loop = "{{ range split `` $.svc.name }}";
  const turns = `${loop}${loop}${"x".repeat(2 ** 20)}{{ end }}{{ end }}`;
  const planned = plannedOf(`{{ $.svc.id }}${turns.repeat(5)}`, "1234");
  expect("text" in planned ? planned.text.length : planned).toMatchObject({
    code: "render_failed",
    detail:
      "Its plan, with its masked twin, is longer than 8388608 bytes. Have its steps fetch what is long.",
  });
});

describe("an action that asks for a cluster", () => {
  type GivenFacts = Parameters<typeof deployedFacts>[0];
  const eks = { name: "eks", endpoint: "https://eks.test", certificate_authority_data: "Q0E=" };
  const aws = { cloud_platform: "aws", cloud_account: { region: "eu-central-1" } } as const;

  function planned(asks: object, given: GivenFacts) {
    const { facts, values } = deployedFacts(given);
    const action = { name: "act", steps: [{ name: "run", command: "kubectl get ns" }], ...asks };
    const run = { id: "iar_a", configId: null, env: {} };
    return planAction({ facts, action, run, cause: {} }, values, new RenderWork());
  }

  type ReadPlan = { readonly cluster_info?: object; readonly host_cluster?: boolean };

  function textsOf(asks: object, given: GivenFacts): ReadPlan[] {
    const plan = planned(asks, given);
    if (!("text" in plan)) throw new Error(plan.detail);
    return [plan.text, plan.shown].map((text) => JSON.parse(text) as ReadPlan);
  }
  const clustersOf = (asks: object, given: GivenFacts) =>
    textsOf(asks, given).map(({ cluster_info: cluster }) => cluster);
  const saysRunners = (asks: object, given: GivenFacts) =>
    textsOf(asks, given).map((plan) => plan.host_cluster === true);

  test("gets the sandbox's, in which its runner signs in by its cloud", () => {
    const given = { install: aws, sandbox: { cluster: eks } };
    const known = { id: "eks", endpoint: "https://eks.test", ca_data: "Q0E=" };
    const cluster = { ...known, cloud: "aws", region: "eu-central-1" };
    expect(clustersOf({ enable_kube_config: true }, given)).toEqual([cluster, cluster]);
    expect(clustersOf({}, given)).toEqual([undefined, undefined]);
    const off = { enable_kube_config: false, kubernetes_context: "main" };
    expect(clustersOf(off, given)).toEqual([undefined, undefined]);
  });

  test("gets that of its context's component, of which people see no token and no kubeconfig", () => {
    const context = [{ name: "main-one", source_component_name: "k8s" }];
    const given = {
      config: { kubernetes_contexts: { context }, components: [{ name: "k8s" }] },
      sandbox: { cluster: eks },
      components: { k8s: { host: "10.0.0.1", kube_config: "kind: Config", token: "t0ken" } },
    };
    expect(clustersOf({ kubernetes_context: "main_one" }, given)).toEqual([
      { endpoint: "https://10.0.0.1", kube_config: "kind: Config", token: "t0ken" },
      { endpoint: "https://10.0.0.1", kube_config: "(secret)", token: "(secret)" },
    ]);
  });

  test("is not planned where a cloud's install has none, or its context has none", () => {
    const asks = { enable_kube_config: true };
    expect(planned(asks, { install: aws, sandbox: {} })).toMatchObject({
      code: "cluster_missing",
      detail: expect.stringContaining("no output `cluster`") as string,
    });
    expect(planned({ kubernetes_context: "main" }, {})).toMatchObject({
      code: "cluster_missing",
      detail: expect.stringContaining("the component (none)") as string,
    });
    expect(clustersOf(asks, { install: { ...aws, sandbox_mode: true } })).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("gets its runner's own in an install of no cloud, which its plan and what is shown of it say", () => {
    const asks = { enable_kube_config: true };
    expect(clustersOf(asks, {})).toEqual([undefined, undefined]);
    expect(saysRunners(asks, {})).toEqual([true, true]);
    expect(saysRunners({}, {})).toEqual([false, false]);
    const sandbox = { cluster: eks };
    expect(saysRunners(asks, { sandbox })).toEqual([false, false]);
  });
});
