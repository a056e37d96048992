import { describe, expect, test } from "vitest";
import { plannedDeploy, readPlan } from "../../../test/support/deploys/planned-deploy.ts";
import type { ComponentConfigPart } from "../deploy-order.ts";

const kustomized = {
  type: "kubernetes_manifest",
  name: "web",
  kustomize: { path: "over" },
} as const satisfies ComponentConfigPart;
const chart = {
  type: "helm_chart",
  name: "chart",
  chart_name: "c",
  values: { level: "{{ .svc.name }}" },
} as const satisfies ComponentConfigPart;
const given = {
  inputs: { secret: "hunter-2-hunter", domain: "a.test" },
  inputNames: ["secret", "domain"],
  components: { "my-db": { url: "postgres://db", more: { deep: 1 } } },
};

describe("what an agent renders templates of an artifact with", () => {
  test("are the values at the paths that these read, and no others", () => {
    const references = [
      "components.my_db.outputs.url",
      "components.my_db.outputs",
      "inputs.inputs.domain",
      "inputs.inputs.nothing",
      "name.of.it",
    ];
    const { plan, shown, statePlans } = readPlan(plannedDeploy(kustomized, given, { references }));
    expect(statePlans).toBe(4);
    expect(plan["kubernetes_manifest"]).toEqual({
      force_conflicts: true,
      state: {
        components: { my_db: { outputs: given.components["my-db"] } },
        inputs: { inputs: { domain: "a.test" } },
        name: expect.any(String) as string,
      },
    });
    expect(shown["kubernetes_manifest"]).toEqual(plan["kubernetes_manifest"]);
  });

  test("name what of them is sensitive, and show people none of that", () => {
    const references = ["inputs.inputs.secret", "inputs.inputs.domain"];
    const { plan, shown, secrets } = readPlan(plannedDeploy(chart, given, { references }));
    const marks = { state_sensitive: { inputs: { inputs: { secret: true } } } };
    expect(plan["helm"]).toMatchObject({ state: { inputs: { inputs: given.inputs } }, ...marks });
    expect(shown["helm"]).toMatchObject({
      state: { inputs: { inputs: { secret: "(secret)", domain: "a.test" } } },
      ...marks,
    });
    expect(secrets).toContain("hunter-2-hunter");
    expect(JSON.stringify(shown)).not.toContain("hunter");
  });

  test("are in no plan whose manifest the broker renders, and in none without templates", () => {
    const manifest = "kind: A\nname: {{ .svc.name }}\n";
    const inline = { type: "kubernetes_manifest", name: "web", manifest } as const;
    const rendered = readPlan(plannedDeploy(inline, given, { references: ["name"] }));
    expect(rendered.plan["kubernetes_manifest"]).not.toHaveProperty("state");
    const plain = readPlan(plannedDeploy(kustomized, given));
    expect([rendered.statePlans, plain.statePlans]).toEqual([0, 0]);
  });

  test("are in plans of terraform, a sandbox's at its top, for agents that render files of variables", () => {
    const references = ["inputs.inputs.secret", "inputs.inputs.domain"];
    const module = { type: "terraform_module", name: "net" } as const;
    for (const part of [module, { sandbox: { type: "terraform" } as const }]) {
      const { plan, shown, statePlans } = readPlan(plannedDeploy(part, given, { references }));
      const at = "sandbox" in part ? [plan, shown] : [plan["terraform"], shown["terraform"]];
      const marks = { state_sensitive: { inputs: { inputs: { secret: true } } } };
      expect(at[0]).toMatchObject({ state: { inputs: { inputs: given.inputs } }, ...marks });
      expect(at[1]).toMatchObject({ state: { inputs: { inputs: { secret: "(secret)" } } } });
      expect(statePlans).toBe(6);
    }
  });

  test("make another digest where they are others", () => {
    const digestOf = (domain: string): string => {
      const inputs = { ...given.inputs, domain };
      const references = ["inputs.inputs.domain"];
      return readPlan(plannedDeploy(kustomized, { ...given, inputs }, { references })).valuesDigest;
    };
    expect(digestOf("a.test")).toBe(digestOf("a.test"));
    expect(digestOf("a.test")).not.toBe(digestOf("b.test"));
  });
});
