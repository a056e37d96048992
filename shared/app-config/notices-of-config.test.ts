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

test("roles in a folder are told at the first of them, and of policies there is nothing to tell", async () => {
  const { notices } = await checkTexts({
    "metadata.toml": 'name = "shop"\n',
    "permissions/x.toml": '# A role\ntype = "custom"\nname = "c"\n',
    "policies.toml": '\n[[policy]]\ntype = "sandbox"\ncontents = "package svc"\n',
  });
  expect(notices.map(({ file, line, detail }) => [file, line, detail])).toEqual([
    ["permissions/x.toml", 1, "permissions: in this version not made: jobs run as their runner"],
  ]);
});

test("inputs are told at who gives them, where that is the customer, by either name", async () => {
  const { errors, notices } = await checkTexts({
    "metadata.toml": 'name = "shop"\n',
    "inputs/z.toml": 'name = "zone"\nuser_configurable = true\n',
    "inputs/b.toml": 'name = "size"\nsource = "vendor"\n',
    "inputs/a.toml": '# What they choose\nname = "domain"\nsource = "customer"\n',
    "inputs/c.toml": 'name = "depth"\nuser_configurable = false\n',
  });
  expect(errors).toEqual([]);
  expect(notices.map(({ file, line, code, detail }) => [file, line, code, detail])).toEqual([
    [
      "inputs/a.toml",
      3,
      "not_deployed_yet",
      "input domain and 1 more: in this version not asked of the customer: the vendor gives them, by svc install inputs",
    ],
  ]);
});

test("of actions, inputs and a runner there is nothing to tell", async () => {
  const { config, notices } = await checkConfigFolder(await openConfigFolder("examples/app"));
  expect([config?.document.metadata.name, notices]).toEqual(["greeter", []]);
});
