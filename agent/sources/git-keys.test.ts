import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sshCommand, sshConfig } from "./git-keys.ts";
import { sshServerOf } from "./git-url.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "svc-git-keys-"));
});
afterAll(async () => await rm(folder, { recursive: true }));

const keys = [
  { host: "git.example.com", port: 22, file: "/keys/first" },
  { host: "git.example.com", port: 2222, file: "/keys/second" },
  { host: "other.example.com", port: 22, file: "/keys/third", hostsFile: "/keys/hosts" },
];

/** What ssh itself would do with a server, by these settings: all that it says of one thing. */
async function asked(name: string, isAlone: boolean, ...server: string[]): Promise<string[]> {
  const file = path.join(folder, "config");
  await writeFile(file, sshConfig(keys, { isAlone }), { mode: 0o600 });
  const [program = "", ...options] = sshCommand(file).replaceAll("'", "").split(" ");
  const { stdout } = await promisify(execFile)(program, ["-G", ...options, ...server]);
  const said = stdout.split("\n").filter((line) => line.startsWith(`${name} `));
  return said.map((line) => line.slice(name.length + 1));
}

const offered = async (isAlone: boolean, ...server: string[]) =>
  await asked("identityfile", isAlone, ...server);

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

test("a server whose keys are given is known by these alone", async () => {
  const check = async (name: string, host: string) => await asked(name, true, `git@${host}`);
  const pinned = "other.example.com";
  expect(await check("stricthostkeychecking", pinned)).toEqual(["true"]);
  expect(await check("userknownhostsfile", pinned)).toEqual(["/keys/hosts"]);
  expect(await check("globalknownhostsfile", pinned)).toEqual(["/dev/null"]);
  expect(await check("stricthostkeychecking", "git.example.com")).toEqual(["accept-new"]);
  expect(await check("userknownhostsfile", "git.example.com")).not.toEqual(["/keys/hosts"]);
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
