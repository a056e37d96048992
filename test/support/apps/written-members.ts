import type { ConfigTexts } from "./config-of.ts";
import type { WrittenConfig } from "./written-config.ts";

const repo = '[public_repo]\nrepo = "o/r"\n';
const step = '[[steps]]\nname = "s"\ncommand = "true"\n';
const image = 'name = "image"\ntype = "container_image"\n';
const job = (name: string): string => `name = "${name}"\ntype = "job"\nimage_url = "i"\n`;
const aws: ConfigTexts = { "runner.toml": 'runner_type = "aws"\n' };

/** Members as vendors write them, each with a fault that is planted in it. */
export const writtenMembers: Readonly<Record<string, WrittenConfig>> = {
  "the cloud of a role": {
    files: {
      ...aws,
      "permissions/maintenance.toml":
        'type = "maintenance"\nname = "m"\ncloud_platform = "aws"\n[[policies]]\n',
    },
    kept: { permissions: { maintenance_role: { cloud_platform: "aws" } } },
    planted: ["permissions/maintenance.toml", '"aws"', '"gcp"'],
    fault: ["cloud_mismatch", "permissions/maintenance.toml", 3, 1],
  },
  "steps of a runbook": {
    files: {
      "actions/check.toml": `name = "check"\n${step}`,
      "components/a.toml": job("a"),
      "runbooks/r.toml":
        'name = "r"\ndependencies = ["a"]\n[[steps]]\nname = "d"\ntype = "deploy"\ncomponent_name = "a"\ndeploy_dependencies = true\n[[steps]]\nname = "c"\ntype = "action"\naction_name = "check"\n',
    },
    kept: {
      runbooks: [
        {
          dependencies: ["a"],
          steps: [{ type: "component_deploy", deploy_dependencies: true }, { action: "check" }],
        },
      ],
    },
    planted: ["runbooks/r.toml", '"check"', '"chek"'],
    fault: ["unknown_action", "runbooks/r.toml", 11, 1],
  },
  "an action's two names that differ": {
    files: {
      "actions/check.toml": `name = "check"\n${step}`,
      "runbooks/r.toml":
        'name = "r"\n[[steps]]\nname = "c"\ntype = "action"\naction = "check"\naction_name = "check"\n',
    },
    kept: { runbooks: [{ steps: [{ action: "check" }] }] },
    planted: ["runbooks/r.toml", 'action_name = "check"', 'action_name = "other"'],
    fault: ["one_of", "runbooks/r.toml", 6, 1],
  },
  "an input that customers give": {
    files: { "inputs.toml": '[[input]]\nname = "a"\nuser_configurable = true\n' },
    kept: { inputs: { input: [{ name: "a", source: "customer" }] } },
    planted: ["inputs.toml", "= true", '= true\nsource = "vendor"'],
    fault: ["one_of", "inputs.toml", 3, 1],
  },
  "the role of emergencies of an action": {
    files: {
      "break_glass.toml": '[[role]]\nname = "admin"\n',
      "actions/a.toml": `name = "a"\nbreak_glass_role = "admin"\n${step}`,
    },
    kept: { actions: [{ role: "admin" }] },
    planted: ["actions/a.toml", '"admin"', '"admn"'],
    fault: ["unknown_role", "actions/a.toml", 2, 1],
  },
  "an image in ECR by region": {
    files: {
      "components/a.toml": `${image}[aws_ecr]\nimage_url = "i"\ntag = "1"\nregion = "eu-central-1"\n`,
    },
    kept: { components: [{ aws_ecr: { aws_region: "eu-central-1" } }] },
    planted: ["components/a.toml", '"eu-central-1"', "1"],
    fault: ["wrong_type", "components/a.toml", 6, 1],
  },
  "an image in GAR by region": {
    files: {
      "components/a.toml": `${image}[gcp_gar]\nimage_url = "i"\ntag = "1"\ngcp_project_id = "p"\nregion = "europe-west1"\n`,
    },
    kept: { components: [{ gcp_gar: { gcp_region: "europe-west1" } }] },
    planted: ["components/a.toml", "region", "regionn"],
    fault: ["missing_key", "components/a.toml", 3, 2],
  },
  "a component of a type that all objects have": {
    files: { "components/a.toml": job("a") },
    kept: { components: [{ type: "job" }] },
    planted: ["components/a.toml", '"job"', '"constructor"'],
    fault: ["bad_value", "components/a.toml", 2, 1],
  },
  "a component of their prototype": {
    files: { "components/a.toml": job("a") },
    kept: { components: [{ type: "job" }] },
    planted: ["components/a.toml", '"job"', '"__proto__"'],
    fault: ["bad_value", "components/a.toml", 2, 1],
  },
  "a cluster by a component": {
    files: {
      "kubernetes_contexts.toml": '[[kubernetes_context]]\nname = "data"\ncomponent = "cluster"\n',
      "components/cluster.toml": `name = "cluster"\ntype = "terraform_module"\n${repo}`,
      "components/app.toml": `${job("app")}kubernetes_context = "data"\n`,
    },
    kept: {
      kubernetes_contexts: { context: [{ name: "data", source_component_name: "cluster" }] },
    },
    planted: ["kubernetes_contexts.toml", '"cluster"', '"clster"'],
    fault: ["unknown_component", "kubernetes_contexts.toml", 3, 1],
  },
  "a cluster a file": {
    files: {
      "kubernetes_contexts/data.toml": 'name = "data"\ncomponent = "cluster"\n',
      "components/cluster.toml": `name = "cluster"\ntype = "terraform_module"\n${repo}`,
    },
    kept: { kubernetes_contexts: { context: [{ source_component_name: "cluster" }] } },
    planted: [
      "components/cluster.toml",
      'name = "cluster"',
      'name = "cluster"\nkubernetes_context = "x"',
    ],
    fault: ["unknown_kubernetes_context", "components/cluster.toml", 2, 1],
  },
  "a matrix of roles": {
    files: {
      "operation_roles.toml":
        'type = "matrix"\n[[rules]]\noperation = "deploy"\nprincipal = "component:*"\nrole = "admin"\n',
      "permissions.toml": '[[roles]]\ntype = "custom"\nname = "admin"\n',
    },
    kept: {
      operation_roles: { type: "matrix" },
      permissions: { custom_roles: [{ name: "admin" }] },
    },
    planted: ["operation_roles.toml", '"matrix"', '"list"'],
    fault: ["bad_value", "operation_roles.toml", 1, 1],
  },
  "roles in a list and by their members": {
    files: {
      "permissions.toml":
        '[provision_role]\nname = "p"\n[[custom_roles]]\nname = "c"\n[[roles]]\ntype = "deprovision"\nname = "d"\n[[roles]]\ntype = "custom"\nname = "e"\n',
    },
    kept: {
      permissions: {
        provision_role: { name: "p" },
        deprovision_role: { name: "d" },
        custom_roles: [{ name: "c" }, { name: "e" }],
      },
    },
    planted: ["permissions.toml", '"deprovision"', '"provision"'],
    fault: ["duplicate_name", "permissions.toml", 6, 1],
  },
  "roles in a list that is a text": {
    files: { "permissions.toml": 'roles = [{ type = "custom", name = "c" }]\n' },
    kept: { permissions: { custom_roles: [{ name: "c" }] } },
    planted: ["permissions.toml", '[{ type = "custom", name = "c" }]', '"c"'],
    fault: ["wrong_type", "permissions.toml", 1, 1],
  },
  "roles in a list that is a table": {
    files: { "permissions.toml": '[[roles]]\ntype = "custom"\nname = "c"\n' },
    kept: { permissions: { custom_roles: [{ name: "c" }] } },
    planted: ["permissions.toml", "[[roles]]", "[roles]"],
    fault: ["wrong_type", "permissions.toml", 1, 2],
  },
  "roles in a list of numbers": {
    files: { "permissions.toml": 'roles = [{ type = "custom", name = "c" }]\n' },
    kept: { permissions: { custom_roles: [{ name: "c" }] } },
    planted: ["permissions.toml", '{ type = "custom", name = "c" }', "1"],
    fault: ["wrong_type", "permissions.toml", 1, 10],
  },
  "roles beside further roles that are a text": {
    files: { "permissions.toml": 'custom_roles = []\n[[roles]]\ntype = "custom"\nname = "c"\n' },
    kept: { permissions: { custom_roles: [{ name: "c" }] } },
    planted: ["permissions.toml", "[]", '"oops"'],
    fault: ["wrong_type", "permissions.toml", 1, 1],
  },
  "policies that roles share beside what is a text": {
    files: {
      "permissions.toml": "named_policies = []\n",
      "permissions/policies/logs.toml": 'name = "logs"\ncontents = "{}"\n',
    },
    kept: { permissions: { named_policies: [{ name: "logs" }] } },
    planted: ["permissions.toml", "[]", '"oops"'],
    fault: ["wrong_type", "permissions.toml", 1, 1],
  },
  "policies that roles share": {
    files: {
      "permissions/provision.toml":
        'type = "provision"\nname = "p"\n[[named_policies]]\nname = "logs"\n',
      "permissions/policies/logs.toml": 'name = "logs"\ncontents = "./logs.json"\n',
      "permissions/policies/logs.json": "{}",
    },
    kept: {
      permissions: {
        provision_role: { named_policy_names: ["logs"] },
        named_policies: [{ name: "logs", contents: "{}" }],
      },
    },
    planted: ["permissions/provision.toml", '"logs"', '"log"'],
    fault: ["unknown_policy", "permissions/provision.toml", 3, 3],
  },
  "what a stack gives, without its file": {
    files: {
      "sandbox.toml": `${repo}[vars]\nregion = "{{ .svc.install_stack.outputs.region }}"\n`,
    },
    kept: { sandbox: { vars: { region: "{{ .svc.install_stack.outputs.region }}" } } },
    planted: ["sandbox.toml", "install_stack.outputs", "install_stack.output"],
    fault: ["reference_unknown", "sandbox.toml", 4, 1],
  },
  "a template of a stack that is a file": {
    files: {
      "stack.toml":
        'type = "azure-bicep"\n[[custom_nested_stacks]]\nname = "net"\ntemplate_url = "./arm/net.json"\n[[custom_nested_stacks]]\nname = "more"\ntemplate_url = "github.com/o/r//gcp/modules/more"\n',
      "arm/net.json": "{}",
    },
    kept: {
      stack: { custom_nested_stacks: [{ template_url: "./arm/net.json", contents: "{}" }, {}] },
    },
    planted: ["stack.toml", '"github.com/o/r//gcp/modules/more"', '"more"'],
    fault: ["bad_value", "stack.toml", 7, 1],
  },
  "a branch's runs and previews": {
    files: {
      "branch.toml": `name = "main"\n${repo}[run]\nmode = "push"\n[preview]\nmode = "plan-only"\ninstall_name = "a"\n[[install_groups]]\nname = "g"\ninstall_names = ["a"]\n`,
    },
    kept: {
      branches: [{ run_config: { mode: "push" }, preview_config: { mode: "plan-only" } }],
    },
    planted: ["branch.toml", '"plan-only"', '"plan"'],
    fault: ["bad_value", "branch.toml", 7, 1],
  },
  "how a component's health is watched": {
    files: {
      "components/a.toml": `${job("a")}[health]\nstabilization_window = "3m"\n[[health.probes]]\ntype = "http"\nurl = "https://x"\n`,
    },
    kept: { components: [{ health: { probes: [{ type: "http" }] } }] },
    planted: ["components/a.toml", '"http"', '"htp"'],
    fault: ["bad_value", "components/a.toml", 7, 1],
  },
};
