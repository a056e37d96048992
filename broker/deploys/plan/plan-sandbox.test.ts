import { describe, expect, test } from "vitest";
import {
  exampleConfig,
  plannedDeploy,
  readPlan,
} from "../../../test/support/deploys/planned-deploy.ts";

const ids = { install_id: "ins_a", app_id: "app_a", app_config_id: "acf_a" };

describe("the plan of a run of a sandbox", () => {
  const oci_source = {
    registry: {
      registryType: "private_oci",
      loginServer: "registry.test:5000",
      repository: "org_a/app_a/cmp_a",
    },
    tag: "bld_a",
    digest: `sha256:${"a".repeat(64)}`,
  };

  test("has what terraform needs beside its artifact", async () => {
    const { sandbox = {} } = await exampleConfig("helm-on-cluster");
    const { vars: _, ...rest } = sandbox;
    const terraform_version = "1.11.3";
    const part = {
      sandbox: {
        ...rest,
        terraform_version,
        vars: { cluster_name: "notes-{{ .svc.install.id }}" },
      },
    };
    const { plan, type, names } = readPlan(plannedDeploy(part));
    expect([type, names]).toEqual(["sandbox-terraform", ["tfw_a", "acf_a"]]);
    expect(plan).toEqual({
      ...ids,
      oci_source,
      vars: { cluster_name: "notes-ins_a" },
      vars_files: ["node_count = 2\n"],
      terraform_backend: { workspaceID: "tfw_a" },
      terraform_version: "1.11.3",
    });
  });

  test("of Pulumi has its stack beside its environment", () => {
    const sandbox = {
      type: "pulumi",
      runtime: "yaml",
      pulumi_config: { name: "{{ .svc.install.name }}" },
      env_vars: { A: "b" },
    } as const;
    const { plan, type } = readPlan(plannedDeploy({ sandbox }));
    expect(type).toBe("sandbox-pulumi");
    expect(plan).toEqual({
      ...ids,
      oci_source,
      env_vars: { A: "b" },
      pulumi_backend: {
        runtime: "yaml",
        stack_name: "ins_a",
        workspace_id: "tfw_a",
        config: { name: "a" },
        update_plans: true,
      },
    });
  });

  test("says where a value is missing, and who would provide it", async () => {
    const sandbox = { vars: { region: "{{ .svc.install_stack.outputs.region }}" } };
    expect(plannedDeploy({ sandbox })).toMatchObject({
      code: "missing_value",
      detail:
        "sandbox.toml, vars.region: .svc.install_stack.outputs.region is missing: the install's stack has no outputs yet",
    });
  });
});
