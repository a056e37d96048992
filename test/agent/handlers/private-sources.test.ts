import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { startGitServer } from "../../support/sources/git-server.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const password = "p@ss-word-9";
const login = `me:${password}`;
const auth = { username: "me", password };
const tellWhat = { interpolated_command: 'echo "what=$(cat what)" >>$SVC_ACTIONS_OUTPUT_FILEPATH' };

/** A repository behind a login, with the submodule `sub` of the URL. */
async function givenPrivate(submoduleUrl?: (url: string) => string) {
  const [outer, inner] = [await givenRepository(), await givenRepository()];
  const commit = await inner.commit("what", "inner");
  await outer.commit("what", "private");
  const folders = { "repo.git": outer.folder, "inner.git": inner.folder };
  const server = await startGitServer({ folders, login });
  if (submoduleUrl !== undefined) await outer.addSubmodule("sub", submoduleUrl(server.url), commit);
  return { ...server, url: `${server.url}/repo.git`, inner };
}

/** A server that answers nobody, and asks everybody who they are. */
async function givenStranger(): Promise<{ readonly url: string; readonly asked: string[] }> {
  return await startGitServer({ folders: {}, login: "nobody:knows" });
}

async function listening(server: net.Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a private source", () => {
  test("is fetched with the credentials of its plan, also those in its URL", async () => {
    const { url, asked } = await givenPrivate();
    const { runSteps, agent } = await givenRunnerWithAgent(fleet);
    const inUrl = url.replace("http://", "http://me:p%40ss-word-9@");
    for (const git_source of [
      { url, auth: { ...auth, password: `${password}\n` } },
      { url: inUrl },
    ]) {
      const ended = await runSteps([{ ...tellWhat, git_source }]);
      expect(ended).toMatchObject({ status: "finished", outputs: { what: "private" } });
      expect(JSON.stringify([ended, agent.logged])).not.toMatch(/p(?:%40|@)ss-word-9/);
    }
    expect(asked).toContain(login);
  });

  test("has submodules of its own server by the same credentials", async () => {
    const { url } = await givenPrivate((server) => `${server}/inner.git`);
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const git_source = { url, auth, recurse_submodules: true, path: "sub" };
    expect((await runSteps([{ ...tellWhat, git_source }])).outputs["what"]).toBe("inner");
  });

  test("tells its credentials to no other server: not a submodule's", async () => {
    const stranger = await givenStranger();
    const { url } = await givenPrivate(() => `${stranger.url}/inner.git`);
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const git_source = { url, auth, recurse_submodules: true };
    const ended = await runSteps([{ ...tellWhat, git_source }]);
    expect(ended.description).toContain("fetching its submodules failed");
    expect(stranger.asked.length).toBeGreaterThan(0);
    expect(new Set(stranger.asked)).toEqual(new Set([""]));
  });

  test("tells them to none to which its server redirects", async () => {
    const stranger = await givenStranger();
    const url = await listening(
      http.createServer(({ url: at }, response) => {
        response.writeHead(302, { location: `${stranger.url}${at}` }).end();
      }),
    );
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([{ ...tellWhat, git_source: { url: `${url}/repo.git`, auth } }]);
    expect(ended.description).toContain("fetching it failed");
    expect(stranger.asked.length).toBeGreaterThan(0);
    expect(new Set(stranger.asked)).toEqual(new Set([""]));
  });

  test("is fetched, and scripts run, by nothing in memory that would have to be executed", async () => {
    const { url } = await givenPrivate();
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const script = `#!/usr/bin/env -S sh -u
      echo "said=$(cat what) $1 $-" >>$SVC_ACTIONS_OUTPUT_FILEPATH
      find "$(dirname "$SVC_JOB_SOCKET")" -type f -perm /111 | sed s/^/program=/ >>$SVC_ACTIONS_OUTPUT_FILEPATH`;
    const step = { interpolated_inline_contents: script, args: ["a b"], git_source: { url, auth } };
    const { outputs } = await runSteps([step]);
    expect(outputs["said"]).toMatch(/^private a b .*u/);
    expect(outputs).not.toHaveProperty("program");
  });

  test("that does not answer ends with its step's time", async () => {
    const url = await listening(net.createServer(() => {}));
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      { ...tellWhat, name: "get", timeout: 1e9, git_source: { url: `${url}/repo.git` } },
    ]);
    expect(ended).toMatchObject({
      status: "failed",
      result: { error_metadata: { reason: "timeout_step", step: "get" } },
    });
    expect(ended.description).toContain("timed out after 1s");
  });

  test.each([
    ["https://u:100%25%pass@127.0.0.1:1/a.git", "has an invalid % escape in its user or password"],
    ["https://u:100x/pass@127.0.0.1:1/a.git", "is not a valid URL"],
  ])("with the URL %s is refused in words that do not repeat it", async (url, words) => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([{ ...tellWhat, git_source: { url } }]);
    expect(ended.result?.error_metadata["reason"]).toBe("plan_invalid");
    expect(ended.description).toContain(words);
    expect(ended.description).not.toContain("100");
  });
});
