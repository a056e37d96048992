import { richDocument } from "../support/apps/rich-document.ts";

type Part = Readonly<Record<string, unknown>>;
type Parts = Readonly<Record<string, Part>>;

/** The config with every part, with members besides that no other test needs: clients read them, too. */
export async function richConfig(name: string): Promise<Parts> {
  const document = (await richDocument()) as Parts;
  const part = (file: string): Part => document[file] ?? {};
  const told = { display_name: "Shown", description: "What it is for." };
  const stack = { cloudformation_stack_name: "shop", cloudformation_param_name: "Shop" };
  return {
    ...document,
    "metadata.toml": { ...part("metadata.toml"), name },
    "inputs.toml": {
      group: withFirst(part("inputs.toml"), "group", told),
      input: withFirst(part("inputs.toml"), "input", {
        ...told,
        cloudformation_stack_name: "shop",
        cloudformation_stack_parameter_name: "Size",
        internal: false,
      }),
    },
    "sandbox.toml": {
      ...part("sandbox.toml"),
      aws_region_type: "default",
      env_vars: { TF_LOG: "warn" },
      auto_approve_on_policies_passing: true,
      skip_noops: true,
    },
    "runner.toml": {
      ...part("runner.toml"),
      env_vars: { LEVEL: "debug" },
      init_script_url: "https://example.com/init.sh",
      phone_home_script_url: "https://example.com/phone-home.py",
      public_api_url: "https://api.example.com",
      runner_api_url: "https://runners.example.com",
    },
    "stack.toml": {
      ...part("stack.toml"),
      custom_nested_stacks: withFirst(part("stack.toml"), "custom_nested_stacks", {
        index: 1,
        parameters: { Size: "1" },
      }),
      runner_nested_template_url: "https://example.com/runner.yaml",
      vpc_nested_template_url: "https://example.com/vpc.yaml",
    },
    "permissions.toml": {
      ...part("permissions.toml"),
      provision_role: {
        ...(part("permissions.toml")["provision_role"] as Part),
        ...told,
        ...stack,
        cloud_platform: "aws",
      },
      deprovision_role: { name: "remove", policies: [{ managed_policy_name: "ReadOnlyAccess" }] },
    },
    "policies.toml": {
      policy: withFirst(part("policies.toml"), "policy", { description: "No image floats." }),
    },
    "secrets.toml": {
      secret: [
        ...listIn(part("secrets.toml"), "secret"),
        {
          name: "license",
          ...told,
          ...stack,
          default: "none",
          format: "text",
          kubernetes_sync: true,
          kubernetes_sync_targets: [{ name: "license", key: "value", namespaces: ["shop"] }],
        },
      ],
    },
    actions: {
      ...document["actions"],
      "migrate.toml": {
        ...(part("actions")["migrate.toml"] as Part),
        break_glass_role_arn: "arn:aws:iam::123456789012:role/rescue",
        enable_kube_config: true,
        triggers: [
          { type: "pre-deploy-component", index: 1, component_name: "api" },
          { type: "cron", cron_schedule: "0 3 * * *" },
          { type: "manual" },
        ],
      },
    },
  };
}

const listIn = (part: Part, member: string): readonly Part[] =>
  (part[member] ?? []) as readonly Part[];

function withFirst(part: Part, member: string, more: Part): readonly Part[] {
  const [first, ...others] = listIn(part, member);
  return [{ ...first, ...more }, ...others];
}
