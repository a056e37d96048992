import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../support/run/folder.ts";
import { writeZip } from "../support/sources/write-zip.ts";
import { readZipEntry } from "./read-zip-entry.ts";
import { programsOf, toolTable } from "./tool-table.ts";

type Ran = { readonly code: number; readonly out: string };

/** `npm run tools` with a folder of its own, where the PATH has only the programs given, each a line of shell. */
async function givenMachine(programs: Readonly<Record<string, string>> = {}) {
  const bin = await testFolder();
  const folder = path.join(await testFolder(), "tools");
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  }
  const run = async (...args: string[]): Promise<Ran> =>
    await new Promise((resolve) => {
      const main = path.join(import.meta.dirname, "main.ts");
      const env = { PATH: bin, SVC_TOOLS_DIR: folder };
      execFile(process.execPath, [main, ...args], { env }, (error, out) => {
        resolve({ code: typeof error?.code === "number" ? error.code : 0, out });
      });
    });
  return { folder, run };
}

describe("npm run tools", () => {
  test("says of each tool what is missing for it, and fails", async () => {
    const { run, folder } = await givenMachine();
    const { code, out } = await run("crane", "helm", "terraform", "moto");
    expect(code).toBe(1);
    expect(out.split("\n").toSorted()).toEqual(
      [
        "",
        `Tools of the tests, in ${folder}:`,
        "Having 4 that are missing; all of them take up to 25 minutes.",
        "0 of 4 tools are there.",
        "crane 0.22.1: go is not on the PATH: install Go 1.26 or newer.",
        "helm-kubectl 2.0.1: npm is not on the PATH: install npm.",
        "moto 5.2.5: python3 is not on the PATH: install Python 3.11 or newer, with pip.",
        "terraform 1: terraform is not on the PATH: install Terraform 1.8 or a later 1.x.",
      ].toSorted(),
    );
  });

  test("has the others where one fails, and has none of them twice", async () => {
    const go =
      'while [ "$1" != -o ]; do shift; done; echo built > "$2"; echo x >> "$MADE"; chmod +x "$2"';
    const made = path.join(await testFolder(), "made");
    const { run } = await givenMachine({
      go: go.replace("$MADE", made).replace("chmod", "/bin/chmod"),
    });
    const first = await run("crane", "moto");
    expect(first.code).toBe(1);
    expect(first.out).toContain("1 of 2 tools are there.");
    await run("crane");
    expect((await run("--list", "crane")).out).toMatch(/^there .*crane/);
    expect(await readFile(made, "utf8")).toBe("x\n");
  });

  test("leaves nothing half-made and none of Go's caches, not even where it fails", async () => {
    const { run, folder } = await givenMachine({ go: 'echo "no such module" >&2; exit 1' });
    await mkdir(path.join(folder, ".making-crane"), { recursive: true });
    await mkdir(path.join(folder, "go-caches", "modules"), { recursive: true });
    expect((await run("--keep-caches", "crane")).out).toContain(
      "crane 0.22.1: go build failed: no such module\n",
    );
    expect((await readdir(folder)).toSorted()).toEqual([".making-crane", "go-caches", "lock"]);
    await run("oras");
    expect((await readdir(folder)).toSorted()).toEqual([".making-oras", "lock"]);
  });

  test("takes no package that is not the pinned one", async () => {
    const npm =
      'while [ "$1" != --pack-destination ]; do shift; done; echo other > "$2/it.tgz"; echo it.tgz';
    const { run } = await givenMachine({ npm });
    const { code, out } = await run("helm");
    expect(code).toBe(1);
    expect(out).toMatch(/kubectl-v36@2\.0\.1 is not what is pinned: its sha512 is /);
    expect((await run("--list", "helm")).out).toMatch(/^missing /);
  });

  test("waits for another run, and does nothing twice", async () => {
    const made = path.join(await testFolder(), "made");
    const pipe = path.join(await testFolder(), "pipe");
    const go = `while [ "$1" != -o ]; do shift; done; echo x >> ${made}; read -r line < ${pipe}; echo built > "$2"; /bin/chmod +x "$2"`;
    const { run } = await givenMachine({ go });
    await new Promise((resolve) => execFile("mkfifo", [pipe], resolve));
    const first = run("crane");
    await expect.poll(async () => await readFile(made, "utf8").catch(String)).toBe("x\n");
    const second = run("crane");
    await writeFile(pipe, "go on\n");
    expect(await Promise.all([first, second])).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(await readFile(made, "utf8")).toBe("x\n");
  });

  test("knows the names of its tools, and refuses others", async () => {
    const { run } = await givenMachine();
    expect(await run("no-such-tool")).toMatchObject({ code: 2 });
    const { out } = await run("--list");
    for (const tool of toolTable) for (const name of programsOf(tool)) expect(out).toContain(name);
  });
});

test("a zip's file is read as it was written, and another is missed by name", async () => {
  const folder = await testFolder();
  await writeFile(path.join(folder, "program"), "content");
  await writeZip(path.join(folder, "it.zip"), { "in/it": path.join(folder, "program") });
  const zip = await readFile(path.join(folder, "it.zip"));
  expect(readZipEntry(zip, "in/it").toString()).toBe("content");
  expect(() => readZipEntry(zip, "other")).toThrow("there is no other in its zip");
});
