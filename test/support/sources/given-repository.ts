import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { testFolder } from "../run/folder.ts";

const run = promisify(execFile);
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

export type Repository = {
  readonly folder: string;
  readonly git: (...args: string[]) => Promise<string>;
  /** Writes a file and commits it; answers the commit. */
  readonly commit: (file: string, text: string) => Promise<string>;
  /** Commits a submodule that nobody needs to reach yet. */
  readonly addSubmodule: (name: string, url: string, commit: string) => Promise<void>;
};

/** An empty git repository. */
export async function givenRepository(): Promise<Repository> {
  const folder = path.join(await testFolder(0o755), "repo");
  await mkdir(folder);
  const git = async (...args: string[]): Promise<string> => {
    const config = ["-c", "protocol.file.allow=always", "-c", "safe.directory=*"];
    return (await run("git", [...config, ...args], { cwd: folder, env })).stdout.trim();
  };
  await git("init", "-q", "-b", "main");
  const commit = async (file: string, text: string): Promise<string> => {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
    await git("add", ".");
    await git("commit", "-q", "-m", file);
    return await git("rev-parse", "HEAD");
  };
  const addSubmodule: Repository["addSubmodule"] = async (name, url, at) => {
    const text = `[submodule "${name}"]\n\tpath = ${name}\n\turl = ${url}\n`;
    await writeFile(path.join(folder, ".gitmodules"), text);
    await git("add", ".gitmodules");
    await git("update-index", "--add", "--cacheinfo", `160000,${at},${name}`);
    await git("commit", "-q", "-m", name);
  };
  return { folder, git, commit, addSubmodule };
}
