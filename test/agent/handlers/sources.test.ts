import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startGitServer } from "../../support/sources/git-server.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** A step that tells what is in the file `what` of its source. */
const tellWhat = (git_source: object, more: object = {}) => ({
  git_source,
  interpolated_command: 'echo "what=$(cat what)" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"',
  ...more,
});
const filesAllowed = { "allow-file-sources": "yes" };

describe("a step's source", () => {
  test("is fetched at a branch, a tag, a commit or its head, without history", async () => {
    const { folder, commit, git } = await givenRepository();
    const first = await commit("what", "first");
    await git("tag", "v1");
    await commit("what", "second");
    await git("branch", "side");
    await commit("what", "third");
    const { runSteps } = await givenRunnerWithAgent(fleet, filesAllowed);
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
    const { runSteps } = await givenRunnerWithAgent(fleet, filesAllowed);
    const url = `file://${folder}`;
    const ended = await runSteps([tellWhat({ url, path: "a" }, { directory: "b" })]);
    expect(ended.outputs["what"]).toBe("deep");
    const absent = await runSteps([tellWhat({ url, path: "nowhere" })]);
    expect(absent.description).toContain("its working directory nowhere does not exist");
  });

  test("has its submodules when it is asked to", async () => {
    const inner = await givenRepository();
    await inner.commit("what", "inner");
    const { folder, git, commit } = await givenRepository();
    await git("submodule", "add", "-q", `file://${inner.folder}`, "sub");
    await commit("x", "x");
    const { runSteps } = await givenRunnerWithAgent(fleet, filesAllowed);
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
    const { runSteps } = await givenRunnerWithAgent(fleet, filesAllowed);
    const plan = { builtin_env_vars: { GIT_TEMPLATE_DIR: template } };
    const ended = await runSteps([tellWhat({ url: `file://${folder}` })], plan);
    expect(ended.outputs["what"]).toBe("x");
    expect(existsSync(path.join(template, "ran"))).toBe(false);
  });

  test("that is not there is told in git's words", async () => {
    const { folder, commit } = await givenRepository();
    await commit("what", "x");
    const { runSteps } = await givenRunnerWithAgent(fleet, filesAllowed);
    const ended = await runSteps([
      tellWhat({ url: `file://${folder}`, ref: "no-such-branch" }, { name: "get" }),
      { always: true, interpolated_command: "echo tidy=1 >>$SVC_ACTIONS_OUTPUT_FILEPATH" },
    ]);
    expect(ended).toMatchObject({
      status: "failed",
      outputs: { tidy: "1" },
      result: { error_metadata: { reason: "source_unavailable", step: "get" } },
    });
    expect(ended.description).toContain("at no-such-branch: fetching it failed");
    expect(ended.description).toContain("no-such-branch");
    const commitless = await runSteps([
      tellWhat({ url: `file://${folder}`, commit: "0123456789abcdef0123456789abcdef01234567" }),
    ]);
    expect(commitless.description).toContain("0123456789abcdef0123456789abcdef01234567");
  });

  test("with a wrong password is told without it", async () => {
    const { folder, commit } = await givenRepository();
    await commit("what", "private");
    const { url } = await startGitServer({ folders: { "repo.git": folder }, login: "me:right" });
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      tellWhat({ url: `${url}/repo.git`, auth: { username: "me", password: "wrong-one" } }),
    ]);
    expect(ended.description).toContain("fetching it failed");
    expect(JSON.stringify(ended)).not.toContain("wrong-one");
  });

  test("has no credentials in what the step finds", async () => {
    const { folder, commit } = await givenRepository();
    await commit("what", "private");
    const server = await startGitServer({ folders: { "repo.git": folder }, login: "me:se-cret-9" });
    const { runSteps, agent } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      {
        git_source: { url: `${server.url.replace("//", "//me:se-cret-9@")}/repo.git` },
        interpolated_command:
          'echo "remote=$(git remote get-url origin)" >>$SVC_ACTIONS_OUTPUT_FILEPATH; git config --list',
      },
    ]);
    expect(ended.outputs["remote"]).toBe(`${server.url}/repo.git`);
    expect(JSON.stringify([ended, agent.logged])).not.toContain("se-cret-9");
  });
});
