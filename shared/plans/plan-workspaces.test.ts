import { describe, expect, test } from "vitest";
import type { RunnerJobType } from "../runner-job-types.ts";
import { planNames } from "./plan-names.ts";
import { planWorkspaces } from "./plan-workspaces.ts";

const named = { WorkspaceID: "tfw_1" };
const mode = { enabled: true, terraform: { workspace_id: "tfw_1" } };

describe("a plan names a workspace", () => {
  test.each<[string, object, RunnerJobType, { isPulumi: boolean }]>([
    ["terraform_backend", { terraform_backend: named }, "sandbox-terraform", { isPulumi: false }],
    [
      "terraform_backend by another spelling",
      { terraform_backend: { workspaceID: "tfw_1" } },
      "sandbox-terraform",
      { isPulumi: false },
    ],
    ["its own backend", { terraform_backend: named }, "sandbox-pulumi", { isPulumi: true }],
    [
      "terraform",
      { terraform: { terraform_backend: named } },
      "terraform-deploy",
      { isPulumi: false },
    ],
    ["sandbox_mode", { sandbox_mode: mode }, "terraform-deploy", { isPulumi: false }],
    ["pulumi", { pulumi: { workspace_id: "tfw_1" } }, "pulumi-deploy", { isPulumi: true }],
    [
      "pulumi's backends",
      { pulumi: { terraform_backend: named } },
      "pulumi-deploy",
      { isPulumi: true },
    ],
    ["pulumi's own", { pulumi: { pulumi_backend: named } }, "pulumi-deploy", { isPulumi: true }],
    [
      "its words",
      { pulumi: { pulumi_backend: { workspace_id: "tfw_1" } } },
      "pulumi-deploy",
      { isPulumi: true },
    ],
    ["pulumi_backend", { pulumi_backend: named }, "sandbox-pulumi", { isPulumi: true }],
    [
      "its word",
      { pulumi_backend: { workspace_id: "tfw_1" } },
      "sandbox-pulumi",
      { isPulumi: true },
    ],
  ])("in %s", (_, plan, type, { isPulumi }) => {
    const found = planWorkspaces(plan, type);
    expect(found).toMatchObject({ ids: ["tfw_1"], pulumiIds: isPulumi ? ["tfw_1"] : [] });
    expect(planNames(plan)).toEqual(["tfw_1"]); // kept beside it, or it would not be found
  });

  test.each([
    [{ terraform: { vars: { workspace_id: "tfw_1" } } }],
    [{ workspace_id: "tfw_1" }],
    [{ sandbox_mode: { helm: { workspace_id: "tfw_1" } } }],
    [{ terraform_backend: { WorkspaceID: ["tfw_1"] } }],
    [["tfw_1"]],
    [null],
  ])("nowhere else: %j", (plan) => {
    const found = planWorkspaces(plan, "terraform-deploy");
    expect(found).toEqual({ ids: [], pulumiIds: [], isSandbox: false });
    expect(planNames(plan)).toEqual([]);
  });
});

test("a plan is in sandbox mode only where it says so", () => {
  const isSandbox = (sandbox_mode: unknown): boolean =>
    planWorkspaces({ sandbox_mode }, "terraform-deploy").isSandbox;
  expect(isSandbox(mode)).toBe(true);
  for (const other of [{ ...mode, enabled: false }, { enabled: "true" }, null, "enabled", true]) {
    expect(isSandbox(other)).toBe(false);
  }
});
