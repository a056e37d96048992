import { chmod, mkdir, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { PackRequest } from "../../../agent/artifacts/pack-request.ts";
import { runPackRequest } from "../../../agent/artifacts/run-pack-request.ts";
import { testFolder } from "../../support/run/folder.ts";

type Told = Readonly<Record<string, unknown>>;

/** Packs a folder, as the child of an agent does. */
async function packed(from: string, more: Partial<PackRequest> = {}) {
  const folder = await testFolder();
  const at = (name: string): string => path.join(folder, name);
  const output = { archive: at("artifact.tar.gz"), unpacked: at("unpacked") };
  const request = {
    parts: [{ from, to: "", isSource: true }],
    output,
    told: at("told"),
    mostBytes: 2 ** 20,
    ...more,
  };
  await writeFile(at("request"), JSON.stringify(request));
  const code = await runPackRequest(at("request"), () => {});
  const told = JSON.parse(await readFile(at("told"), "utf8")) as Told;
  return { code, told, ...output };
}

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await testFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

const long = `${"deep/".repeat(30)}${"n".repeat(120)}.tf`;
const files = { "main.tf": "one", "run.sh": "#!/bin/sh\n", "b/c.txt": "ü", [long]: "far" };

describe("what is packed", () => {
  test("has the same bytes wherever and whenever it was written, and is read as it was", async () => {
    const [one, other] = [await folderWith(files), await folderWith(files)];
    for (const folder of [one, other]) {
      await chmod(path.join(folder, "run.sh"), 0o755);
      await symlink("../main.tf", path.join(folder, "b/link"));
    }
    await mkdir(path.join(other, ".git"));
    await mkdir(path.join(other, "empty"));
    await chmod(path.join(other, "main.tf"), 0o600);
    await utimes(path.join(other, "main.tf"), 1, 1);
    const [first, second] = [await packed(one), await packed(other)];
    expect(second.told).toEqual(first.told);
    expect(await readFile(second.archive)).toEqual(await readFile(first.archive));
    const there = await readdir(first.unpacked, { recursive: true });
    expect(there.filter((name) => name.endsWith(".tf")).toSorted()).toEqual([long, "main.tf"]);
    expect(await readFile(path.join(first.unpacked, "b/link"), "utf8")).toBe("one");
    await chmod(path.join(other, "main.tf"), 0o755);
    expect((await packed(other)).told["checksum"]).not.toBe(first.told["checksum"]);
  });

  test("tells what its templates read, in the files that are named and the plan's own texts", async () => {
    const from = await folderWith({
      "a.tfvars": 'x = "{{ .svc.inputs.inputs.size }}"\ny = "{{ .Values.z }}"',
      "main.tf": "{{ .svc.nobody.looks }}",
    });
    const planTexts = ["{{ .svc.components.db.outputs.url }}{{ .acme.install.id }}"];
    const { told } = await packed(from, {
      templates: ["*.tfvars"],
      planTexts,
      brands: ["acme"],
    });
    expect(told["references"]).toEqual([
      "components.db.outputs.url",
      "inputs.inputs.size",
      "install.id",
    ]);
  });

  test("is refused with the name of what leaves it, is no file, or is too much", async () => {
    const away = await folderWith({ a: "a" });
    await symlink("/etc/passwd", path.join(away, "users"));
    const above = await folderWith({ "a/b": "b" });
    await symlink("../../x", path.join(above, "a/up"));
    const large = await folderWith({ "large.bin": "x".repeat(1_000) });
    const empty = await testFolder();
    const refused = [
      await packed(away),
      await packed(above),
      await packed(large, { mostBytes: 999 }),
      await packed(empty),
    ];
    expect(refused.map(({ code, told }) => [code, told["class"]])).toEqual([
      [72, "unsafe"],
      [72, "unsafe"],
      [72, "too_large"],
      [72, "not_found"],
    ]);
    expect(refused.map(({ told }) => String(told["words"]))).toEqual([
      '"users" is a link to "/etc/passwd", outside of it',
      '"a/up" is a link to "../../x", outside of it',
      'it exceeds 999 bytes (source-size) at "large.bin"',
      "there is no file in it",
    ]);
  });
});

test("a name that is not UTF-8 is refused, as it would be another one in the artifact", async () => {
  const from = await folderWith({ "a/b": "b" });
  await writeFile(Buffer.concat([Buffer.from(`${from}/a/n`), Buffer.of(0xe9)]), "x");
  const { told } = await packed(from);
  expect((await packed(from, { within: from, parts: [] })).told).toEqual(told);
  expect(told).toEqual({
    class: "unsafe",
    words: 'a file in "a" has the name "n\uFFFD", which is not UTF-8: rename it',
  });
});

test.each([
  [".terraform/x/link", "/etc/passwd"],
  [".git/link", "../../up"],
  ["other/link", "/nowhere/at/all"],
])("a source whose %s leads to %s is not touched where a tool follows links", async (name, to) => {
  const within = await folderWith({ "chart/Chart.yaml": "name: x", [`${name}.txt`]: "" });
  await symlink("../chart", path.join(within, "chart/inside"));
  const chart = path.join(within, "chart");
  expect((await packed(chart, { within, parts: [], texts: [{ name: "a", text: "a" }] })).code).toBe(
    0,
  );
  await symlink(to, path.join(within, name));
  const { told } = await packed(chart, { within });
  expect(told).toEqual({
    class: "unsafe",
    words: `"${name}" is a link that leads out of the source: remove it`,
  });
});

describe("a configuration's modules", () => {
  const records = [
    { Key: "", Source: "", Dir: "." },
    { Key: "net", Source: "../net", Dir: "../net" },
    { Key: "net.base", Source: "../base", Dir: "../base" },
  ];
  const given = {
    "app/main.tf": 'module "net" {\n  source = "../net"\n}\n',
    "net/net.tf": 'module "base" { source = "../base" }\n',
    "net/words.txt": "words",
    "base/base.tf": "",
  };

  async function packedApp(more: Readonly<Record<string, string>> = {}, list = records) {
    const root = await folderWith({ ...given, ...more });
    const directory = path.join(root, "app");
    return await packed(directory, {
      modules: { root, directory, installed: path.join(root, "nowhere"), records: list },
    });
  }

  test("beside its directory are brought in where they keep their places to one another", async () => {
    const { told, unpacked } = await packedApp();
    expect(told["files"]).toBe(5);
    const at = path.join(unpacked, ".terraform/modules");
    const list = JSON.parse(await readFile(path.join(at, "modules.json"), "utf8")) as object;
    expect(list).toEqual({
      Modules: [
        { Key: "", Source: "", Dir: "." },
        { Key: "net", Source: "../net", Dir: ".terraform/modules/.source/net" },
        { Key: "net.base", Source: "../base", Dir: ".terraform/modules/.source/base" },
      ],
    });
    expect(await readFile(path.join(at, ".source/net/words.txt"), "utf8")).toBe("words");
    const other = await packedApp({ "base/base.tf": "# changed" });
    expect(other.told["sourceChecksum"]).not.toBe(told["sourceChecksum"]);
  });

  test("outside of the source, and files beside the directory, are told with file and line", async () => {
    const beyond = { Key: "net", Source: "../../../net", Dir: "../../../net" };
    const text = 'module "net" {\n  source = "../../../net"\n}\n';
    const far = await packedApp({ "app/main.tf": text }, [
      { Key: "", Source: "", Dir: "." },
      beyond,
    ]);
    expect(far.told).toMatchObject({ class: "outside", file: "main.tf:2" });
    const reads = 'output "x" {\n  # file("../y")\n  value = file("${path.module}/../x.txt")\n}\n';
    expect((await packedApp({ "app/x.tf": reads })).told).toMatchObject({
      class: "outside",
      file: "x.tf:3",
    });
    const within = 'output "x" { value = file("${path.module}/../base/x.txt") }\n';
    const { told } = await packedApp({ "net/x.tf": within, "base/x.txt": "x" });
    expect(told["files"]).toBe(7);
  });
});
