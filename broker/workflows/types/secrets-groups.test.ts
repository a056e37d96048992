import { expect, test } from "vitest";
import type { Making } from "./making.ts";
import { workflowType } from "./workflow-types.ts";

const part = (name: string, component: object) => ({
  targetId: `icm_${name}`,
  componentId: name === "" ? null : `cmp_${name}`,
  name,
  labels: {},
  wanted: { configId: "acf_a", part: component, checksum: "a" },
  deployed: { id: "dep_a", type: "apply" },
});
const web = { type: "helm_chart", name: "web" };
const script = { steps: [{ name: "run", command: "true" }] };
const config = {
  secrets: { secret: [{ name: "license", kubernetes_sync: true }] },
  actions: [
    { name: "before", triggers: [{ type: "pre-secrets-sync" }], ...script },
    { name: "after", triggers: [{ type: "post-secrets-sync" }], ...script },
  ],
};

/** The names of the groups of such a workflow, in order. */
function groupsOf(type: string, { more = config, planOnly = false }: Given = {}): string[] {
  const making = {
    facts: { runner: { id: "run_a" }, config: more, actions: [] },
    workflow: { type, params: { component_id: "cmp_web" }, plan_only: planOnly, metadata: {} },
    deploys: {
      sandbox: part("", { sandbox: { type: "terraform" } }),
      components: [part("web", { component: web })],
      toggles: {},
    },
    reads: () => ({ order: ["web"], needs: {}, inputs: {} }),
    newId: (prefix: string) => `${prefix}_a`,
  } as unknown as Making; // as much as groups read
  return workflowType(type)
    .groups(making)
    .map(({ name }) => name);
}
type Given = { readonly more?: object; readonly planOnly?: boolean };

const synced = ["pre-secrets-sync", "sync secrets", "post-secrets-sync"];

test.each([
  ["provision", "provision sandbox"],
  ["reprovision", "reprovision sandbox"],
  ["reprovision_sandbox", "reprovision sandbox"],
])("a %s syncs secrets after the sandbox and before the components", (type, sandbox) => {
  const groups = groupsOf(type);
  const at = groups.indexOf(sandbox);
  expect(groups.slice(at, at + 4)).toEqual([sandbox, ...synced]);
  expect(groups.slice(at + 4)).toContain("deploy web");
  expect(groupsOf(type, { planOnly: true })).not.toContain("sync secrets");
  expect(groupsOf(type, { more: {} })).not.toContain("sync secrets");
});

test("a sync that is asked for is nothing else, also where it only looks", () => {
  const all = ["generate install state", ...synced];
  expect(groupsOf("sync_secrets")).toEqual(all);
  expect(groupsOf("sync_secrets", { planOnly: true })).toEqual(all);
});

test.each(["deprovision", "deprovision_sandbox", "drift_run_reprovision_sandbox"])(
  "a %s syncs none",
  (type) => {
    expect(groupsOf(type)).not.toContain("sync secrets");
  },
);
