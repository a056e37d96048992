import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { freeDisk } from "../../../agent/workspace/disk-space.ts";
import {
  makeWorkspace,
  removeWorkspace,
  sweepWorkspaces,
} from "../../../agent/workspace/workspace.ts";
import { testFolder } from "../../support/run/folder.ts";

describe("a workspace", () => {
  test("is empty and ours alone, whatever was there before", async () => {
    const workDir = path.join(await testFolder(), "not", "yet");
    await mkdir(path.join(workDir, "exe_1", "old"), { recursive: true });
    const workspace = await makeWorkspace(workDir, "exe_1");
    expect(workspace).toBe(path.join(workDir, "exe_1"));
    expect((await stat(workspace)).mode & 0o777).toBe(0o700);
    expect(existsSync(path.join(workspace, "old"))).toBe(false);
  });

  test("goes with all that is in it, read-only folders too, and nothing beyond its links", async () => {
    const workDir = await testFolder();
    const outside = path.join(await testFolder(), "precious");
    await writeFile(outside, "x");
    const workspace = await makeWorkspace(workDir, "exe_1");
    const deep = path.join(workspace, "modules", "cache");
    await mkdir(deep, { recursive: true });
    await writeFile(path.join(deep, "file"), "x", { mode: 0o400 });
    await symlink(path.dirname(outside), path.join(workspace, "link"));
    for (const folder of [deep, path.dirname(deep), workspace]) await chmod(folder, 0o500);
    expect(await removeWorkspace(workDir, "exe_1")).toBeUndefined();
    expect(existsSync(workspace)).toBe(false);
    expect(existsSync(outside)).toBe(true);
  });

  test("goes when an ordinary user made it unwritable to itself", async () => {
    const workDir = await testFolder(0o777);
    const script = `
      import { removeWorkspace } from "${path.resolve("agent/workspace/workspace.ts")}";
      import { mkdirSync, chmodSync } from "node:fs";
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      mkdirSync("${workDir}/exe_1/a/b", { recursive: true });
      chmodSync("${workDir}/exe_1/a", 0o500);
      chmodSync("${workDir}/exe_1", 0o000);
      console.log(await removeWorkspace("${workDir}", "exe_1"));`;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(said).toBe("undefined\n");
    expect(existsSync(path.join(workDir, "exe_1"))).toBe(false);
  });

  test("that is not there is gone already", async () => {
    expect(await removeWorkspace(await testFolder(), "exe_1")).toBeUndefined();
  });
});

describe("sweeping workspaces", () => {
  test("takes those of executions that nobody keeps, and nothing else", async () => {
    const workDir = await testFolder();
    for (const name of ["exe_1", "exe_2", "exe_3", "other"]) await mkdir(path.join(workDir, name));
    expect(await sweepWorkspaces(workDir, new Set(["exe_2"]))).toEqual({ removed: 2, words: [] });
    expect(existsSync(path.join(workDir, "exe_2"))).toBe(true);
    expect(existsSync(path.join(workDir, "other"))).toBe(true);
  });

  test("makes the place if it is not there", async () => {
    const workDir = path.join(await testFolder(), "work");
    expect(await sweepWorkspaces(workDir, new Set())).toEqual({ removed: 0, words: [] });
    expect(existsSync(workDir)).toBe(true);
  });
});

test("free disk is told for a folder, also for one that is not there yet", async () => {
  const folder = await testFolder();
  expect(await freeDisk(folder)).toBeGreaterThan(0);
  expect(await freeDisk(path.join(folder, "not", "yet"))).toBeGreaterThan(0);
});
