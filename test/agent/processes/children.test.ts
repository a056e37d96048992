import { readFileSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { findChild } from "../../../agent/processes/find-child.ts";
import { isRunning } from "../../../agent/processes/process-identity.ts";
import { startChild } from "../../../agent/processes/start-child.ts";
import { findMarked } from "../../../agent/processes/sweep-marked.ts";
import { givenChildren, readAll } from "../../support/agent/given-child.ts";
import { patiently } from "../../support/run/folder.ts";

describe("a child", () => {
  test.each([
    ["true", { code: 0, signal: null, why: "exited", words: "exited with code 0" }],
    ["exit 3", { code: 3, signal: null, why: "exited", words: "exited with code 3" }],
    [
      "exit 143",
      { code: 143, signal: null, why: "exited", words: "exited with code 143, as after SIGTERM" },
    ],
    ["kill -SEGV $$", { code: null, signal: "SIGSEGV", why: "exited" }],
    [
      "kill -KILL $$",
      {
        code: null,
        signal: "SIGKILL",
        words: expect.stringContaining("which the agent did not send") as string,
      },
    ],
    ["nothing-of-this-name", { code: 127, words: expect.stringContaining("not found") as string }],
  ])("ends as it ended: %s", async (script, end) => {
    const { bash } = await givenChildren();
    const child = await bash(script);
    expect(await child.exited).toMatchObject(end);
  });

  test("prints what it prints, both streams in one order", async () => {
    const { bash } = await givenChildren();
    const child = await bash("for i in 1 2 3; do echo out $i; echo err $i >&2; done");
    expect(await readAll(child.output)).toBe("out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
  });

  test("may open its own output by name, as scripts do", async () => {
    const { bash } = await givenChildren();
    const child = await bash("echo a >/dev/stdout; echo b >/dev/stderr; echo c >/proc/self/fd/1");
    expect(await readAll(child.output)).toBe("a\nb\nc\n");
  });

  test("gets its arguments as they are", async () => {
    const { start } = await givenChildren();
    const args = ["a b", "", "$HOME", "'\"\\", "x\ny", "-n", "*"];
    const child = await start(["printf", "%s|", ...args]);
    expect(await readAll(child.output)).toBe(args.map((arg) => `${arg}|`).join(""));
  });

  test("has the environment that was asked for, its marker, and nothing else", async () => {
    const { start, executionId, cwd } = await givenChildren();
    const env = { PATH: "/usr/bin:/bin", D: "d", A: "a", N: "n", VALUE: "x\ny=z" };
    const child = await start(["env", "-0"], { env, step: 4 });
    const found = (await readAll(child.output)).split("\0").filter((text) => text !== "");
    // These two the shell before it adds, as any shell does.
    const own = found.filter((text) => !/^(?:OLDPWD|PWD|SHLVL|_)=/.test(text));
    expect(own.toSorted()).toEqual(
      [
        ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
        `SVC_AGENT_EXECUTION=${executionId}`,
        "SVC_AGENT_STEP=4",
      ].toSorted(),
    );
    expect(found).toContain(`PWD=${cwd}`);
  });

  test("reads nothing, makes files for its user only, and is the first to go when memory ends", async () => {
    const { bash, cwd } = await givenChildren();
    const child = await bash("cat; touch made; umask; cat /proc/self/oom_score_adj");
    expect(await readAll(child.output)).toBe("0077\n500\n");
    expect((await stat(path.join(cwd, "made"))).mode & 0o777).toBe(0o600);
  });

  test("leads a session and a group of its own", async () => {
    const { bash } = await givenChildren();
    const child = await bash("echo $$ $(cut -d' ' -f5,6 /proc/$$/stat)");
    const { pid } = child.manifest.leader;
    expect(await readAll(child.output)).toBe(`${pid} ${pid} ${pid}\n`);
  });

  test("holds nothing open of what carries its output but the pipe itself", async () => {
    const { start, runDir } = await givenChildren();
    const child = await start(["sh", "-c", "ls -l /proc/$$/fd"]);
    const open = await readAll(child.output);
    expect(open).not.toContain(runDir);
    expect(open.match(/ [0-9] -> pipe:/g)).toHaveLength(2);
  });

  test("shows nothing of its environment in anybody's arguments", async () => {
    const { bash } = await givenChildren();
    const child = await bash("echo up; sleep 600", {
      env: { PATH: process.env["PATH"] ?? "", SECRET: "hunter-two" },
    });
    const shown = [child.manifest.carrier, child.manifest.supervisor, child.manifest.leader].map(
      ({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "latin1"),
    );
    expect(shown.join()).not.toContain("hunter-two");
    await child.kill();
  });

  test("finds its place although the host has cleaned up the run directory", async () => {
    const { bash, runDir } = await givenChildren();
    await rm(runDir, patiently);
    const child = await bash("echo x");
    expect(await readAll(child.output)).toBe("x\n");
  });

  test("leaves nothing in the run directory when it was removed", async () => {
    const { bash } = await givenChildren();
    const child = await bash("echo x");
    await readAll(child.output);
    await child.remove();
    await expect(stat(child.manifest.dir)).rejects.toThrow("ENOENT");
  });
});

describe("what cannot be started", () => {
  test.each([
    [["no-such-program"], {}, /program no-such-program was not found in PATH/],
    [["./no-such-file"], {}, /program \.\/no-such-file does not exist/],
    [["/proc/version"], {}, /program \/proc\/version does not exist or is not executable/],
    [[], {}, /command is empty/],
    [["true"], { cwd: "/no/such/place" }, /working directory \/no\/such\/place does not exist/],
    [["true", "a\0b"], {}, /NUL/],
    [["true", "x".repeat(200_000)], {}, /E2BIG/],
    [["true"], { env: { PATH: "/usr/bin", BIG: "x".repeat(200_000) } }, /E2BIG/],
  ])("is told in words: %#", async (argv, asked, words) => {
    const { start } = await givenChildren();
    await expect(start(argv, asked)).rejects.toThrow(words);
  });

  test("includes a second child of the same step", async () => {
    const { bash, specOf } = await givenChildren();
    const child = await bash("sleep 600");
    await expect(startChild(specOf(["true"]))).rejects.toThrow(/EEXIST/);
    await child.kill();
  });

  test("leaves nothing behind, and the step may be tried again", async () => {
    const { start } = await givenChildren();
    await expect(start(["true", "x".repeat(200_000)])).rejects.toThrow(/E2BIG/);
    expect((await (await start(["true"])).exited).code).toBe(0);
  });
});

describe("a child whose agent has no file descriptor left", () => {
  const owner = path.join(import.meta.dirname, "..", "..", "support", "agent", "starved-owner.ts");

  test.each([
    ["", { code: 3, why: "exited" }],
    ["SIGKILL", { code: null, why: "lost" }],
  ])("ends as it ended, once there are some again (%s)", async (signal, end) => {
    const { specOf, executionId, runDir } = await givenChildren();
    const script = "trap 'exit 3' USR1; echo up; while :; do sleep 0.05; done";
    const spec = specOf(["bash", "-c", script]);
    const program = [process.execPath, owner, JSON.stringify(spec), signal];
    const starving = execa("bash", ["-c", 'ulimit -n 60; exec "$@"', "", ...program]);
    const manifest = () => findChild(runDir, executionId, 1);
    await expect.poll(manifest).toBeDefined();
    const { supervisor } = manifest() ?? {};
    await expect.poll(() => supervisor && isRunning(supervisor)).toBe(false);
    starving.stdin.end();
    const { stdout } = await starving;
    expect(JSON.parse(stdout)).toMatchObject(end);
    expect(await findMarked(executionId)).toEqual([]);
  });
});
