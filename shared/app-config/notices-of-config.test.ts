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

test("components are told once a type, roles in a folder at the first of them", async () => {
  const job = (name: string) => `type = "job"\nname = "${name}"\nimage_url = "i"\n`;
  const { notices } = await checkTexts({
    "metadata.toml": 'name = "shop"\n',
    "components/1.toml": job("b"),
    "components/2.toml": job("a"),
    "permissions/x.toml": '# A role\ntype = "custom"\nname = "c"\n',
    "policies.toml": '\n[[policy]]\ntype = "sandbox"\ncontents = "package svc"\n',
  });
  const unprovisioned =
    "not deployed: installs of such an app cannot be provisioned (409 config_unsupported)";
  expect(notices.map(({ file, line, detail }) => [file, line, detail])).toEqual([
    [
      "components/2.toml",
      1,
      `component a (job) and 1 more of this type: in this version built; ${unprovisioned}`,
    ],
    ["permissions/x.toml", 1, "permissions: in this version not made: jobs run as their runner"],
    ["policies.toml", 2, "policies: in this version evaluated for images alone"],
  ]);
});

test("of actions, inputs and a runner there is nothing to tell", async () => {
  const { config, notices } = await checkConfigFolder(await openConfigFolder("examples/app"));
  expect([config?.document.metadata.name, notices]).toEqual(["greeter", []]);
});
