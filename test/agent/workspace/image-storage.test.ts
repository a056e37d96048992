import { existsSync } from "node:fs";
import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { imageFolder, storageFolder } from "../../../agent/image-builds/image-folder.ts";
import { makeWorkspace, removeWorkspace } from "../../../agent/workspace/workspace.ts";
import { canChangeUsers, leftOut } from "../../support/agent/given-job-users.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

if (!canChangeUsers) test(leftOut, () => expect(canChangeUsers).toBe(false));

const owner = 59_475;
const firstId = 1_900_000_000;

/** What a build of an image leaves when everything is killed: folders of its own ids, which nobody else may enter. */
async function leave(workspace: string, root: number, other: number): Promise<string> {
  await mkdir(imageFolder(workspace));
  await chown(imageFolder(workspace), owner, owner);
  const storage = storageFolder(imageFolder(workspace));
  const inner = path.join(storage, "root");
  await mkdir(inner, { recursive: true });
  await writeFile(path.join(inner, "file"), "of another");
  await symlink("/etc", path.join(inner, "link"));
  await chmod(inner, 0o700);
  await chown(inner, other, other);
  await chown(storage, root, root);
  return storage;
}

const asRoot = canChangeUsers ? describeWithTools : () => {};
asRoot(["unshare"], "a workspace in which an image was built", () => {
  test("what a build of an image has left goes with the workspace, whoever's it is", async () => {
    const workDir = await testFolder(0o755);
    const makers: readonly (readonly [number, number])[] = [
      [firstId, firstId + 33],
      [0, 0],
    ];
    for (const [root, other] of makers) {
      const workspace = await makeWorkspace(workDir, "exe_1", owner);
      await leave(workspace, root, other);
      expect([root, await removeWorkspace(workDir, "exe_1")]).toEqual([root, undefined]);
      expect(existsSync(workspace)).toBe(false);
    }
    expect(existsSync("/etc/passwd")).toBe(true);
  });

  test("a folder in its place that a job has made is removed as that job's user alone", async () => {
    const workDir = await testFolder(0o755);
    const workspace = await makeWorkspace(workDir, "exe_2", owner);
    const storage = await leave(workspace, owner, firstId);
    expect(await removeWorkspace(workDir, "exe_2")).toMatch(/could not be removed/);
    expect(existsSync(path.join(storage, "root"))).toBe(true);
  });

  test("a link that a job puts in the way leads to nobody's files", async () => {
    const workDir = await testFolder(0o755);
    const others = await testFolder(0o755);
    const kept = await leaveIn(others);
    for (const [name, target] of [
      ["image", others],
      ["image/storage", path.join(others, "storage")],
    ] as const) {
      const workspace = await makeWorkspace(workDir, "exe_3", owner);
      if (name !== "image") {
        await mkdir(imageFolder(workspace));
        await chown(imageFolder(workspace), owner, owner);
      }
      await symlink(target, path.join(workspace, name));
      expect(await removeWorkspace(workDir, "exe_3")).toBeUndefined();
      expect(existsSync(kept)).toBe(true);
    }
  });
});

/** What another has in a folder of the name that builds have: root's. */
async function leaveIn(folder: string): Promise<string> {
  const kept = path.join(folder, "storage", "kept");
  await mkdir(path.dirname(kept));
  await writeFile(kept, "another's");
  return kept;
}
