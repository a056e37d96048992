import { execFileSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { tokenInFile } from "../../../agent/credentials/token-in-file.ts";
import { testFolder } from "../../support/run/folder.ts";

test("a token is read of a regular file of 64 KiB at most, and a pipe keeps nobody waiting", async () => {
  const folder = await testFolder();
  const at = (name: string): string => path.join(folder, name);
  await writeFile(at("token"), "token-1\n");
  await symlink("token", at("link"));
  await writeFile(at("large"), "x".repeat(2 ** 16 + 1));
  execFileSync("mkfifo", [at("pipe")]);
  expect(await tokenInFile(at("link"))).toBe("token-1\n");
  await expect(tokenInFile(at("large"))).rejects.toThrow("larger than 64 KiB");
  await expect(tokenInFile(at("pipe"))).rejects.toThrow("not a regular file");
  await expect(tokenInFile(folder)).rejects.toThrow("not a regular file");
  await expect(tokenInFile(at("none"))).rejects.toThrow("cannot be read (ENOENT)");
});
