import { describe, expect, test } from "vitest";
import { checkTexts, type ConfigTexts } from "../../test/support/apps/config-of.ts";
import { writtenLayouts } from "../../test/support/apps/written-layouts.ts";
import { writtenMembers } from "../../test/support/apps/written-members.ts";
import { checkConfigDocument } from "./check-config.ts";
import { filesOfDocument } from "./files-of-document.ts";

const metadata: ConfigTexts = { "metadata.toml": 'version = "v2"\n' };
const step = '[[steps]]\nname = "s"\ncommand = "true"\n';
const rows = { ...writtenLayouts, ...writtenMembers };

const check = async (files: ConfigTexts) =>
  await checkTexts({ ...metadata, ...files }, { appName: "shop" });

describe.each(Object.entries(rows))("%s", (_, { files, kept, planted, fault }) => {
  test("is read, and is the same config as its document", async () => {
    const { errors, config } = await check(files);
    expect(errors).toEqual([]);
    expect(config?.document).toMatchObject(kept);
    const again = await checkConfigDocument(
      filesOfDocument(config?.document ?? { metadata: { name: "" } }),
    );
    expect([again.errors, again.config?.checksum]).toEqual([[], config?.checksum]);
  });

  test("has its fault where it was planted", async () => {
    const [file, from, to] = planted;
    const text = { ...metadata, ...files }[file] ?? "";
    expect(text).toContain(from);
    const { errors } = await check({ ...files, [file]: text.replace(from, to) });
    const told = errors.map((one) => [one.code, one.file, one.line, one.column]);
    expect(told).toContainEqual(fault);
  });
});

test.each(["", "v1", "v2"])("the format's version %j is taken and kept", async (version) => {
  const { errors, config } = await check({
    "metadata.toml": `version = "${version}"\n`,
  });
  expect(errors).toEqual([]);
  expect(config?.document.metadata.version).toBe(version);
});

test("what makes a component's cluster is deployed before it", async () => {
  const { config } = await check(rows["a cluster by a component"]?.files ?? {});
  expect(config?.graph.order).toEqual(["cluster", "app"]);
});

describe("a key or a file that nothing knows", () => {
  const files: ConfigTexts = {
    "actions/a.toml": `name = "a"\ndescription = "x"\nlabel = "y"\n${step}`,
    "mise.toml": "x = 1\n",
    "component/a.toml": "",
    "components/api/pyproject.toml": '[project]\nname = "x"\n',
    "components/api/wrangler.toml": 'name = "x"\nmain = "x.js"\n[env]\na = 1\n',
  };

  test("is a warning with the nearest known word, and no part of the config", async () => {
    const { errors, warnings, config } = await check(files);
    expect(errors).toEqual([]);
    expect(warnings.map((one) => [one.code, one.file, one.line])).toEqual([
      ["ignored_key", "actions/a.toml", 2],
      ["ignored_key", "actions/a.toml", 3],
      ["ignored_key", "component/a.toml", null],
      ["ignored_key", "components/api/pyproject.toml", null],
      ["ignored_key", "components/api/wrangler.toml", null],
      ["ignored_key", "mise.toml", null],
    ]);
    expect(warnings[1]?.detail).toBe("label is not known here; did you mean labels?");
    const { "actions/a.toml": action = "" } = files;
    const plain = await check({
      "actions/a.toml": action.replace(/^(?:description|label) .*\n/gm, ""),
    });
    expect(config?.checksum).toBe(plain.config?.checksum);
  });

  test("is a fault when the check is strict", async () => {
    const strict = await checkTexts({ ...metadata, ...files }, { appName: "shop", isStrict: true });
    expect(strict.config).toBeUndefined();
    expect(new Set(strict.errors.map(({ code }) => code))).toEqual(new Set(["unknown_key"]));
    expect([strict.errors.length, strict.warnings]).toEqual([6, []]);
  });

  test("in a document is a warning for a key, and a fault for a file", async () => {
    const told = await checkConfigDocument(
      {
        "metadata.toml": { name: "shop", verzion: "v1" },
        actions: { "x/a.toml": { name: "A", steps: [{ name: "s", command: "true" }] } },
        "mise.toml": {},
      },
      { appName: "other" },
    );
    expect(told.errors.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["bad_value", "#/actions/x~1a.toml/name"],
      ["unknown_key", "#/mise.toml"],
    ]);
    expect(told.warnings.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["ignored_key", "#/metadata.toml/verzion"],
    ]);
  });
});

test("further files of inputs are those of a document, too", async () => {
  const documentOf = (source: string) => ({
    "metadata.toml": { name: "shop" },
    "inputs.toml": { source, sources: ["./inputs/b.toml"] },
    "more.toml": { input: [{ name: "a" }], inptu: [] },
    inputs: { "b.toml": { input: [{ name: "b" }] } },
  });
  const { errors, warnings, config } = await checkConfigDocument(documentOf("./more.toml"));
  expect(errors).toEqual([]);
  expect(config?.document.inputs?.input?.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: "ignored_key", pointer: "#/more.toml/inptu" }),
  );
  const gone = await checkConfigDocument(documentOf("./gone.toml"));
  expect(gone.errors.map(({ code, pointer }) => [code, pointer])).toEqual([
    ["missing_file", "#/inputs.toml/source"],
    ["unknown_key", "#/more.toml"],
  ]);
});

test("of two texts that are there the first counts, and both are told", async () => {
  const { config, warnings } = await check({
    "runbooks/r.toml": `name = "r"\nreadme = "./README.md"\n[[steps]]\nname = "s"\ntype = "sandbox_reprovision"\n`,
    "runbooks/README.md": "first",
    "README.md": "second",
  });
  expect(config?.document.runbooks?.[0]?.readme).toBe("first");
  expect(warnings).toMatchObject([
    {
      code: "found_twice",
      line: 2,
      detail: "./README.md is read from runbooks/README.md; there is README.md, too",
    },
  ]);
});

test("a fault of a text says where the text was looked for, or read from", async () => {
  const script = (path: string) =>
    `name = "a"\n[[steps]]\nname = "s"\ninline_contents = "${path}"\n`;
  const gone = await check({ "actions/x/a.toml": script("./gone.sh") });
  expect(gone.errors).toMatchObject([
    { detail: "./gone.sh is not there: none of actions/x/gone.sh, actions/gone.sh, gone.sh is" },
  ]);
  const wrong = await check({
    "actions/a.toml": script("./a.sh"),
    "actions/a.sh": "\n{{ .svc.idd }}",
  });
  expect(wrong.errors[0]?.detail).toMatch(/line 2 of the text: .*\(read from actions\/a\.sh\)$/);
});
