import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { testFolder } from "../support/run/folder.ts";
import { startGitServer } from "../support/sources/git-server.ts";

const run = promisify(execFile);

/** A repository of two commits behind a login, and what git says and does there. */
async function setup() {
  const folder = await testFolder();
  const git = async (cwd: string, ...args: string[]): Promise<string> => {
    const who = ["-c", "user.name=tests", "-c", "user.email=tests@example.com"];
    const env = { PATH: process.env["PATH"], HOME: folder, GIT_TERMINAL_PROMPT: "0" };
    return (await run("git", [...who, ...args], { cwd, env })).stdout.trim();
  };
  const repository = await testFolder();
  await git(repository, "init", "--quiet");
  for (const text of ["one", "two"]) {
    await writeFile(path.join(repository, "file"), text);
    await git(repository, "add", "file");
    await git(repository, "commit", "--quiet", "--message", text);
  }
  const { url } = await startGitServer({ folders: { it: repository }, login: "svc:secret" });
  return { git, repository, url, withLogin: url.replace("//", "//svc:secret@") };
}

describe("git over HTTP", () => {
  test("who says no login, or a wrong one, gets nothing", async () => {
    const { git, url } = await setup();
    const to = await testFolder();
    await expect(git(to, "clone", `${url}/it`, "a")).rejects.toThrow(/could not read Username/);
    const wrong = url.replace("//", "//svc:wrong@");
    await expect(git(to, "clone", `${wrong}/it`, "b")).rejects.toThrow(/Authentication failed/);
  });

  test("one commit is fetched alone, by its hash, though it is no branch's last", async () => {
    const { git, repository, withLogin } = await setup();
    const to = await testFolder();
    const first = await git(repository, "rev-parse", "HEAD~1");
    await git(to, "init", "--quiet");
    await git(to, "fetch", "--quiet", "--depth=1", `${withLogin}/it`, first);
    await git(to, "checkout", "--quiet", "FETCH_HEAD");
    expect(await readFile(path.join(to, "file"), "utf8")).toBe("one");
    expect(await git(to, "rev-list", "--count", "HEAD")).toBe("1");
  });
});
