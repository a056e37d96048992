import { expect, test } from "vitest";
import { planFacts } from "./plan-facts.ts";

const planOf = (workspace: string, chart: string): string =>
  JSON.stringify({
    terraform: { terraform_backend: { WorkspaceID: workspace } },
    pulumi: { workspace_id: workspace },
    helm: { helm_chart_id: chart },
  });

test("a plan's facts are what it names", () => {
  expect(planFacts(planOf("tfw_1", "hlc_1"), "terraform-deploy")).toEqual({
    ids: ["tfw_1", "tfw_1"],
    pulumiIds: ["tfw_1"],
    isSandbox: false,
    chartId: "hlc_1",
  });
});

test("what is no id is no fact: a broker keeps facts of thousands of plans, which may have megabytes", () => {
  const long = "x".repeat(201);
  for (const text of [long, "", "tfw 1", "../tfw_1"]) {
    const facts = planFacts(planOf(text, text), "terraform-deploy");
    expect(facts).toEqual({ ids: [], pulumiIds: [], isSandbox: false, chartId: undefined });
  }
});
