import { execFileSync } from "node:child_process";
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../../test/support/run/folder.ts";
import { packConfiguration as packFolder } from "../terraform/plan-folder.ts";

/** What a tar of the machine finds in it. */
async function unpacked(packed: string): Promise<string> {
  const folder = await testFolder();
  execFileSync("tar", ["-xz", "-C", folder], { input: Buffer.from(packed, "base64") });
  return folder;
}

const long = `modules/${"deep/".repeat(30)}été.tf`;

describe("a packed folder", () => {
  test("holds its files as they are, whatever their names, and runs what may be run", async () => {
    const folder = await testFolder();
    const bytes = Buffer.from([0, 1, 2, 255]);
    await mkdir(path.join(folder, path.dirname(long)), { recursive: true });
    await writeFile(path.join(folder, "main.tf"), "# main\n");
    await writeFile(path.join(folder, long), "# deep\n");
    await writeFile(path.join(folder, "data.bin"), bytes);
    await writeFile(path.join(folder, "run.sh"), "exit 0\n");
    await chmod(path.join(folder, "run.sh"), 0o755);
    await symlink("main.tf", path.join(folder, "same.tf"));
    const packed = await packFolder(folder);
    expect(await packFolder(folder)).toBe(packed);
    const out = await unpacked(packed);
    expect(await readFile(path.join(out, "main.tf"), "utf8")).toBe("# main\n");
    expect(await readFile(path.join(out, long), "utf8")).toBe("# deep\n");
    expect(await readFile(path.join(out, "data.bin"))).toEqual(bytes);
    expect((await stat(path.join(out, "run.sh"))).mode & 0o777).toBe(0o755);
    expect(await readlink(path.join(out, "same.tf"))).toBe("main.tf");
  });

  test("is without what terraform and git make, and without states", async () => {
    const folder = await testFolder();
    for (const name of [".terraform", ".git", "modules"]) await mkdir(path.join(folder, name));
    const kept = ["main.tf", ".terraform.lock.hcl", "modules/one.tf", "terraform.tfvars"];
    const left = [
      ".terraform/x.tf",
      ".git/config",
      "terraform.tfstate",
      "terraform.tfstate.backup",
      "crash.log",
      "modules/errored.tfstate",
    ];
    for (const name of [...kept, ...left]) await writeFile(path.join(folder, name), name);
    const out = await unpacked(await packFolder(folder));
    const found = await readdir(out, { recursive: true, withFileTypes: true });
    const files = found.filter((one) => one.isFile());
    const names = files.map((one) => path.relative(out, path.join(one.parentPath, one.name)));
    expect(names.toSorted()).toEqual(kept.toSorted());
  });

  test("is refused when it is none, without configuration, too large, or leads out of itself", async () => {
    const folder = await testFolder();
    await expect(packFolder(path.join(folder, "none"))).rejects.toThrow(/There is no folder/);
    await expect(packFolder(folder)).rejects.toThrow(/no \*\.tf in it/);
    await writeFile(path.join(folder, "main.tf"), "");
    await symlink("../elsewhere", path.join(folder, "out"));
    await expect(packFolder(folder)).rejects.toThrow(/is a link out of/);
    const large = await testFolder();
    await writeFile(path.join(large, "main.tf"), "");
    await writeFile(path.join(large, "image.iso"), crypto.getRandomValues(new Uint8Array(65_536)));
    for (let n = 0; n < 140; n++) {
      await writeFile(path.join(large, `${n}`), crypto.getRandomValues(new Uint8Array(65_536)));
    }
    await expect(packFolder(large)).rejects.toThrow(/8 MiB when packed are the most/);
  });
});
