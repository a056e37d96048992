import { fileText, type Table } from "./file-text.ts";

const repo = (directory: string): Table => ({
  public_repo: { repo: "https://github.com/acme/shop", directory, branch: "main" },
});
const image = { image_url: "ghcr.io/acme/shop", tag: "1.0.0" };
const sandbox = (name: string, vars: Table): Template => ({
  file: "sandbox.toml",
  type: "sandbox",
  table: { terraform_version: "1.11.4", ...repo(`sandboxes/${name}`), vars },
});
const ownNetwork = { vpc_id: "{{ .svc.inputs.inputs.vpc_id }}" };
const component = (type: string, name: string, more: Table): Template => ({
  file: `components/${name}.toml`,
  type: "component",
  table: { type, name, ...more },
});
const metadata: Template = {
  file: "metadata.toml",
  type: "metadata",
  table: { description: "What it is for, in a sentence." },
};

type Template = { readonly file: string; readonly type: string; readonly table: Table };

const templates = {
  flat: metadata,
  "top-level": metadata,
  inputs: {
    file: "inputs.toml",
    type: "inputs",
    table: {
      group: [{ name: "network", description: "Where it runs." }],
      input: [
        { name: "vpc_id", group: "network", display_name: "VPC", description: "The network." },
      ],
    },
  },
  installer: {
    file: "installer.toml",
    type: "installer",
    table: { name: "Shop", description: "What it is for.", slug: "shop" },
  },
  runner: { file: "runner.toml", type: "runner", table: { runner_type: "aws" } },
  sandbox: sandbox("aws", {}),
  "aws-ecs": sandbox("aws-ecs", {}),
  "aws-ecs-byovpc": sandbox("aws-ecs", ownNetwork),
  "aws-eks": sandbox("aws-eks", {}),
  "aws-eks-byovpc": sandbox("aws-eks", ownNetwork),
  "azure-aks": sandbox("azure-aks", {}),
  "container-image": component("container_image", "image", { public: image }),
  "ecr-container-image": component("container_image", "image", {
    aws_ecr: {
      ...image,
      image_url: "123456789012.dkr.ecr.us-east-1.amazonaws.com/shop",
      aws_region: "us-east-1",
    },
  }),
  "docker-build": component("docker_build", "image", {
    dockerfile: "Dockerfile",
    ...repo("image"),
  }),
  helm: component("helm_chart", "shop", { chart_name: "shop", ...repo("chart") }),
  job: component("job", "migrate", image),
  terraform: component("terraform_module", "database", {
    terraform_version: "1.11.4",
    ...repo("database"),
  }),
  terraformInfra: component("terraform_module", "infra", {
    terraform_version: "1.11.4",
    ...repo("infra"),
  }),
} as const satisfies Readonly<Record<string, Template>>;

export type TemplateType = keyof typeof templates;
/** Of what there is a template. */
export const templateTypes = Object.keys(templates) as [TemplateType, ...TemplateType[]]; // its own keys

/** A file to begin with, of an app that is called so: its place in the config's directory, and its text. */
export function templateFile(
  of: TemplateType,
  app: string,
): { readonly filename: string; readonly content: string } {
  const { file, type, table }: Template = templates[of];
  const named = type === "metadata" ? { name: app, ...table } : table;
  return { filename: file, content: fileText(type, named) };
}
