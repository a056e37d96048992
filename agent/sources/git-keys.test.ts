import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sshConfig } from "./git-keys.ts";
import { sshServerOf } from "./git-url.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "svc-git-keys-"));
});
afterAll(async () => await rm(folder, { recursive: true }));

const keys = [
  { host: "git.example.com", port: 22, file: "/keys/first" },
  { host: "git.example.com", port: 2222, file: "/keys/second" },
  { host: "other.example.com", port: 22, file: "/keys/third" },
];

/** The keys that ssh itself would offer to a server, by these settings. */
async function offered(isAlone: boolean, ...server: string[]): Promise<string[]> {
  const file = path.join(folder, "config");
  await writeFile(file, sshConfig(keys, { isAlone }), { mode: 0o600 });
  const { stdout } = await promisify(execFile)("ssh", ["-G", "-F", file, ...server]);
  return stdout.split("\n").flatMap((line) => /^identityfile (.*)$/.exec(line)?.[1] ?? []);
}

test("a key is offered to its server alone, by host and port", async () => {
  expect(await offered(true, "git@git.example.com")).toEqual(["/keys/first"]);
  expect(await offered(true, "-p", "2222", "git@git.example.com")).toEqual(["/keys/second"]);
  expect(await offered(true, "git@other.example.com")).toEqual(["/keys/third"]);
  expect(await offered(true, "-p", "23", "git@git.example.com")).toEqual(["none"]);
  expect(await offered(true, "git@git.example.com.evil.example")).toEqual(["none"]);
  expect(await offered(false, "git@third.example.com")).not.toEqual(
    expect.arrayContaining([expect.stringContaining("/keys/")]),
  );
});

test("the server of a repository is known by its URL", () => {
  expect(sshServerOf("git@git.example.com:acme/shop.git")).toEqual({
    host: "git.example.com",
    port: 22,
  });
  expect(sshServerOf("ssh://git@git.example.com:2222/a")).toEqual({
    host: "git.example.com",
    port: 2222,
  });
  expect(sshServerOf("https://git.example.com:8443/a")).toEqual({
    host: "git.example.com",
    port: 22,
  });
  expect(sshServerOf("file:///srv/git").host).toBe("");
});
