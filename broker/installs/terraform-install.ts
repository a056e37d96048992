import type { Install } from "../../shared/api/install.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import { hclText } from "./hcl-text.ts";

type Parts = {
  readonly install: Install;
  /** As they are shown. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** What the provider is called: its resources begin with it. */
  readonly provider: string;
};
/** A member and its value, as Terraform's language has it. */
type Argument = readonly [name: string, value: string];

/** An install as the resource of a Terraform provider, formatted as `terraform fmt` does; sensitive inputs are variables without values. */
export function terraformInstall({ install, inputs, provider }: Parts): string {
  const values = Object.entries(inputs).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const secret = variableNames(
    values.filter(([, value]) => value === hiddenValue).map(([name]) => name),
  );
  const type = `${provider}_install`;
  const inputBlock = ([name, value]: readonly [string, unknown]): string => {
    const variable = secret.get(name);
    const shown = variable === undefined ? inputText(value) : `var.${variable}`;
    return block("input", [
      ["name", hclText(name)],
      ["value", shown],
    ]);
  };
  return [
    `# The install ${install.id} of the org ${install.org_id}, as it is.`,
    "# The source is where your provider is published. The import makes Terraform manage this install, and no second one.",
    block("terraform", [["required_version", hclText(">= 1.5.0")]], [requiredProviders(provider)]),
    ...[...secret].map(([name, variable]) => secretVariable(variable, name)),
    block("import", [
      ["to", `${type}.install`],
      ["id", hclText(install.id)],
    ]),
    block(
      `resource "${type}" "install"`,
      [
        ["app_id", hclText(install.app_id)],
        ["name", hclText(install.name)],
      ],
      [...accountBlocks(install), ...values.map(inputBlock)],
    ),
  ]
    .join("\n\n")
    .replace("\n\n", "\n") // the comment is one
    .concat("\n");
}

const requiredProviders = (provider: string): string =>
  `required_providers {\n  ${provider} = {\n    source = "${provider}/${provider}"\n  }\n}`;

const secretVariable = (variable: string, input: string): string =>
  block(`variable "${variable}"`, [
    ["description", hclText(`The input ${input}, which is sensitive.`)],
    ["type", "string"],
    ["sensitive", "true"],
  ]);

/** In which account of which cloud it is, by the members that a request for a new install has. */
function accountBlocks(install: Install): string[] {
  const { aws_account: aws, azure_account: azure, gcp_account: gcp } = install;
  const { expected_account_id: account_id, expected_subscription_id: subscription_id } = install;
  const clouds = {
    ...(aws && { aws: { ...aws, account_id } }),
    ...(azure && { azure: { ...azure, subscription_id } }),
    ...(gcp && { gcp }),
  };
  return Object.entries(clouds).map(([cloud, members]) =>
    block(
      cloud,
      Object.entries(members).flatMap(([name, value]): Argument[] =>
        value === undefined ? [] : [[name, hclText(value)]],
      ),
    ),
  );
}

/** Providers take texts: what is none is in it as JSON. */
const inputText = (value: unknown): string =>
  hclText(typeof value === "string" ? value : JSON.stringify(value));

/** Names for the variables of inputs, each another: what a name of Terraform's cannot have is an underscore. */
function variableNames(inputs: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    inputs.map((input) => {
      const plain = `input_${input.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
      let name = plain;
      for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`;
      taken.add(name);
      return [input, name];
    }),
  );
}

/** A block, with its arguments' values below each other. */
function block(head: string, members: readonly Argument[], blocks: readonly string[] = []): string {
  const width = Math.max(0, ...members.map(([name]) => name.length));
  const lines = members.map(([name, value]) => `${name.padEnd(width)} = ${value}`).join("\n");
  const parts = [lines, ...blocks].filter((part) => part !== "");
  if (parts.length === 0) return `${head} {\n}`;
  return `${head} {\n${parts.join("\n\n").replaceAll(/^(?=.)/gm, "  ")}\n}`;
}
