import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyDatabase } from "../support/database/database.ts";
import { svcSource } from "../support/programs/present-programs.ts";
import { startSvc } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

test("svc dev offers what a cluster is deployed to by where there is a kubeconfig", async () => {
  const dataDir = await testFolder();
  const KUBECONFIG = path.join(dataDir, "kubeconfig");
  await writeFile(KUBECONFIG, "");
  const env = { DATABASE_URL: (await emptyDatabase()).url, KUBECONFIG };
  const dev = startSvc(["dev", "--port", "0", "--data-dir", dataDir], { env, main: svcSource });
  const said = (): string => dev.said.out + dev.said.err;
  await expect.poll(said).toContain("Ctrl-C stops it");
  expect(dev.said.out).toContain(" svc manifest diff examples/manifest-hello\n");
  dev.kill("SIGINT");
  expect(await dev.ended).toMatchObject({ code: 0 });
});
