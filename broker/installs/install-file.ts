import type { Install } from "../../shared/api/install.ts";
import { hiddenValue } from "../../shared/hidden-value.ts";
import { jsonToToml, tomlText } from "./toml-text.ts";

type Parts = {
  readonly install: Install;
  /** As they are shown. */
  readonly inputs: Readonly<Record<string, unknown>>;
};

/** An install as a file of `installs/` has it; sensitive inputs are named in comments alone. */
export function installFile({ install, inputs }: Parts): string {
  const { install_config: config, app_default_labels: locked, label_templates: rendered } = install;
  const labels = Object.entries(install.labels).filter(
    ([key]) => !Object.hasOwn(locked, key) && !Object.hasOwn(rendered, key),
  );
  const platform = (["aws", "azure", "gcp"] as const).find(
    (one) => install[`${one}_account`] !== undefined,
  );
  const account = platform === undefined ? {} : (install[`${platform}_account`] ?? {});
  return [
    `# The install ${install.id}, as it is.`,
    `name = ${tomlText(install.name)}`,
    `approval_option = ${tomlText(config.approval_option)}`,
    ...table(`${platform ?? "no"}_account`, Object.entries(account)),
    ...table("labels", labels),
    ...table("component_toggles", Object.entries(config.component_toggles)),
    ...Object.keys(inputs)
      .sort()
      .flatMap((name) => inputLines(name, inputs[name])),
    "",
  ].join("\n");
}

function table(name: string, members: readonly (readonly [string, unknown])[]): string[] {
  if (members.length === 0) return [];
  const lines = members.map(([key, value]) => `${tomlText(key)} = ${jsonToToml(value)}`);
  return ["", `[${name}]`, ...lines];
}

function inputLines(name: string, value: unknown): string[] {
  if (value === hiddenValue)
    return ["", `# The input ${name} is sensitive: give its value yourself.`];
  return ["", "[[inputs]]", `${tomlText(name)} = ${jsonToToml(value)}`];
}
