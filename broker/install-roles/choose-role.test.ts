import { expect, test } from "vitest";
import type { AppConfigDocument } from "../../shared/app-config/config-files.ts";
import { type Acting, chooseRole } from "./choose-role.ts";

const config = {
  metadata: { name: "shop" },
  permissions: { provision_role: { name: "maker" }, maintenance_role: { name: "keeper" } },
  operation_roles: {
    rules: [
      { operation: "deploy", principal: "*", role: "any" },
      { operation: "deploy", principal: "svc::component:web", role: "web" },
      { operation: "provision", principal: "sandbox", role: "net" },
      { operation: "trigger", principal: "action:fix", role: "fixer" },
    ],
  },
  sandbox: { operation_roles: [{ operation: "reprovision", role: "remaker" }] },
  components: [
    { name: "web", type: "job", operation_roles: [{ operation: "teardown", role: "remover" }] },
    { name: "db", type: "job" },
  ],
  actions: [{ name: "fix", role: "own", break_glass_role_arn: "arn:rescue", steps: [] }],
} as unknown as AppConfigDocument; // only what is read of one

const lookedAt = (acting: Acting, of: AppConfigDocument = config) =>
  chooseRole(of, acting).role_selection_trace.map(
    (one) => `${one.role_source} ${one.role_name || one.role_id}`,
  );

test.each<[string, Acting, string[]]>([
  [
    "the rule of exactly it",
    { operation: "deploy", component: "web" },
    ["matrix web", "default keeper"],
  ],
  ["the rule of all", { operation: "deploy", component: "db" }, ["matrix any", "default keeper"]],
  ["its own", { operation: "teardown", component: "web" }, ["entity remover", "default keeper"]],
  [
    "the sandbox's rule",
    { operation: "provision", sandbox: true },
    ["matrix net", "default maker"],
  ],
  [
    "the sandbox's own",
    { operation: "reprovision", sandbox: true },
    ["entity remaker", "default keeper"],
  ],
  [
    "a default that no config names",
    { operation: "deprovision", sandbox: true },
    ["default deprovision"],
  ],
  [
    "that of emergencies before an action's own",
    { operation: "trigger", action: "fix" },
    ["break_glass arn:rescue", "entity own", "matrix fixer", "default keeper"],
  ],
  ["no action's for what no config has", { operation: "trigger" }, ["default keeper"]],
  ["nobody's for secrets", { operation: "sync-secrets" }, ["default keeper"]],
])("%s is looked at, and the runner is chosen", (_, acting, roles) => {
  expect(lookedAt(acting)).toEqual([...roles, "runner "]);
});

test("what a config has is not available, and the runner alone is selected", () => {
  const { role_selection_trace: trace, ...chosen } = chooseRole(config, {
    operation: "deploy",
    component: "web",
  });
  expect(chosen).toEqual({ role_name: "", role_source: "runner" });
  expect(trace.map(({ available, selected }) => [available, selected])).toEqual([
    [false, false],
    [false, false],
    [true, true],
  ]);
});

test("a config without any of it has the default that its operation would use", () => {
  const bare = { metadata: { name: "shop" } } as AppConfigDocument; // as a sync may leave it
  expect(lookedAt({ operation: "provision", sandbox: true }, bare)).toEqual([
    "default provision",
    "runner ",
  ]);
});
