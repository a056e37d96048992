import { expect, test } from "vitest";
import { openConfigFolder } from "../../cli/apps/open-config-folder.ts";
import { checkTexts } from "../../test/support/apps/config-of.ts";
import { checkConfigDocument, checkConfigFolder } from "./check-config.ts";
import { filesOfDocument } from "./files-of-document.ts";
import { notDeployed } from "./not-deployed.ts";

test("each part on which this version does not act is told, in directories at its file and line", async () => {
  const read = await checkConfigFolder(await openConfigFolder("test/support/apps/rich-app"), {
    isStrict: true,
  });
  expect([read.errors, read.warnings]).toEqual([[], []]);
  const document = read.config?.document ?? { metadata: { name: "" } };
  const again = await checkConfigDocument(filesOfDocument(document));
  expect(again.notices.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining(read.notices.map(({ detail }) => detail)),
  );
  expect(again.notices).toHaveLength(read.notices.length);
  const words = read.notices.map(({ code, detail }) => `${code} ${detail}`).join("\n");
  for (const { today } of notDeployed) expect(words).toContain(today.replaceAll("`", ""));
  expect(read.notices.filter(({ file, line }) => file === "" || line === null)).toEqual([]);
});

test("roles in a folder are told at the first of them, policies at theirs", async () => {
  const { notices } = await checkTexts({
    "metadata.toml": 'name = "shop"\n',
    "permissions/x.toml": '# A role\ntype = "custom"\nname = "c"\n',
    "policies.toml": '\n[[policy]]\ntype = "sandbox"\ncontents = "package svc"\n',
  });
  expect(notices.map(({ file, line, detail }) => [file, line, detail])).toEqual([
    ["permissions/x.toml", 1, "permissions: in this version not made: jobs run as their runner"],
    [
      "policies.toml",
      2,
      "policies: in this version evaluated for images and plans; those of clusters are not handed on",
    ],
  ]);
});

test("of actions, inputs and a runner there is nothing to tell", async () => {
  const { config, notices } = await checkConfigFolder(await openConfigFolder("examples/app"));
  expect([config?.document.metadata.name, notices]).toEqual(["greeter", []]);
});
