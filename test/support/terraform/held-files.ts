import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { until } from "../broker/given-polling.ts";
import { testFolder } from "../run/folder.ts";
import { givenPackedProviders } from "./given-providers.ts";
import type { Files, TestWorkspace } from "./given-terraform.ts";

/** A configuration whose apply makes a file, stands still until it is let go on, and makes another. */
export type HeldFiles = {
  readonly files: Files;
  /** What an agent needs to have the provider. */
  readonly settings: Readonly<Record<string, string>>;
  /** Resolves when the first file is there and the apply stands still. */
  readonly begun: () => Promise<void>;
  readonly release: () => Promise<void>;
  /** What there really is. */
  readonly made: () => Promise<string[]>;
  /** That the state tells of exactly the files that there are, under no lock and no block. */
  readonly expectTrue: (terraform: TestWorkspace, names: readonly string[]) => Promise<void>;
};

/** Two files of the local provider and a pause between them. */
export async function heldFiles(): Promise<HeldFiles> {
  const { mirrors } = await givenPackedProviders(["local"]);
  const [cloud, marks] = [await testFolder(0o777), await testFolder(0o777)];
  const mark = (name: string): string => path.join(marks, name);
  const file = (name: string, after: string): string => `
resource "local_file" "${name}" {
  filename   = "${path.join(cloud, name)}"
  content    = "made"
  depends_on = [${after}]
}
`;
  const main = `terraform {
  required_providers {
    local = { source = "hashicorp/local" }
  }
}
${file("first", "")}
resource "terraform_data" "pause" {
  depends_on = [local_file.first]
  provisioner "local-exec" {
    command = "touch ${mark("begun")}; until [ -e ${mark("go")} ]; do sleep 0.05; done"
  }
}
${file("second", "terraform_data.pause")}`;
  const made = async (): Promise<string[]> => (await readdir(cloud)).toSorted();
  return {
    files: { "main.tf": main },
    settings: { "provider-mirror": mirrors[0] ?? "" },
    begun: async () => await until(() => existsSync(mark("begun"))),
    release: async () => await writeFile(mark("go"), ""),
    made,
    expectTrue: async (terraform, names) => {
      expect(await made()).toEqual(names);
      expect(filesIn(await terraform.state())).toEqual(names);
      const { lock, block } = await terraform.workspace();
      expect({ lock, block }).toEqual({ lock: null, block: null });
    },
  };
}

/** The names of the files that a state tells of. */
function filesIn(state: { readonly resources: object[] } | undefined): string[] {
  type Resource = { type: string; name: string; instances: object[] };
  const resources = (state?.resources ?? []) as Resource[];
  const isThere = ({ type, instances }: Resource): boolean =>
    type === "local_file" && instances.length > 0;
  return resources
    .filter(isThere)
    .map(({ name }) => name)
    .toSorted();
}
