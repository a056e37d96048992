import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const command = (interpolated_command: string, more: object = {}) => ({
  interpolated_command,
  ...more,
});
/** A step that sets an output from a shell's expression. */
const tell = (name: string, expression: string, more: object = {}) =>
  command(`printf '%s\n' ${name}="${expression}" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`, more);

describe("an action", () => {
  test("runs its steps in order and hands on what they set, merged and by step", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      tell("color", "red", { name: "one" }),
      tell("size", "3", { name: "two" }),
      tell("color", "blue", { name: "three" }),
    ]);
    expect(ended).toMatchObject({ status: "finished", result: { success: true, error_code: 0 } });
    expect(ended.outputs).toEqual({
      color: "blue",
      size: "3",
      steps: { one: { color: "red" }, two: { size: "3" }, three: { color: "blue" } },
    });
  });

  test("has what is ours by the names of its plan's brands, too", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const script =
      'printf "job=%s\\ninstall=%s\\nown=%s\\n" "$ACME_JOB_ID" "$ACME_INSTALL_ID" "$ACME_MODE" >>"$ACME_ACTIONS_OUTPUT_FILEPATH"';
    const plan = {
      brands: ["acme", "npm"],
      install_id: "ins_a",
      builtin_env_vars: { ACME_MODE: "m", ACME_JOB_ID: "other", ACME_WORKSPACE: "other" },
      override_env_vars: { SVC_API_URL: "http://override.example" },
    };
    const steps = [
      command(script),
      command('test -z "${NPM_JOB_ID+x}" && test "$SVC_JOB_ID" = "$ACME_JOB_ID"'),
      command('test "$SVC_WORKSPACE" = "$ACME_WORKSPACE"'),
      command('test "$ACME_API_URL" = http://override.example'),
    ];
    const ended = await runSteps(steps, plan);
    expect(ended).toMatchObject({ status: "finished", outputs: { install: "ins_a", own: "m" } });
  });

  test("finds the interpreter of a script whose lines end as on Windows", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const script = '#!/bin/sh\r\necho "ran=yes" >>"$SVC_ACTIONS_OUTPUT_FILEPATH" #\r\n';
    const ended = await runSteps([{ name: "crlf", interpolated_inline_contents: script }]);
    expect(ended).toMatchObject({ status: "finished", outputs: { ran: "yes" } });
  });

  test("keeps the quoting of commands, and arguments as they are", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const script =
      '#!/bin/sh\nprintf "n=%s\\nsecond=%s\\n" "$#" "$2" >"$SVC_ACTIONS_OUTPUT_FILEPATH"';
    const ended = await runSteps([
      command(`set -- "a b" 'c  "d"'; echo "quoted=$# $2" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`),
      { name: "args", interpolated_inline_contents: script, args: ["x", "y  $HOME `z`"] },
      {
        name: "argv",
        argv: ["sh", "-c", 'echo "argv=$1" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"', "sh", "a  *"],
      },
      {
        name: "shell",
        shell: "sh -u",
        interpolated_command:
          'case $- in *u*) echo flags=u >>"$SVC_ACTIONS_OUTPUT_FILEPATH";; esac',
      },
    ]);
    expect(ended.outputs).toMatchObject({
      quoted: '2 c  "d"',
      n: "2",
      second: "y  $HOME `z`",
      argv: "a  *",
      flags: "u",
    });
  });

  test("ends at the first command that fails, in the midst of a pipe, too", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      tell("reached", "yes", { name: "first" }),
      command("exit 7 | cat\necho not-reached=1 >>$SVC_ACTIONS_OUTPUT_FILEPATH", {
        name: "second",
      }),
      tell("third", "yes"),
    ]);
    expect(ended).toMatchObject({
      status: "failed",
      description: "Step second exited with code 7.",
      outputs: { reached: "yes", steps: { first: { reached: "yes" } } },
      result: {
        success: false,
        error_code: 7,
        error_metadata: { reason: "step_failed", step: "second", step_index: "1" },
      },
    });
    expect(ended.outputs).not.toHaveProperty("third");
  });

  test("goes on after a step that may fail, and runs always-steps after one that may not", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const forgiven = await runSteps([
      command("exit 3", { name: "weak", continue_on_error: true }),
      tell("after", "yes"),
    ]);
    expect(forgiven).toMatchObject({ status: "finished", outputs: { after: "yes" } });
    const failed = await runSteps([
      command("exit 3", { name: "strong" }),
      tell("skipped", "no"),
      tell("always", "yes", { always: true }),
    ]);
    expect(failed).toMatchObject({ status: "failed", outputs: { always: "yes" } });
    expect(failed.description).toContain("strong exited with code 3");
    expect(failed.outputs).not.toHaveProperty("skipped");
  });

  test("gives steps the plan's variables, a few of the host's, and none of the agent's", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps(
      [
        {
          name: "env",
          interpolated_env_vars: { A: "step", B: "step", LD_PRELOAD: "/x.so" },
          interpolated_command:
            'env >e; { echo "vars=$A $B $C"; echo "agent=$(grep -c "^SVC_AGENT_TOKEN\\|^LD_PRELOAD\\|^VITEST" e || true)"; ' +
            'echo "home=$HOME"; echo "install=$SVC_INSTALL_ID"; echo "api=$SVC_API_URL"; } >>"$SVC_ACTIONS_OUTPUT_FILEPATH"',
        },
      ],
      {
        install_id: "ins_9",
        builtin_env_vars: { A: "builtin", B: "builtin", C: "builtin" },
        override_env_vars: { B: "override" },
      },
    );
    expect(ended.outputs).toMatchObject({
      vars: "step override builtin",
      agent: "0",
      install: "ins_9",
      api: fleet.broker.url,
    });
    expect(ended.outputs["home"]).toContain("/work/exe_");
  });

  test("shows later steps what earlier ones set", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      command(`echo '{"a": {"b": [1]}}' >"$SVC_ACTIONS_OUTPUT_FILEPATH"`, { name: "json" }),
      command(
        'printf "seen<<END\\n%s\\nEND\\n" "$(cat "$SVC_ACTIONS_PREVIOUS_OUTPUTS_FILEPATH")" >"$SVC_ACTIONS_OUTPUT_FILEPATH"',
      ),
    ]);
    expect(ended.outputs["a"]).toEqual({ b: [1] });
    expect(JSON.parse(String(ended.outputs["seen"]))).toEqual({
      a: { b: [1] },
      steps: { json: { a: { b: [1] } } },
    });
  });

  test("takes secrets out of outputs and of what it says", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      {
        name: "leak",
        secret_env_vars: { API_TOKEN: "hunter2-hunter2" },
        interpolated_command:
          'echo "leaked=x${API_TOKEN}y" >"$SVC_ACTIONS_OUTPUT_FILEPATH"; mkdir "$API_TOKEN"; cd "$API_TOKEN"',
      },
      { name: "hunter2-hunter2", interpolated_command: "exit 1" },
    ]);
    expect(JSON.stringify(ended)).not.toContain("hunter2-hunter2");
    expect(ended.outputs["leaked"]).toMatch(/^x.+y$/);
  });

  test("tells nothing that it cannot understand of an outputs file", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      {
        name: "json",
        secret_env_vars: { API_TOKEN: "s3cretValue-of-the-database" },
        interpolated_command: `echo "{\\"password\\": $API_TOKEN}" >"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
      },
    ]);
    expect(ended.description).toContain("it is not a JSON object: line 1, column 14");
    expect(JSON.stringify(ended)).not.toContain("s3cret");
  });

  test("may have steps and outputs with the names that objects have by themselves", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      tell("entries", "1", { name: "constructor" }),
      tell("constructor", "2", { name: "valueOf" }),
    ]);
    expect(ended).toMatchObject({ status: "finished", outputs: { entries: "1" } });
    expect(Object.entries(ended.outputs["steps"] as object)).toEqual([
      ["constructor", { entries: "1" }],
      ["valueOf", { constructor: "2" }],
    ]);
  });

  test("leaves nothing behind: no folder, no process, no secret", async () => {
    const { agent, runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps(
      [
        command(
          "setsid -f sleep 3600 </dev/null >/dev/null 2>&1; mkdir -p a/b; chmod 500 a; " +
            'echo "config=$KUBECONFIG" >"$SVC_ACTIONS_OUTPUT_FILEPATH"; stat -c mode=%a "$KUBECONFIG" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"',
        ),
      ],
      { cluster_info: { id: "c1", endpoint: "https://127.0.0.1:1", token: "kube-secret-token" } },
    );
    expect(ended).toMatchObject({ status: "finished", outputs: { mode: "600" } });
    await until(() => agent.status().jobs.length === 0); // it tidies after its end is told
    expect(existsSync(String(ended.outputs["config"]))).toBe(false);
    expect(readdirSync(path.join(agent.dataDir, "work"))).toEqual([]);
    expect(readdirSync(path.join(agent.dataDir, "executions"))).toEqual([]);
  });

  test("reports its steps as it goes", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const steps = [
      { run_id: "stp_1", interpolated_command: "true" },
      { run_id: "stp_2", interpolated_command: "exit 1" },
    ];
    const { id } = await runSteps(steps, { id: "awr_1", install_id: "ins_1" });
    const reported = async (): Promise<string[]> => {
      const rows = await fleet.db<{ status: string }[]>`
        select status from action_run_steps where runner_job_id = ${id} order by step_id`;
      return rows.map(({ status }) => status);
    };
    await expect.poll(reported).toEqual(["finished", "error"]);
  });
});
