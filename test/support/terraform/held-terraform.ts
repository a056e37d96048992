import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { until } from "../broker/given-polling.ts";
import { testFolder } from "../run/folder.ts";
import type { Files } from "./given-terraform.ts";

/** A configuration whose apply stands still at its second resource until it is let go on. */
export type HeldTerraform = {
  readonly files: Files;
  /** Resolves with terraform's process id when the second resource is being made. */
  readonly begun: () => Promise<number>;
  readonly release: () => Promise<void>;
  /** The resources whose commands ran, in order. */
  readonly ran: () => Promise<string[]>;
};

/** Three resources, one after another. */
export async function heldTerraform(): Promise<HeldTerraform> {
  const folder = await testFolder(0o777);
  const at = (name: string): string => path.join(folder, name);
  const hold = `echo $PPID >${at("begun")}; until [ -e ${at("go")} ]; do sleep 0.05; done`;
  const resource = (name: string, after: string, command: string): string => `
resource "terraform_data" "${name}" {
  input = "${name}"
  ${after === "" ? "" : `depends_on = [terraform_data.${after}]`}
  provisioner "local-exec" { command = "echo ${name} >>${at("ran")}; ${command}" }
}
`;
  const main = [
    resource("first", "", "true"),
    resource("second", "first", hold),
    resource("third", "second", "true"),
    'output "third" { value = terraform_data.third.output }',
  ];
  const text = async (name: string): Promise<string> =>
    await readFile(at(name), "utf8").catch(() => "");
  return {
    files: { "main.tf": main.join("") },
    begun: async () => {
      await until(async () => (await text("begun")).endsWith("\n"));
      return Number(await text("begun"));
    },
    release: async () => await writeFile(at("go"), ""),
    ran: async () => (await text("ran")).trim().split("\n").filter(Boolean),
  };
}
