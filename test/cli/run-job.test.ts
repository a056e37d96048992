import { execFile } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { startAgentProcess } from "../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet, type TestRunner } from "../support/broker/given-fleet.ts";
import { faultProxy } from "../support/network/fault-proxy.ts";
import { type RunningSvc, startSvc, svc, type SvcResult } from "../support/programs/svc.ts";
import { testFolder } from "../support/run/folder.ts";

const run = promisify(execFile);
let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Scene = {
  readonly runner: TestRunner;
  readonly start: (words: readonly string[], env?: Record<string, string>) => RunningSvc;
  readonly run: (words: readonly string[], env?: Record<string, string>) => Promise<SvcResult>;
};

/** A runner with an agent, and `svc job run` for it. */
async function setup(): Promise<Scene> {
  const runner = await fleet.addRunner({ parallelism: { actions: 4, operations: 4 } });
  const settings = { groups: "actions=4,operations=4" };
  const env = { SVC_AGENT_TOKEN: runner.token };
  await startAgentProcess({ url: fleet.broker.url, env, settings });
  const own = { SVC_URL: fleet.broker.url, SVC_TOKEN: runner.operatorToken };
  const argv = (words: readonly string[]) => ["job", "run", "--runner", runner.runnerId, ...words];
  return {
    runner,
    start: (words, more) => startSvc(argv(words), { env: { ...own, ...more } }),
    run: async (words, more) => await svc(argv(words), { env: { ...own, ...more } }),
  };
}

async function script(text: string, name = "check.sh"): Promise<string> {
  const file = path.join(await testFolder(), name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

describe("svc job run", () => {
  test("runs a script of here over there, its arguments as they are, and shows what it prints", async () => {
    const { run } = await setup();
    const file = await script('#!/bin/sh\nprintf "<%s>\\n" "$@"\necho "$GREETING" >&2\n');
    const ran = await run([
      "--env",
      "GREETING=hello there",
      "--",
      file,
      "a  b",
      "--flag",
      "$HOME",
      "",
    ]);
    expect(ran.out).toContain("<a  b>\n<--flag>\n<$HOME>\n<>\nhello there\n");
    expect(ran.err).toMatch(
      /^job_\w+ is (?:available|queued)\.\n(?:It waits: .+\n)?job_\w+ finished after \S+(?: \(it waited \S+ before\))?\.\n/,
    );
    expect(ran.code).toBe(0);
  });

  test("runs a program of the runner's host", async () => {
    const { run } = await setup();
    const ran = await run(["--", "echo", "it is", "there"]);
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("it is there\n") as string });
  });

  test("hides what comes from the caller's environment", async () => {
    const { run, runner } = await setup();
    const file = await script('echo "secret: $API_KEY."; echo "$API_KEY" | base64\n');
    const API_KEY = "correct-horse-battery-staple";
    const ran = await run(["--hidden-env", "API_KEY", "--", file], { API_KEY });
    expect(ran.out).toMatch(/secret: \*+\.\n/);
    expect(ran.out + ran.err).not.toContain("horse");
    expect(ran.out).not.toContain(Buffer.from(API_KEY).toString("base64").slice(4, 20));
    expect(ran.code).toBe(0);
    const missing = await run(["--hidden-env", "NOT_THERE", "--", file]);
    expect(missing.code).toBe(2);
    expect(missing.err).toBe("The variable NOT_THERE is not set in your environment.\n");
    expect(runner.runnerId).toMatch(/^run_/);
  });

  test("fails with its script", async () => {
    const { run } = await setup();
    const file = await script("exit 3\n");
    const ran = await run(["--", file]);
    expect(ran.err).toMatch(/ failed after [^:]+: .*exited with code 3/);
    expect(ran.code).toBe(3);
    expect(`${ran.out}${ran.err}`.match(/exited with code 3/g)).toHaveLength(2); // in its log and in the words
    expect(await run(["--exit-code", "job", "--", file])).toMatchObject({ code: 1 });
  });

  test("is too late with its script", async () => {
    const { run, runner } = await setup();
    const ran = await run(["--timeout", "1s", "--", await script("exec sleep 60\n")]);
    expect(ran.err).toMatch(/ timed-out after /);
    expect(ran.code).toBe(124);
    const [id = ""] = /job_\w+/.exec(ran.err) ?? [];
    const minute = 60e9;
    expect(await runner.job(id)).toMatchObject({ execution_timeout: 1e9 + minute });
  });

  test("cancels the job at Ctrl-C and waits for its end", async () => {
    const { start, runner } = await setup();
    const running = start(["--", await script("echo started; exec sleep 600\n")]);
    await expect.poll(() => running.said.out).toContain("started\n");
    running.kill("SIGINT");
    const ended = await running.ended;
    expect(ended.err).toContain("Press Ctrl-C again to exit without waiting.\n");
    expect(ended.code).toBe(130);
    const [id = ""] = /job_\w+/.exec(ended.err) ?? [];
    expect(await runner.job(id)).toMatchObject({ status: "cancelled" });
  });

  test("shows after Ctrl-C what its script prints while it stops", async () => {
    const { start } = await setup();
    const gate = path.join(await testFolder(), "gate");
    const held = `until test -e ${gate}; do sleep 0.05; done`;
    const file = await script(
      `trap 'echo undoing; ${held}; echo undone; exit 9' TERM; echo started; sleep 600 & wait\n`,
    );
    const running = start(["--", file]);
    await expect.poll(() => running.said.out).toContain("started\n");
    running.kill("SIGINT");
    await expect.poll(() => running.said.out).toContain("undoing\n");
    await writeFile(gate, "");
    const ended = await running.ended;
    expect(ended.out).toMatch(/undoing\nundone\n/);
    expect(ended.err).not.toContain("not complete");
    expect(ended.code).toBe(130);
  });

  test("leaves at a second Ctrl-C", async () => {
    const { start } = await setup();
    const file = await script('trap "" TERM; echo started; sleep 20 & wait; wait\n');
    const running = start(["--", file]);
    await expect.poll(() => running.said.out).toContain("started\n");
    running.kill("SIGINT");
    await expect.poll(() => running.said.err).toContain("Cancelling");
    running.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  test("answers the job's fate when its log is refused, and says so", async () => {
    const { runner } = await setup();
    const proxy = await faultProxy(fleet.broker.url);
    proxy.fail("GET /logs/tail", "500");
    const env = { SVC_URL: proxy.url, SVC_TOKEN: runner.operatorToken };
    const file = await script("echo unheard\n");
    const ran = await svc(["job", "run", "--runner", runner.runnerId, "--", file], { env });
    expect(ran.err).toMatch(/^Its log cannot be followed: .+ See it all: svc log show job_\w+$/m);
    expect(ran).toMatchObject({ code: 0, out: "" });
  });

  test("answers the job's fate when nobody reads its log any more", async () => {
    const { start } = await setup();
    const gate = path.join(await testFolder(), "gate");
    const file = await script(
      `echo started; until test -e ${gate}; do sleep 0.05; done; echo more; exit 3\n`,
    );
    const running = start(["--", file]);
    await expect.poll(() => running.said.out).toContain("started\n");
    running.stopReading();
    await writeFile(gate, "");
    const ended = await running.ended;
    expect(ended.err).toMatch(/ failed after .*exited with code 3/);
    expect(ended.code).toBe(3);
  });

  test("does any kind of job by its plan, and prints the job for a program", async () => {
    const { run } = await setup();
    const plan = await script(
      '{"steps": [{"name": "one", "interpolated_command": "echo 1"}]}',
      "plan.json",
    );
    const ran = await run(["--type", "actions-workflow", "--plan", plan, "-o", "json"]);
    expect(JSON.parse(ran.out)).toMatchObject({ status: "finished", type: "actions-workflow" });
    expect(ran.err).toContain("[one] 1\n");
    expect(await run(["--type", "noop", "-o", "name"])).toMatchObject({ code: 0 });
  });

  test("says why a job waits that nobody takes", async () => {
    const { runnerId, operatorToken } = await fleet.addRunner();
    const env = { SVC_URL: fleet.broker.url, SVC_TOKEN: operatorToken };
    const running = startSvc(["job", "run", "--runner", runnerId, "--", "true"], { env });
    await expect.poll(() => running.said.err).toMatch(/^It waits: .+process/m);
    running.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: 130 });
  });

  test.each([
    [[], "A command after -- is required, or --type and --plan.\n"],
    [["--plan", "x.json"], "--plan needs --type.\n"],
    [["--type", "noop", "--", "true"], /cannot be used together with --type or --plan\.\n$/],
    [["--timeout", "31d", "--", "true"], "--timeout must be at most 30d.\n"],
    [["--", "./not-there.sh"], "No such file: ./not-there.sh\n"],
    [["--", process.execPath], /is not a text file: only scripts can be sent\.\n$/],
  ])("refuses %j before anything is enqueued", async (words, said) => {
    const argv = ["job", "run", "--runner", "run_1", ...words];
    const { code, err } = await svc(argv, { env: { SVC_URL: fleet.broker.url } });
    expect(code).toBe(2);
    expect(err).toMatch(said);
  });
});

describe("a script", () => {
  test("sets outputs and hides secrets by the agent's own command", async () => {
    const { run } = await setup();
    const file = await script(
      [
        "printf 'line one\\nline two\\n' | svc-agent output set text",
        `echo '{"n": [1, 2]}' | svc-agent output set --json tree`,
        'echo hush-hush-99 >"$SVC_WORKSPACE/secret"',
        'svc-agent redact add "$SVC_WORKSPACE/secret"',
        "echo told: hush-hush-99",
        'svc-agent output set --value-file "$SVC_WORKSPACE/secret" hidden --secret',
        "svc-agent output set 'not a name' </dev/null || echo refused: $?",
      ].join("\n"),
    );
    const ran = await run(["-o", "json", "--", file]);
    const job = JSON.parse(ran.out) as { status: string; outputs: Record<string, unknown> };
    expect(job.status).toBe("finished");
    expect(job.outputs).toMatchObject({ text: "line one\nline two", tree: { n: [1, 2] } });
    expect(ran.err).toMatch(/told: \*+\n/);
    expect(ran.err).toContain("refused: 1");
    expect(ran.out + ran.err).not.toContain("hush-hush");
  });

  test("learns that there is no job around it", async () => {
    const main = path.join(import.meta.dirname, "..", "..", "agent", "main.ts");
    const asked = run(process.execPath, [main, "output", "set", "x"], { env: {} });
    await expect(asked).rejects.toMatchObject({
      code: 64,
      stderr: "This command only works inside a job that svc-agent runs.\n",
    });
  });
});
