import { writeFile } from "node:fs/promises";
import path from "node:path";
import { tool } from "../../tools/find-tool.ts";
import { toolTable } from "../../tools/tool-table.ts";
import { testFolder } from "../run/folder.ts";
import { writeZip } from "../sources/write-zip.ts";

export type Providers = {
  /** Where they are. */
  readonly mirrors: readonly string[];
  /** terraform's and tofu's own settings: these providers, and no registry. */
  readonly cliFile: string;
  /** Names that file; the machine's own may not exist. */
  readonly env: Readonly<Record<string, string>>;
};

/** What a describeWithTools of tests with these providers names. */
export function providerTools(names: readonly string[]): string[] {
  return names.map((name) => `terraform-provider-${name}`);
}

/** Lets terraform and tofu have these providers, from folders; terraform links them, it never copies. */
export async function givenProviders(names: readonly string[]): Promise<Providers> {
  return await writeCliFile(providerTools(names).map((program) => path.dirname(tool(program))));
}

/** Lets terraform and tofu have these providers as a registry gives them: zips, which each init unpacks. */
export async function givenPackedProviders(names: readonly string[]): Promise<Providers> {
  const mirror = await testFolder();
  const platform = `${process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
  for (const name of names) {
    const { version } = toolTable.find((it) => it.name === `provider-${name}`) ?? { version: "" };
    const program = `terraform-provider-${name}`;
    for (const registry of ["registry.terraform.io", "registry.opentofu.org"]) {
      const zip = path.join(registry, "hashicorp", name, `${program}_${version}_${platform}.zip`);
      const files = { [`${program}_v${version}`]: tool(program) };
      await writeZip(path.join(mirror, zip), files);
    }
  }
  return await writeCliFile([mirror]);
}

async function writeCliFile(mirrors: readonly string[]): Promise<Providers> {
  const blocks = mirrors.map(
    (it) => `  filesystem_mirror {\n    path = ${JSON.stringify(it)}\n  }\n`,
  );
  const cliFile = path.join(await testFolder(), "cli.tfrc");
  await writeFile(
    cliFile,
    `disable_checkpoint = true\nprovider_installation {\n${blocks.join("")}}\n`,
  );
  return { mirrors, cliFile, env: { TF_CLI_CONFIG_FILE: cliFile } };
}
