import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { patiently } from "../support/run/folder.ts";

const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      name: z.string().optional(),
      resolved: z.string().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});
const manifestSchema = z.looseObject({ allowScripts: z.record(z.string(), z.boolean()) });

const lock = lockSchema.parse(JSON.parse(await readFile("package-lock.json", "utf8")));
const manifest = manifestSchema.parse(JSON.parse(await readFile("package.json", "utf8")));
/** No Node satisfies it: each is to npm what an old one is. */
const engines = { node: ">=999" };

describe("the first install", () => {
  test("says nothing of engines, whatever Node npm runs on: the project brings its own", async () => {
    const { folder, install } = await setup();
    const { output } = await install(folder);
    expect(output).toContain("EBADENGINE"); // without our .npmrc npm says it of each package

    await cp(".npmrc", path.join(folder, ".npmrc"));
    const calm = await install(folder);
    expect(calm.exitCode).toBe(0);
    expect(calm.output).not.toMatch(/EBADENGINE|npm warn|npm notice/i);
    expect(calm.output).toMatch(/added \d+ packages/);
  });

  test("still tells what makes it fail", async () => {
    const { folder, install } = await setup();
    await cp(".npmrc", path.join(folder, ".npmrc"));
    await rm(path.join(folder, "package-lock.json"));
    const { output, exitCode } = await install(folder);
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/npm error code EUSAGE/i);
  });

  test("asks about no package's script: each has its answer in allowScripts", () => {
    const withScripts = Object.entries(lock.packages).flatMap(
      ([place, { name = place.replace(/^.*node_modules\//, ""), hasInstallScript }]) =>
        hasInstallScript === true ? [name] : [],
    );
    expect(withScripts).not.toHaveLength(0);
    expect(withScripts.filter((name) => !Object.hasOwn(manifest.allowScripts, name))).toEqual([]);
  });
});

test("the lock file names no registry", () => {
  const named = Object.values(lock.packages).map(({ resolved }) => resolved);
  expect([...new Set(named)]).toEqual([undefined, "client"]); // a folder of the project
});

/** The project's manifest and lock alone, every package asking for a Node that is not there. */
async function setup() {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-install-"));
  onTestFinished(async () => await rm(folder, patiently));
  const packages = Object.entries(lock.packages).map(
    ([place, one]) => [place, place === "" ? one : { ...one, engines }] as const,
  );
  const old = { ...lock, packages: Object.fromEntries(packages) };
  await writeFile(path.join(folder, "package-lock.json"), JSON.stringify(old));
  for (const name of ["package.json", "client/package.json"])
    await cp(name, path.join(folder, name));
  const install = async (cwd: string) => {
    const { all, exitCode } = await execa("npm", ["ci", "--dry-run", "--offline"], {
      cwd,
      all: true,
      reject: false,
      // Neither this machine's settings nor what npm hands down to its scripts, this test among them.
      env: { PATH: process.env["PATH"], HOME: folder },
      extendEnv: false,
    });
    return { output: all, exitCode };
  };
  return { folder, install };
}
