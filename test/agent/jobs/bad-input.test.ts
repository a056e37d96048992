import { existsSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Bad = {
  readonly what: string;
  readonly step?: object;
  /** In place of a plan with the step. */
  readonly plan?: string;
  readonly status?: "failed" | "finished";
  readonly words: string;
};

const script = (interpolated_command: string, more: object = {}) => ({
  name: "bad",
  interpolated_command,
  ...more,
});
const out = "$SVC_ACTIONS_OUTPUT_FILEPATH";

const bad: readonly Bad[] = [
  {
    what: "a plan of the wrong shape",
    plan: '{"steps": [{"interpolated_command": 7}]}',
    words: "steps.0.interpolated_command",
  },
  {
    what: "a step that says nothing to do",
    step: { name: "bad" },
    words: "bad needs a command or inline contents",
  },
  {
    what: "two steps of one name",
    plan: '{"steps": [{"name":"x","argv":["true"]},{"name":"x","argv":["true"]}]}',
    words: "two steps are named x",
  },
  {
    what: "a step's name that no JSON object of JavaScript's can hold",
    step: { name: "__proto__", argv: ["true"] },
    words: "a step cannot be named __proto__",
  },
  {
    what: "a missing tool",
    step: { name: "bad", argv: ["no-such-tool", "x"] },
    words: "The program no-such-tool was not found",
  },
  {
    what: "a missing tool in a script",
    step: script("no-such-tool x"),
    words: "Step bad exited with code 127",
  },
  {
    what: "a shell that is not there",
    step: script("true", { shell: "fish" }),
    words: "The program fish was not found",
  },
  {
    what: "a folder that is not there",
    step: script("true", { directory: "a/b" }),
    words: "its working directory a/b does not exist",
  },
  {
    what: "a folder outside",
    step: script("true", { directory: "../../.." }),
    words: "outside of the source",
  },
  {
    what: "an outputs file of 1 GB",
    step: script(`truncate -s 1G "${out}"`),
    words: "it has 1073741824 bytes",
  },
  {
    what: "a binary outputs file",
    step: script(`head -c 100 /dev/zero >"${out}"`),
    words: "it is binary",
  },
  {
    what: "an outputs file that is not text",
    step: script(`printf 'a=\\xff\\xfe\\n' >"${out}"`),
    words: "it is not UTF-8",
  },
  {
    what: "an unterminated output",
    step: script(`printf 'a=1\\nb<<END\\nx\\n' >"${out}"`),
    words: "line 2: the end of b, a line",
  },
  {
    what: "an output with no name",
    step: script(`echo '1x=2' >"${out}"`),
    words: "is not a valid output name",
  },
  {
    what: "an output that is too long",
    step: script(`{ printf a=; head -c 70000 /dev/zero | tr '\\0' x; } >"${out}"`),
    words: "the limit is 64 KiB",
  },
  {
    what: "an outputs file that is a link",
    step: script(`ln -sf /etc/passwd "${out}"`),
    words: "symbolic link",
  },
  {
    what: "an outputs file that is a pipe",
    step: script(`rm "${out}"; mkfifo "${out}"`),
    words: "not a regular file",
  },
  {
    what: "a script that deletes its workspace",
    step: script('rm -rf "$SVC_WORKSPACE"'),
    words: "deleted the job's workspace",
  },
  {
    what: "a script that deletes its job's folder in the run directory",
    step: script('rm -rf "$(dirname "$SVC_JOB_SOCKET")"'),
    words: "Step bad deleted the job's folder in the run directory.",
  },
  {
    what: "a script that deletes that folder and fails",
    step: script('rm -rf "$(dirname "$SVC_JOB_SOCKET")"; exit 3'),
    words: "Step bad exited with code 3.",
  },
  {
    what: "a script that deletes the whole run directory",
    step: script('rm -rf "$(dirname "$(dirname "$SVC_JOB_SOCKET")")"; sleep 600'),
    words: "its folder in the run directory was removed",
  },
  {
    what: "a script that closes its stdout",
    step: script("exec >&-; echo x"),
    words: "Step bad exited with code 1",
  },
  {
    what: "a script that kills its parent",
    step: script("kill -9 $PPID; sleep 600"),
    words: "Step bad was lost",
  },
  { what: "a script that kills itself", step: script("kill -9 $$"), words: "SIGKILL" },
  {
    what: "a script that forks a thousand children",
    step: script("for i in $(seq 1000); do setsid sleep 600 >/dev/null 2>&1 & done; exit 3"),
    words: "exited with code 3",
  },
  {
    what: "a script that prints 100 MB in one line",
    step: script("head -c 100000000 /dev/zero | tr '\\0' x; exit 4"),
    words: "exited with code 4",
  },
  {
    what: "a variable that no program can be given",
    step: script("true", { interpolated_env_vars: { A: "x".repeat(200_000) } }),
    words: "too large",
  },
  {
    what: "a source that may not be fetched",
    step: script("true", { git_source: { url: "ext::sh -c true" } }),
    words: "git_source.url of bad is not a single name",
  },
  {
    what: "a source on this host",
    step: script("true", { git_source: { url: "file:///etc" } }),
    words: "is not allowed",
  },
  {
    what: "a source that nobody serves",
    step: script("true", { git_source: { url: "http://127.0.0.1:1/a.git" } }),
    words: "fetching it failed",
  },
];

describe("a bad job fails with words, and the next one runs:", () => {
  test.each(bad)("$what", async ({ step, plan, words }) => {
    const { run, runSteps, agent } = await givenRunnerWithAgent(fleet);
    const ended =
      plan === undefined
        ? await runSteps([step ?? {}])
        : await run({ type: "actions-workflow", plan });
    expect(ended.description).toContain(words);
    expect(ended).toMatchObject({ status: "failed", result: { success: false } });
    expect(ended.result?.error_code).not.toBe(0);
    expect(await runSteps([{ argv: ["true"] }])).toMatchObject({ status: "finished" });
    expect(existsSync(agent.dataDir)).toBe(true);
  });
});
