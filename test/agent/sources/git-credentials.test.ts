import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { checkGitCredentials } from "../../../agent/doctor/check-git-credentials.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startGitServer } from "../../support/sources/git-server.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";

const token = "tests-token-of-git-0123456789";
let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

/** A file of credentials for this server, and an agent that has it. */
async function given(server: string) {
  const file = path.join(await testFolder(), "git-credentials");
  await writeFile(`${file}.token`, `${token}\n`, { mode: 0o600 });
  await writeFile(file, `${server} builder token-file=${file}.token\n`, { mode: 0o600 });
  const runner = await givenRunnerWithAgent(fleet, { "git-credentials": file });
  /** It ends where its repository was fetched, as that has no program. */
  const build = async (
    git_source: object,
    type: "pulumi-build" | "actions-workflow" = "pulumi-build",
  ) =>
    await runner.run({
      type,
      operation: type === "pulumi-build" ? "build" : "exec",
      plan: JSON.stringify({
        git_source,
        steps: [{ git_source, interpolated_command: "true" }],
        dst_registry: { loginServer: "127.0.0.1:9", repository: "a", plain_http: true },
        dst_tag: "b1",
      }),
    });
  return { file, build, ...runner };
}

const fetched = { error_metadata: { reason: "build_failed", class: "not_found" } };
const refused = { error_metadata: { reason: "build_failed", class: "repository_refused" } };

test("a private repository is read for a build by the agent's credentials, which show nowhere", async () => {
  const repository = await givenRepository();
  await repository.commit("README.md", "no program");
  const login = `builder:${token}`;
  const server = await startGitServer({ folders: { shop: repository.folder }, login });
  const other = await startGitServer({ folders: { shop: repository.folder }, login });
  const { build, agent, logOf } = await given(server.url);
  const built = await build({ url: `${server.url}/shop` });
  expect(built.result).toMatchObject(fetched);
  expect(server.asked.at(-1)).toBe(login);
  const elsewhere = await build({ url: `${other.url}/shop` });
  expect(elsewhere.result).toMatchObject(refused);
  expect(elsewhere.description).toContain("git-credentials in the settings of the org's agent");
  expect(other.asked.filter(Boolean)).toEqual([]);
  const action = await build({ url: `${server.url}/shop` }, "actions-workflow");
  expect(action.result?.error_metadata).toMatchObject({ class: "auth" });
  const logs = await Promise.all([built, elsewhere, action].map(({ id }) => logOf(id)));
  expect(JSON.stringify([built, elsewhere, logs, agent.logged])).not.toContain(token);
});

test("they reach neither the server of a submodule nor one that is redirected to", async () => {
  const part = await givenRepository();
  const commit = await part.commit("README.md", "a part");
  const login = `builder:${token}`;
  const stranger = await startGitServer({ folders: { part: part.folder }, login });
  const repository = await givenRepository();
  await repository.addSubmodule("part", `${stranger.url}/part`, commit);
  const server = await startGitServer({ folders: { shop: repository.folder }, login });
  const { build } = await given(server.url);
  const built = await build({ url: `${server.url}/shop`, recurse_submodules: true });
  expect(built.result).toMatchObject(refused);
  expect(server.asked.at(-1)).toBe(login);
  expect([stranger.asked.length > 0, stranger.asked.filter(Boolean)]).toEqual([true, []]);
  const redirecting = http.createServer((request, response) => {
    response
      .writeHead(302, { location: `${stranger.url}/part${request.url?.slice(5) ?? ""}` })
      .end();
  });
  redirecting.listen(0, "127.0.0.1");
  await once(redirecting, "listening");
  onTestFinished(() => void redirecting.close());
  const port = (redirecting.address() as AddressInfo).port;
  const moved = await given(`http://127.0.0.1:${port}`);
  const ended = await moved.build({ url: `http://127.0.0.1:${port}/part` });
  expect(ended.result).toMatchObject(refused);
  expect(stranger.asked.filter(Boolean)).toEqual([]);
});

test("a file that others may read is used by nobody, and the doctor says so", async () => {
  const server = await startGitServer({ folders: {} });
  const { file, build } = await given(server.url);
  const consult = async () =>
    await checkGitCredentials({
      config: readConfig({ "broker-url": "http://127.0.0.1:1", "git-credentials": file }, {}),
      broker: new URL("http://127.0.0.1:1"),
      proxy: undefined,
      token: undefined,
      patienceMs: 1000,
    });
  expect(await consult()).toEqual({ verdict: "ok", words: `Builds sign in at ${server.url}.` });
  const text = await readFile(file, "utf8");
  await writeFile(`${file}.open`, text, { mode: 0o644 });
  await writeFile(file, text.replace(`${file}.token`, `${file}.open`));
  const built = await build({ url: `${server.url}/shop` });
  expect(built.result?.error_metadata).toMatchObject({ class: "refused" });
  expect(built.description).toContain(`other users may read or write ${file}.open: chmod 600`);
  expect(server.asked).toEqual([]);
  expect(await consult()).toMatchObject({
    verdict: "failed",
    words: expect.stringContaining("chmod 600") as string,
  });
});
