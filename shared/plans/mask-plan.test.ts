import { describe, expect, test } from "vitest";
import { hiddenValue } from "../hidden-value.ts";
import { maskPlan, maskRendered } from "./mask-plan.ts";

describe("a plan without its secrets", () => {
  test("shows names, and the values of members that are known and not marked", () => {
    const shown = maskPlan("terraform-deploy", {
      install_id: "ins_1",
      src_registry: { url: "oci://r", password: "hunter2" },
      src_tag: "v1",
      terraform: {
        vars: { db_password: "hunter2", size: 3, nested: [{ deep: "hunter2" }] },
        env_vars: { AWS_SECRET_ACCESS_KEY: "hunter2" },
        vars_files: ["x = hunter2"],
        terraform_backend: { WorkspaceID: "tfw_1" },
        aws_auth: { static: { secret_access_key: "hunter2" } },
        state: { outputs: "hunter2" },
      },
      apply_plan_contents: "aHVudGVyMg==hunter2",
      invented: "hunter2",
      sandbox_mode: { enabled: true, outputs: { a: "hunter2" } },
    });
    expect(JSON.stringify(shown)).not.toContain("hunter2");
    expect(shown).toEqual({
      install_id: "ins_1",
      src_registry: { url: "oci://r", password: hiddenValue },
      src_tag: "v1",
      terraform: {
        vars: { db_password: hiddenValue, size: hiddenValue, nested: [{ deep: hiddenValue }] },
        env_vars: { AWS_SECRET_ACCESS_KEY: hiddenValue },
        vars_files: [hiddenValue],
        terraform_backend: { WorkspaceID: "tfw_1" },
        aws_auth: { static: { secret_access_key: hiddenValue } },
        state: { outputs: hiddenValue },
      },
      apply_plan_contents: hiddenValue,
      invented: hiddenValue,
      sandbox_mode: { enabled: true, outputs: { a: hiddenValue } },
    });
  });

  test("hides who reads secrets and who signs in to their cluster, and shows where they go", () => {
    const open = {
      kubernetes_secrets: [
        {
          secret_name: "license",
          azure_key_vault_secret_id: "https://acme.vault.azure.net/secrets/license",
          targets: [{ name: "license", key: "value", namespaces: ["shop"] }],
        },
      ],
      force_conflicts: true,
    };
    const clouds = {
      aws_auth: { region: "eu-central-1", static: { secret_access_key: "hunter2" } },
      gcp_auth: { project_id: "p", service_account_key: { private_key: "hunter2" } },
      azure_auth: { tenant_id: "t", client_secret: "hunter2" },
    };
    const cluster_info = {
      id: "prod",
      kube_config: "hunter2",
      env_vars: { TOKEN: "hunter2" },
      ...clouds,
    };
    const shown = maskPlan("sandbox-sync-secrets", { ...open, ...clouds, cluster_info });
    expect(JSON.stringify(shown)).not.toContain("hunter2");
    expect(shown).toMatchObject({
      ...open,
      aws_auth: { region: "eu-central-1" },
      cluster_info: { id: "prod", gcp_auth: { project_id: "p" }, azure_auth: { tenant_id: "t" } },
    });
  });

  test("hides scripts, variables and credentials of an action, and shows its steps", () => {
    const step = {
      name: "say",
      run_id: "stp_1",
      shell: "sh -eu",
      timeout: 5e9,
      interpolated_command: "curl -u me:hunter2 x",
      interpolated_inline_contents: "hunter2",
      argv: ["x", "hunter2"],
      args: ["hunter2"],
      secret_env_vars: { A: "hunter2" },
      interpolated_env_vars: { B: "hunter2" },
      git_source: {
        url: "https://me:hunter2@git.example/x.git?token=hunter2",
        ref: "main",
        auth: { username: "hunter2", password: "hunter2" },
      },
    };
    const shown = maskPlan("actions-workflow", { id: "run_1", steps: [step], timeout: 1e9 });
    expect(JSON.stringify(shown)).not.toContain("hunter2");
    expect(shown).toMatchObject({
      id: "run_1",
      timeout: 1e9,
      steps: [
        {
          name: "say",
          run_id: "stp_1",
          shell: "sh -eu",
          timeout: 5e9,
          git_source: { url: "https://(secret)@git.example/x.git?(secret)", ref: "main" },
        },
      ],
    });
  });

  test("that was rendered and has no twin shows nothing of its steps", () => {
    const steps = [{ name: "HUNTER2", run_id: "a.1", directory: "x/HUNTER2", timeout: 5 }];
    const plan = { id: "run_1", steps, timeout: 1e9 };
    expect(maskRendered("actions-workflow", plan)).toEqual({
      id: "run_1",
      timeout: 1e9,
      steps: [{ name: "(secret)", run_id: "(secret)", directory: "(secret)", timeout: "(secret)" }],
    });
    expect(maskRendered("actions-workflow", {})).toEqual({});
  });

  test.each([
    ["helm-chart-deploy", { helm: { values: [{ name: "a", value: "hunter2", type: "string" }] } }],
    ["helm-chart-deploy", { helm: { values_override: "hunter2", values_files: ["hunter2"] } }],
    ["kubernetes-manifest-deploy", { kubernetes_manifest: { manifest: "hunter2" } }],
    ["sandbox-terraform", { apply_plan_display: "hunter2", plan_json: "hunter2" }],
    ["noop", { anything: { __proto__: "x", constructor: "hunter2", toString: ["hunter2"] } }],
    ["terraform-deploy", { install_id: { not: "hunter2" }, src_tag: ["hunter2"] }],
    ["terraform-deploy", JSON.parse('{"__proto__": {"install_id": "hunter2"}}')],
    ["terraform-deploy", ["hunter2"]],
  ] as const)("shows no secret of %s %j", (type, plan) => {
    expect(JSON.stringify(maskPlan(type, plan))).not.toContain("hunter2");
  });
});
