import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { clearLeftovers, sweepRunDir } from "../../../agent/processes/clear-leftovers.ts";
import { openRunDir } from "../../../agent/processes/open-run-dir.ts";
import { isRunning } from "../../../agent/processes/process-identity.ts";
import { findMarked } from "../../../agent/processes/sweep-marked.ts";
import { givenChildren } from "../../support/agent/given-child.ts";
import { testFolder } from "../../support/run/folder.ts";

describe("the run directory", () => {
  test("is in memory, ours alone, and the same after a restart", async () => {
    const dataDir = await testFolder();
    const first = await openRunDir({ dataDir });
    expect(first).toEqual(await openRunDir({ dataDir }));
    expect(first.isMemory).toBe(true);
    expect((await stat(first.path)).mode & 0o777).toBe(0o700);
    await rm(first.path, { recursive: true });
  });

  test("is another one for another agent on the same host", async () => {
    const [one, other] = [
      await openRunDir({ dataDir: await testFolder() }),
      await openRunDir({ dataDir: await testFolder() }),
    ];
    expect(one.path).not.toBe(other.path);
    for (const { path: folder } of [one, other]) await rm(folder, { recursive: true });
  });

  test("may be set to a disk, and then says what that means", async () => {
    const setting = await testFolder();
    const runDir = await openRunDir({ setting, dataDir: "/nowhere" });
    expect(path.dirname(runDir.path)).toBe(setting);
    expect(runDir).toMatchObject({
      isMemory: false,
      words: expect.stringMatching(/on disk/) as string,
    });
  });

  test("passes over a runtime directory that is on disk", async () => {
    const disk = await testFolder();
    const { path: folder, isMemory } = await openRunDir({ runtimeDir: disk, dataDir: disk });
    expect(isMemory).toBe(true);
    expect(await readdir(disk)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test("is refused in words where it cannot be, or somebody else has laid a trap", async () => {
    const setting = await testFolder();
    await writeFile(path.join(setting, "file"), "");
    await expect(
      openRunDir({ setting: path.join(setting, "file"), dataDir: "/d" }),
    ).rejects.toThrow(/Cannot create .* \(ENOTDIR\)/);
    const { path: folder } = await openRunDir({ setting, dataDir: "/d" });
    await rm(folder, { recursive: true });
    await symlink("/tmp", folder);
    await expect(openRunDir({ setting, dataDir: "/d" })).rejects.toThrow(/belongs to another user/);
  });
});

describe("sweeping the run directory", () => {
  test("takes away what is over, keeps what is asked for, and names what still runs", async () => {
    const over = await givenChildren();
    await (
      await over.bash("true")
    ).exited;
    const { runDir } = over;
    const { executionId: runs } = await givenChildren();
    const running = await over.bash("sleep 600", { executionId: runs, runDir });
    await mkdir(path.join(runDir, "exe_kept.1"));
    await mkdir(path.join(runDir, "exe_gone.job"));
    const swept = await sweepRunDir(runDir, new Set(["exe_kept"]));
    expect(swept).toEqual({ removed: 2, running: [runs] });
    expect((await readdir(runDir)).toSorted()).toEqual(["exe_kept.1", `${runs}.1`].toSorted());
    await running.kill();
    expect(existsSync(running.manifest.dir)).toBe(true);
  });
});

describe("clearing what executions left", () => {
  test("kills and takes away all of those that nobody takes up, and nothing of the others", async () => {
    const kept = await givenChildren();
    const { runDir } = kept;
    const workDir = await testFolder();
    const keptChild = await kept.bash("sleep 600");
    const { executionId: lost } = await givenChildren();
    await kept.bash("setsid sleep 601 & sleep 602", { executionId: lost, runDir });
    for (const name of [lost, kept.executionId]) await mkdir(path.join(workDir, name));
    await expect.poll(async () => (await findMarked(lost)).length).toBeGreaterThanOrEqual(2);
    const cleared = await clearLeftovers({ runDir, workDir, keep: new Set([kept.executionId]) });
    expect(cleared).toEqual({ killed: [lost], folders: 2, words: [] });
    expect(await findMarked(lost)).toEqual([]);
    expect(await readdir(workDir)).toEqual([kept.executionId]);
    expect(isRunning(keptChild.manifest.leader)).toBe(true);
  });
});
