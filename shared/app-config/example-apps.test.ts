import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { appNameOf, openConfigFolder } from "../../cli/apps/open-config-folder.ts";
import { checkConfigDocument, checkConfigFolder } from "./check-config.ts";
import { filesOfDocument } from "./files-of-document.ts";

const apps = (await readdir("examples/apps", { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test("there are six apps at least", () => {
  expect(apps.length).toBeGreaterThanOrEqual(6);
});

describe.each(apps)("examples/apps/%s", (app) => {
  test("is valid, strictly, as a directory and as its document, by one checksum", async () => {
    const at = `examples/apps/${app}`;
    const options = { appName: await appNameOf(at), isStrict: true };
    const folder = await openConfigFolder(at);
    const read = await checkConfigFolder(folder, options);
    expect([read.errors, read.warnings]).toEqual([[], []]);
    expect(read.config?.document.metadata.name).toBe(app);
    const files = filesOfDocument(read.config?.document ?? { metadata: { name: "" } });
    const again = await checkConfigDocument(files, { isStrict: true }, folder);
    expect([again.errors, again.warnings]).toEqual([[], []]);
    expect(again.config?.checksum).toBe(read.config?.checksum);
  });
});
