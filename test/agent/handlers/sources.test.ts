import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../support/folder.ts";
import { type Fleet, givenFleet } from "../../support/given-fleet.ts";
import { givenJobSeat } from "../../support/given-jobs.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const run = promisify(execFile);
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
};

type Repository = {
  readonly folder: string;
  readonly git: (...args: string[]) => Promise<string>;
  /** Writes a file and commits it; answers the commit. */
  readonly commit: (file: string, text: string) => Promise<string>;
};

async function givenRepository(): Promise<Repository> {
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
  return { folder, git, commit };
}

/** A step that tells what is in the file `what` of its source. */
const tellWhat = (git_source: object, more: object = {}) => ({
  git_source,
  interpolated_command: 'echo "what=$(cat what)" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"',
  ...more,
});
const filesAllowed = { "allow-file-sources": "yes" };

describe("a step's source", { timeout: 90_000 }, () => {
  test("is fetched at a branch, a tag, a commit or its head, without history", async () => {
    const { folder, commit, git } = await givenRepository();
    const first = await commit("what", "first");
    await git("tag", "v1");
    await commit("what", "second");
    await git("branch", "side");
    await commit("what", "third");
    const { runSteps } = await givenJobSeat(fleet, filesAllowed);
    const url = `file://${folder}`;
    const named = {
      "by head": {},
      "by branch": { ref: "side" },
      "by tag": { tag: "v1" },
      "by commit": { commit: first },
      "by short commit": { ref: first.slice(0, 10) },
    };
    const steps = Object.entries(named).map(([name, at]) => tellWhat({ url, ...at }, { name }));
    const ended = await runSteps([
      ...steps,
      {
        git_source: { url },
        interpolated_command:
          'echo "depth=$(git rev-list --count HEAD)" >>$SVC_ACTIONS_OUTPUT_FILEPATH',
      },
    ]);
    expect(ended.description).toBe("");
    const told = ended.outputs["steps"] as Record<string, { what: string }>;
    expect(Object.keys(named).map((name) => told[name]?.what)).toEqual([
      "third",
      "second",
      "first",
      "first",
      "first",
    ]);
    expect(ended.outputs["depth"]).toBe("1");
  });

  test("is where the step runs, in the folder that it names", async () => {
    const { folder, commit } = await givenRepository();
    await commit("a/b/what", "deep");
    const { runSteps } = await givenJobSeat(fleet, filesAllowed);
    const url = `file://${folder}`;
    const ended = await runSteps([tellWhat({ url, path: "a" }, { directory: "b" })]);
    expect(ended.outputs["what"]).toBe("deep");
    const absent = await runSteps([tellWhat({ url, path: "nowhere" })]);
    expect(absent.description).toContain("there is no folder nowhere");
  });

  test("has its submodules when it is asked to", async () => {
    const inner = await givenRepository();
    await inner.commit("what", "inner");
    const { folder, git, commit } = await givenRepository();
    await git("submodule", "add", "-q", `file://${inner.folder}`, "sub");
    await commit("x", "x");
    const { runSteps } = await givenJobSeat(fleet, filesAllowed);
    const source = { url: `file://${folder}`, path: "sub", recurse_submodules: true };
    expect((await runSteps([tellWhat(source)])).outputs["what"]).toBe("inner");
  });

  test("is checked out without running hooks", async () => {
    const { folder, commit } = await givenRepository();
    await commit("what", "x");
    const template = await testFolder(0o755);
    const hook = path.join(template, "hooks", "post-checkout");
    await mkdir(path.dirname(hook));
    await writeFile(hook, `#!/bin/sh\ntouch ${template}/ran\n`, { mode: 0o755 });
    const { runSteps } = await givenJobSeat(fleet, filesAllowed);
    const plan = { builtin_env_vars: { GIT_TEMPLATE_DIR: template } };
    const ended = await runSteps([tellWhat({ url: `file://${folder}` })], plan);
    expect(ended.outputs["what"]).toBe("x");
    expect(existsSync(path.join(template, "ran"))).toBe(false);
  });

  test("that is not there is told in git's words", async () => {
    const { folder, commit } = await givenRepository();
    await commit("what", "x");
    const { runSteps } = await givenJobSeat(fleet, filesAllowed);
    const ended = await runSteps([
      tellWhat({ url: `file://${folder}`, ref: "no-such-branch" }, { name: "get" }),
      { always: true, interpolated_command: "echo tidy=1 >>$SVC_ACTIONS_OUTPUT_FILEPATH" },
    ]);
    expect(ended).toMatchObject({
      status: "failed",
      outputs: { tidy: "1" },
      result: { error_metadata: { reason: "source_unavailable", step: "get" } },
    });
    expect(ended.description).toContain("at no-such-branch: it could not be fetched");
    expect(ended.description).toContain("no-such-branch");
    const commitless = await runSteps([
      tellWhat({ url: `file://${folder}`, commit: "0123456789abcdef0123456789abcdef01234567" }),
    ]);
    expect(commitless.description).toContain("0123456789abcdef0123456789abcdef01234567");
  });

  test("is fetched with credentials that are nowhere to be seen", async () => {
    const { folder, commit, git } = await givenRepository();
    await commit("what", "private");
    await git("update-server-info");
    const asked: string[] = [];
    const url = await givenServer(path.join(folder, ".git"), asked);
    const { runSteps, agent } = await givenJobSeat(fleet);
    const withUser = url.replace("http://", "http://me:p%40ss-word-9@");
    const ended = await runSteps([
      {
        git_source: { url: withUser },
        name: "see",
        interpolated_command:
          'echo "remote=$(git remote get-url origin)" >>$SVC_ACTIONS_OUTPUT_FILEPATH; git config --list',
      },
    ]);
    // A server without git's own protocol cannot be fetched from without history: the request is what counts here.
    expect(asked).toContain(`Basic ${Buffer.from("me:p@ss-word-9").toString("base64")}`);
    expect(JSON.stringify([ended, agent.logged])).not.toMatch(/p(?:%40|@)ss-word-9/);
    const wrong = await runSteps([
      tellWhat({ url, auth: { username: "me", password: "wrong-one" } }),
    ]);
    expect(wrong.description).toContain("it could not be fetched");
    expect(JSON.stringify(wrong)).not.toContain("wrong-one");
  });
});

/** Serves a folder to whom knows the password, and notes what they say. */
async function givenServer(folder: string, asked: string[]): Promise<string> {
  const server = http.createServer((request, response) => {
    const { authorization = "" } = request.headers;
    asked.push(authorization);
    const isKnown = authorization === `Basic ${Buffer.from("me:p@ss-word-9").toString("base64")}`;
    if (!isKnown) response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    else response.writeHead(404).end(folder);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/repo.git`;
}
