import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Job } from "../jobs/handler.ts";
import { gitAccess } from "./git-access.ts";
import { dropGitLogins } from "./git-logins.ts";

const url = "https://git.example.com/acme/shop";
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "svc-git-access-"));
  await writeFile(path.join(folder, "hosts"), "git.example.com ssh-ed25519 AAAA\n");
  await chmod(path.join(folder, "hosts"), 0o644);
  await writeFile(path.join(folder, "key"), "a key of tests\n", { mode: 0o600 });
  await writeFile(path.join(folder, "token"), "a-token-of-tests\n", { mode: 0o600 });
});
afterAll(async () => await rm(folder, { recursive: true }));

/** A build of an agent with these git-credentials. */
async function given(lines: string) {
  const secrets = await mkdtemp(path.join(folder, "secrets-"));
  const gitCredentials = path.join(folder, "git-credentials");
  await writeFile(gitCredentials, lines, { mode: 0o600 });
  const job = {
    info: { type: "terraform-module-build" },
    agent: { config: { gitCredentials, allowFileSources: "no" } },
    directories: { secrets, agentOnly: secrets, owner: undefined },
    addSecret: () => {},
    log: () => {},
  } as unknown as Job; // what is not named is not read
  const access = async (auth = {}) =>
    (await gitAccess(job, { url, withSubmodules: false, auth }, "git-tools")).env;
  return { job, secrets, access };
}

/** Where git itself would fetch it. */
async function fetchedFrom(env: Readonly<Record<string, string>>): Promise<string> {
  const whole = { PATH: process.env["PATH"], HOME: "/nonexistent", ...env };
  const { stdout } = await promisify(execFile)("git", ["ls-remote", "--get-url", url], {
    cwd: folder,
    env: whole,
  });
  return stdout.trim();
}

test("a key replaces https only at a server that is known, and no login of a plan", async () => {
  const key = "git.example.com git ssh-key=key";
  const pinned = await given(`${key} known-hosts=hosts\n`);
  expect(await fetchedFrom(await pinned.access())).toBe("ssh://git@git.example.com:22/acme/shop");
  expect(await fetchedFrom(await pinned.access({ token: "of the plan" }))).toBe(url);
  const unknown = await given(`${key}\n`);
  expect(await fetchedFrom(await unknown.access())).toBe(url);
});

test("logins that are dropped are gone, and are not written again", async () => {
  const lines = "git.example.com me token-file=token\nother.example.com git ssh-key=key\n";
  const { job, secrets, access } = await given(lines);
  const texts = async () => {
    const all = await readdir(secrets, { recursive: true, withFileTypes: true });
    const files = all.filter((one) => one.isFile());
    const read = files.map(
      async (one) => await readFile(path.join(one.parentPath, one.name), "utf8"),
    );
    return (await Promise.all(read)).join("\n");
  };
  const env = await access({ ssh_private_key: "a key of the plan" });
  expect(JSON.stringify(env)).toContain(secrets);
  const before = await texts();
  for (const secret of ["a-token-of-tests", "a key of tests", "a key of the plan"])
    expect(before).toContain(secret);
  await dropGitLogins(job);
  const after = await access({ ssh_private_key: "a key of the plan" });
  expect(JSON.stringify(after)).not.toContain(secrets);
  expect(await texts()).not.toMatch(/of[ -](?:tests|the plan)/);
});
