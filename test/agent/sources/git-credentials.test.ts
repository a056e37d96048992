import { once } from "node:events";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { checkGitCredentials } from "../../../agent/doctor/check-git-credentials.ts";
import { canChangeUsers, givenJobUsers } from "../../support/agent/given-job-users.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startGitServer } from "../../support/sources/git-server.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";
import { tool } from "../../tools/find-tool.ts";

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

test("a file that others may read is used by nobody, builds without it go on, and the doctor says so", async () => {
  const repository = await givenRepository();
  await repository.commit("README.md", "no program");
  const folders = { shop: repository.folder };
  const server = await startGitServer({ folders, login: `builder:${token}` });
  const open = await startGitServer({ folders });
  const { file, build, logOf } = await given(server.url);
  const consult = async (settings: Record<string, string> = {}) =>
    await checkGitCredentials({
      config: readConfig(
        { "broker-url": "http://127.0.0.1:1", "git-credentials": file, ...settings },
        {},
      ),
      broker: new URL("http://127.0.0.1:1"),
      proxy: undefined,
      token: undefined,
      patienceMs: 1000,
    });
  expect(await consult()).toEqual({ verdict: "ok", words: `Builds sign in at ${server.url}.` });
  const pods = { executor: "kubernetes", "executor-image": "registry.example.com/svc-agent" };
  expect(await consult(pods)).toMatchObject({ verdict: "left-out" });
  const text = await readFile(file, "utf8");
  await writeFile(`${file}.open`, text, { mode: 0o644 });
  await writeFile(file, text.replace(`${file}.token`, `${file}.open`));
  const words = `other users may read or write ${file}.open: chmod 600 ${file}.open`;
  const built = await build({ url: `${server.url}/shop` });
  expect(built.result).toMatchObject(refused);
  expect(built.description).toContain(`which cannot be used: ${words}.`);
  expect(server.asked.filter(Boolean)).toEqual([]);
  expect(await consult()).toMatchObject({
    verdict: "failed",
    words: expect.stringContaining("chmod 600") as string,
  });
  for (const why of [words, `${file} cannot be read (ENOENT)`]) {
    const public_ = await build({ url: `${open.url}/shop` });
    expect(public_.result).toMatchObject(fetched);
    expect(await logOf(public_.id)).toContain(`git-credentials is not used: ${why}.`);
    await rm(file, { force: true });
  }
});

describeWithTools(["kustomize"], "a private base of a kustomization", () => {
  test("is fetched, but not by a kustomize that runs or reads what the source names", async () => {
    vi.stubEnv("PATH", [path.dirname(tool("kustomize")), process.env["PATH"]].join(":"));
    const login = `builder:${token}`;
    const base = await givenRepository();
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } };
    await base.commit("deep/map.yaml", JSON.stringify(map));
    await base.commit("deep/kustomization.yaml", "resources: [map.yaml]\n");
    const shop = await givenRepository();
    const folders = { shop: shop.folder, base: base.folder };
    const server = await startGitServer({ folders, login });
    const named = `resources: ["${server.url}/base//deep?ref=main"]\n`;
    await shop.commit("kustomization.yaml", named);
    const { run } = await given(server.url);
    const classOf = async (kustomize_config: object) => {
      const plan = {
        git_source: { url: `${server.url}/shop` },
        dst_registry: { loginServer: "127.0.0.1:9", repository: "a", plain_http: true },
        dst_tag: "b1",
        kubernetes_manifest_build_plan: { kustomize_config },
      };
      const type = "kubernetes-manifest-build";
      const built = await run({ type, operation: "build", plan: JSON.stringify(plan) });
      return built.result?.error_metadata["class"];
    };
    expect(await classOf({})).toBe("network"); // it was built: no registry takes it
    expect(await classOf({ load_restrictor: "none" })).toBe("config_invalid");
    expect(await classOf({ enable_helm: true })).toBe("config_invalid");
  });
});

const asRoot = canChangeUsers ? describeWithTools : () => {};
asRoot(["terraform"], "what a build runs", () => {
  test("finds no login for git any more, though its modules were fetched with one", async () => {
    const mirror = await testFolder(0o755);
    const program =
      "registry.terraform.io/acme/evil/1.0.0/linux_amd64/terraform-provider-evil_v1.0.0";
    const login = `builder:${token}`;
    const part = await givenRepository();
    await part.commit("main.tf", 'output "one" { value = 1 }\n');
    const shop = await givenRepository();
    const server = await startGitServer({
      folders: { shop: shop.folder, part: part.folder },
      login,
    });
    await shop.commit(
      "main.tf",
      `terraform {\n  required_providers {\n    evil = { source = "acme/evil" }\n  }\n}\nresource "evil_thing" "one" {}\nmodule "part" { source = "git::${server.url}/part" }\n`,
    );
    const folder = await testFolder();
    const file = path.join(folder, "git-credentials");
    await writeFile(`${file}.token`, `${token}\n`, { mode: 0o600 });
    await writeFile(file, `${server.url} builder token-file=${file}.token\n`, { mode: 0o600 });
    const { run, marks } = await givenJobUsers(await givenFleet(), [59_482, 59_483], {
      groups: "build=1",
      "git-credentials": file,
      "provider-mirror": mirror,
    });
    const told = path.join(marks, "told");
    await writeFile(told, "");
    await chmod(told, 0o666);
    const script = `#!/bin/sh\ncd "$(dirname "$SVC_JOB_SOCKET")/own" || exit 1\n{ env; find .; grep -rs builder . ; } >${told}\n`;
    await mkdir(path.dirname(path.join(mirror, program)), { recursive: true });
    await writeFile(path.join(mirror, program), script, { mode: 0o755 });
    const built = await run({
      type: "terraform-module-build",
      operation: "build",
      plan: JSON.stringify({
        git_source: { url: `${server.url}/shop` },
        dst_registry: { loginServer: "127.0.0.1:9", repository: "a", plain_http: true },
        dst_tag: "b1",
      }),
    });
    expect(built.result?.error_metadata).toMatchObject({ reason: "tool_failed" });
    const found = await readFile(told, "utf8");
    expect(found).toMatch(/^SVC_JOB_SOCKET=/m); // it ran, and came to where they were
    expect(found).toMatch(/^\.\/terraform\.rc$/m);
    expect(found).not.toMatch(/git-logins|builder/);
    expect(found).not.toContain(token);
  });
});
