import { symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { version } from "../../shared/version.ts";
import { type CommandLine, startCommandLine } from "../support/programs/command-line.ts";
import { startSvc, svc } from "../support/programs/svc.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenExecution, givenProcess, givenRunner } from "../support/rows/given.ts";
import { testFolder } from "../support/run/folder.ts";

let cli: CommandLine;
beforeAll(async () => {
  cli = await startCommandLine();
});

describe("a command line that is wrong", () => {
  test("ends with 2, words on standard error, and nothing on standard output", async () => {
    const [parsed, checked] = await Promise.all([
      svc(["job", "crate"]),
      svc(["api", "GET", "v1/roles"]),
    ]);
    const err = "Unknown command: svc job crate.\nDid you mean svc job create?\n";
    expect(parsed).toEqual({ code: 2, out: "", err });
    expect(checked).toMatchObject({ code: 2, out: "" });
  });

  test("is mended by what can be typed: by the launcher's place, if that started it", async () => {
    const env = { SVC_LAUNCHED_AS: "./svc" };
    const { err } = await svc(["job", "crate"], { env });
    expect(err).toContain("Did you mean ./svc job create?\n");
    expect((await svc(["nonsense"], { env })).err).toContain("See: ./svc --help\n");
    expect((await svc(["job", "get", "--help"], { env })).out).toContain("\n  ./svc job get JOB");
    const asked = { SVC_URL: cli.url, SVC_TOKEN: cli.token, ...env };
    const none = await svc(["app", "list"], { env: asked });
    expect(none.err).toBe("No apps found. Start one: ./svc app init NAME\n");
  });

  test("is mended by what was typed: the launcher's place, its name on the PATH, or what works beside npx", async () => {
    const bin = await testFolder();
    await symlink(path.resolve("svc"), path.join(bin, "svc"));
    const meant = async (program: string, env: Record<string, string> = {}): Promise<string> => {
      const byHand = { npm_command: "", ...env }; // also where npx runs the tests
      const { stderr } = await execa(program, ["job", "crate"], { reject: false, env: byHand });
      return stderr.split("\n")[1] ?? "";
    };
    const onPath = { PATH: `${bin}:${process.env["PATH"]}` };
    expect(await meant("./svc")).toBe("Did you mean ./svc job create?");
    expect(await meant(path.join(bin, "svc"), onPath)).toBe("Did you mean svc job create?");
    const byNpx = { ...onPath, npm_command: "exec" };
    expect(await meant(path.join(bin, "svc"), byNpx)).toBe(
      `Did you mean ${path.resolve("svc")} job create?`,
    );
  });
});

describe("help", () => {
  test("is there for everything, a noun and a command, wherever the flag stands", async () => {
    const results = await Promise.all([
      svc([]),
      svc(["--help"]),
      svc(["job", "--help"]),
      svc(["help", "job", "create"]),
      svc(["--help", "job", "create", "--nonsense"]),
    ]);
    expect(results.map(({ code, err }) => `${code}${err}`)).toEqual(["0", "0", "0", "0", "0"]);
    const [bare, all, noun, one, same] = results.map(({ out }) => out);
    expect(bare).toBe(all);
    expect(noun).toContain("svc job rerun");
    expect(one).toBe(same);
  });
});

describe("the broker that a command asks", () => {
  test("is reached by flags before the environment before what svc dev keeps", async () => {
    const dataDir = await testFolder();
    const dev = { url: cli.url, org_id: "", runner_id: "", runner_token: "" };
    const kept = JSON.stringify({ ...dev, admin_token: cli.token });
    await writeFile(path.join(dataDir, "dev.json"), kept);
    const nobody = "http://127.0.0.1:2";
    const results = await Promise.all([
      svc(["org", "get"], { env: { SVC_DATA_DIR: dataDir } }),
      svc(["org", "get"], { env: { SVC_DATA_DIR: dataDir, SVC_URL: nobody } }),
      svc(["org", "get", "--url", cli.url], { env: { SVC_URL: nobody, SVC_TOKEN: cli.token } }),
      svc(["org", "get", "--url", `${cli.url}/`], { env: { SVC_DATA_DIR: dataDir } }),
      svc(["org", "get", "--url", cli.url]),
    ]);
    expect(results.map(({ code }) => code)).toEqual([0, 6, 0, 0, 4]);
    expect(results[1]?.err).toBe(
      `No broker responds at ${nobody} (ECONNREFUSED).\nStart one with: svc dev\n`,
    );
  });

  test("is never sent a token that was saved for another", async () => {
    const seen: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void stranger.close());
    await expect.poll(() => stranger.listening).toBe(true);
    const { port } = stranger.address() as AddressInfo;
    const dataDir = await testFolder();
    const kept = { url: cli.url, org_id: "", runner_id: "", admin_token: cli.token };
    await writeFile(path.join(dataDir, "dev.json"), JSON.stringify({ ...kept, runner_token: "" }));
    const env = { SVC_DATA_DIR: dataDir };
    const url = `http://127.0.0.1:${port}`;
    expect(await svc(["api", "GET", "/", "--url", url], { env })).toMatchObject({ code: 0 });
    expect(seen).toEqual([undefined]);
  });

  test("is left with 130 on Ctrl-C", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    const asked = new Promise((resolve) => silent.once("request", resolve));
    await expect.poll(() => silent.listening).toBe(true);
    const { port } = silent.address() as AddressInfo;
    const env = { SVC_URL: `http://127.0.0.1:${port}`, SVC_TOKEN: cli.token };
    const running = startSvc(["job", "wait", "job_x"], { env });
    await asked;
    running.kill("SIGINT");
    expect(await running.ended).toEqual({ code: 130, out: "", err: "" });
  });

  test("says who may not do what, and no error shows a stack or the token", async () => {
    const reader = await givenToken(cli.db, { orgId: cli.runner.orgId, role: "org_read_only" });
    const env = { SVC_URL: cli.url, SVC_TOKEN: reader };
    const results = await Promise.all([
      svc(["runner", "create"], { env }),
      svc(["org", "get"], { env: { SVC_URL: cli.url, SVC_TOKEN: "svc_pat_nonsense" } }),
      svc(["job", "list", "--token-file", "/nonexistent"], { env }),
      svc(["api", "DELETE", "/v1/nowhere"], { env }),
    ]);
    expect(results.map(({ code }) => code)).toEqual([4, 2, 2, 3]);
    const words = results.map(({ err }) => err).join("");
    expect(words).not.toContain(reader);
    expect(words).not.toMatch(/^ +at /m);
  });
});

describe("svc api", () => {
  test("sends fields as a query or a body, and a body as it is", async () => {
    const renamed = await cli.run("api PATCH /v1/orgs/current -f name=Renamed");
    expect(JSON.parse(renamed.out)).toMatchObject({ name: "Renamed" });
    const listed = await cli.run("api get /v1/runners -f limit=1");
    expect((JSON.parse(listed.out) as { items: unknown[] }).items).toHaveLength(1);
    const line = "api PATCH /v1/orgs/current --input -";
    const refused = await cli.run(line, '{"name": 1, "other": 2}');
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("#/name");
    expect(refused.err).toContain("#/other");
  });
});

describe("svc doctor, version and completion", () => {
  test("say how things are", async () => {
    const [doctor, shown, long, short, bash, fish, unknown] = await Promise.all([
      cli.run("doctor"),
      cli.run("version"),
      svc(["--version"]),
      svc(["-v"]),
      cli.run("completion bash"),
      cli.run("completion fish"),
      cli.run("completion tcsh"),
    ]);
    expect(doctor.out).toMatch(
      /^broker +http.+\nversion +\S+.+\npolicies not evaluated.+\nclock +agrees\ntoken +svc_pat_…/,
    );
    expect(shown.out).toBe(`${version}\n`);
    expect([long, short]).toEqual([shown, shown]);
    expect(bash.out).toContain("complete -o default -F _svc svc");
    expect(fish.out).toContain("complete -c svc");
    expect(unknown).toMatchObject({ code: 2 });
  });

  const env = () => ({ SVC_URL: cli.url, SVC_TOKEN: cli.token });
  const suggest = async (...words: string[]) => {
    const { out } = await svc(["completion", "suggest", "--", ...words], { env: env() });
    return out.split("\n").slice(0, -1);
  };

  test("complete the ids of what a command takes, each in its place", async () => {
    const runner = await givenRunner(cli.db, { orgId: cli.runner.orgId });
    const processId = await givenProcess(cli.db, runner);
    const { jobId, executionId } = await givenExecution(cli.db, runner, { processId });
    const made = await cli.run("queue create --name line -o name");
    const queueId = made.out.trim();
    const results = await Promise.all([
      suggest("group", "get", ""),
      suggest("runner", "list", "--group", "rgr_"),
      suggest("process", "get", "--runner", runner.runnerId, ""),
      suggest("execution", "get", ""),
      suggest("execution", "get", jobId, ""),
      suggest("execution", "get", jobId, executionId, ""),
      suggest("job", "wait", jobId, ""),
      suggest("role", "get", "org_b"),
      suggest("profile", "use", "d"),
      suggest("signal", "list", "--queue", ""),
      suggest("process", "get", ""),
    ]);
    const [groups, same, processes, jobs, executions, beyond, more, roles, profiles] = results;
    expect(groups).toContain(runner.groupId);
    expect(same).toEqual(groups);
    expect(processes).toEqual([processId]);
    expect(jobs).toContain(jobId);
    expect(executions).toEqual([executionId]);
    expect(beyond).toEqual([]);
    expect(more).toEqual(jobs);
    expect(roles).toEqual(["org_builder"]);
    expect(profiles).toEqual(["dev"]);
    expect(results[9]).toContain(queueId);
    expect(results[10]).toEqual([]); // of no runner
  });

  test("complete nothing, and say nothing, without an answer in time", async () => {
    const silent = createServer(() => {}).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await expect.poll(() => silent.listening).toBe(true);
    const { port } = silent.address() as AddressInfo;
    const words = ["completion", "suggest", "--", "runner", "get", ""];
    const url = `http://127.0.0.1:${port}`;
    const results = await Promise.all([
      svc(words, { env: { ...env(), SVC_URL: url } }),
      svc(words, { env: { ...env(), SVC_URL: "http://127.0.0.1:2" } }),
      svc(words, { env: { SVC_URL: cli.url } }),
      svc(words, { env: { ...env(), SVC_PROFILE: "unknown" } }),
      svc(words, { env: { ...env(), SVC_TOKEN: "nonsense" } }),
    ]);
    for (const result of results) expect(result).toEqual({ code: 0, out: "", err: "" });
  });

  test("complete commands, flags, words and ids", async () => {
    const [nouns, verbs, flags, choices, ids] = await Promise.all([
      suggest("r"),
      suggest("job", "c"),
      suggest("job", "list", "--ow"),
      suggest("job", "list", "--status", "f"),
      suggest("runner", "get", ""),
    ]);
    expect(nouns).toEqual(["role", "runner", "rollout", "registry", "release"]);
    expect(verbs).toEqual(["create", "cancel"]);
    expect(flags).toEqual(["--owner-id", "--owner-type"]);
    expect(choices).toEqual(["finished", "failed"]);
    expect(ids).toContain(cli.runner.runnerId);
  });
});
