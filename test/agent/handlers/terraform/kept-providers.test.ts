import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { keepProviders } from "../../../../agent/handlers/terraform/keep-providers.ts";
import { testFolder } from "../../../support/run/folder.ts";

const own = "registry.terraform.io/acme/thing/1.0.0/linux_amd64";

/** What the host keeps after a job installed a provider whose source has these folders. */
async function keptAfter(kind: "git" | "oci", folders: readonly string[]): Promise<string[]> {
  const [dataDir, data, cwd] = [await testFolder(), await testFolder(), await testFolder()];
  await mkdir(path.join(data, "providers", own), { recursive: true });
  await writeFile(path.join(data, "providers", own, "terraform-provider-thing"), "program");
  for (const folder of folders) await mkdir(path.join(cwd, folder), { recursive: true });
  const agent = { config: { dataDir }, log: { warn: () => {} } };
  const job = { executionId: "e", directories: { owner: undefined }, agent };
  await keepProviders({ job, run: { source: { kind } }, files: { data }, cwd });
  return await readdir(dataDir);
}

test("the host keeps no provider of a job whose artifact brings some along", async () => {
  expect(await keptAfter("oci", [])).toEqual(["providers"]);
  expect(await keptAfter("git", [".terraform/providers"])).toEqual(["providers"]);
  expect(await keptAfter("oci", [".terraform/providers"])).toEqual([]);
});
