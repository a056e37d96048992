import { readdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readRootFile, sourceFiles } from "./support/run/source-files.ts";

test("no text has anybody type a package of a stranger: npx takes svc from the registry outside this folder", async () => {
  const inFolders = ["docs", "deploy", "examples", "bench", "migrations"].map(async (folder) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ parentPath, name }) => path.join(parentPath, name));
  });
  const atRoot = (await readdir(".")).filter((name) => name.endsWith(".md"));
  const names = [...atRoot, "svc", ...(await Promise.all(inFolders)).flat()];
  const read = names.map(async (name) => ({ name, text: await readRootFile(name) }));
  const texts = [...(await Promise.all(read)), ...(await sourceFiles())];
  expect(texts.length).toBeGreaterThan(1000);
  const named = new RegExp(["npx", "svc\\b"].join(" ")); // written so, it is not found here
  expect(texts.filter(({ text }) => named.test(text)).map(({ name }) => name)).toEqual([]);
});
