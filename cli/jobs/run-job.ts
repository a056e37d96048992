import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { enqueueJobRoute } from "../../shared/api/enqueue-jobs.ts";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runnerJobTypeNames } from "../../shared/runner-job-types.ts";
import { defineCommand } from "../command.ts";
import type { CliConfig } from "../config.ts";
import { readDurationNs, readPairs } from "../flags/read-flags.ts";
import { runnerFlag } from "../flags/runner-flag.ts";
import { recordText } from "../logs/record-text.ts";
import { printItem } from "../output/print.ts";
import { cancelOnInterrupt } from "./cancel-on-interrupt.ts";
import { followJob } from "./follow-job.ts";
import { endWords, statusExitCode, ownCode, ownCodes } from "./job-end.ts";
import { jobDetails, waitingText } from "./job-view.ts";
import { readPlan, withPlan } from "./plan-text.ts";

export const runJob = defineCommand({
  name: "job run",
  summary: "Run a script, a command or any job on a runner, and follow its log.",
  details:
    "COMMAND that is a file here is sent unchanged and run there with the arguments as given; any other is looked for on " +
    "the runner's host. The log goes to standard output, messages to standard error. The exit code is COMMAND's own, or, with " +
    "--exit-code job and of a job with --type, the job's outcome. The exit code does not depend on whether the log could be read to its end. Ctrl-C cancels the job and follows it until it has stopped; a second Ctrl-C exits at once.",
  codes: ownCodes,
  ownsInterrupt: true,
  outlivesReader: true,
  args: {
    command: {
      summary: "After --: a script or a program, and its arguments.",
      isOptional: true,
      isRepeatable: true,
    },
  },
  flags: {
    runner: runnerFlag("The runner that runs the job."),
    env: { value: "NAME=VALUE", isRepeatable: true, summary: "A variable for the script." },
    "hidden-env": {
      value: "NAME",
      isRepeatable: true,
      summary:
        "A variable of your environment to pass to the script; its value is redacted in the log.",
    },
    timeout: { value: "DURATION", summary: "How long the job may run, like 10m." },
    type: {
      value: "TYPE",
      choices: runnerJobTypeNames,
      summary: "The type of the job, if it is not a command.",
    },
    plan: {
      value: "FILE",
      summary: "Its plan, a JSON object, from a file or standard input (-).",
    },
    metadata: { value: "NAME=VALUE", isRepeatable: true, summary: "Metadata for the job." },
    "exit-code": {
      value: "WHOSE",
      choices: ["script", "job"],
      formerly: { fate: "job" },
      summary: "Which exit code to use: the script's (default) or the job's.",
    },
  },
  examples: [
    { does: "Run a local script.", run: "svc job run --runner run_… -- ./check.sh --all" },
    {
      does: "Run a program of the runner's host with a secret.",
      run: "svc job run --runner run_… --hidden-env API_KEY -- curl -sf https://api.example.com",
    },
    {
      does: "Run a job of any type.",
      run: "svc job run --runner run_… --type helm-chart-deploy --plan plan.json",
    },
  ],
  run: async ({ args, flags, call, connect, runnerOf, screen, config }) => {
    const timeoutNs = readDurationNs("--timeout", flags.timeout);
    const body = {
      type: flags.type ?? "actions-workflow",
      metadata: readPairs("--metadata", flags.metadata),
      // A command's own timeout stands in its plan: the broker adds what stopping and reporting take.
      execution_timeout: args.command.length === 0 ? timeoutNs : undefined,
    };
    const [plan, connection, runner_id] = await Promise.all([
      planOf(args.command, flags, { timeoutNs, config }),
      connect(),
      runnerOf(flags.runner),
    ]);
    const { body: job } = await call(enqueueJobRoute, {
      params: { runner_id },
      body,
      bodyText: withPlan(JSON.stringify(body), plan),
    });
    screen.say(`${job.id} is ${job.status}.`);
    cancelOnInterrupt(call, screen, job.id);
    const style = { isRaw: !screen.isTerminal, hasTimestamps: false, hasColor: screen.hasColor };
    // A command is the only step there is.
    const isLone = args.command.length > 0;
    const textOf = (record: LogRecord): string =>
      isLone
        ? recordText({ ...record, step: undefined }, style)
        : recordText(record, { ...style, isRaw: false });
    const isText = screen.format === "table";
    let lastShown: string | undefined;
    const ended = await followJob(
      {
        call,
        connection,
        onRecord: async (record) => {
          (isText ? screen.asIs.out : screen.asIs.say)(textOf(record));
          lastShown = record.body;
          await screen.drained();
        },
        onProgress: screen.status,
        onLogLost: (why) => screen.say(`${why} See it all: svc log show ${job.id}`),
        onWaiting: ({ waiting }) => {
          if (waiting != null)
            screen.say(`It waits: ${waitingText(waiting).replaceAll("\n", "; ")}`);
        },
      },
      job,
    );
    if (!isText) printItem(screen, ended, jobDetails);
    screen.say(endWords(ended.body, screen.isTerminal ? lastShown : undefined));
    return isLone && flags["exit-code"] !== "job"
      ? ownCode(ended.body)
      : statusExitCode(ended.body);
  },
});

type Flags = {
  readonly type: string | undefined;
  readonly plan: string | undefined;
  readonly env: readonly string[];
  readonly "hidden-env": readonly string[];
};
/** The broker heeds no longer one in a plan. */
const longestNs = 30 * 86_400e9;
type PlanParts = { readonly timeoutNs: number | undefined; readonly config: CliConfig };

/** The plan's JSON: the given one, or an action of one step that is the command. */
async function planOf(
  command: readonly string[],
  flags: Flags,
  { timeoutNs, config }: PlanParts,
): Promise<string> {
  const isAction = flags.type === undefined && flags.plan === undefined;
  if (command.length === 0) {
    if (isAction) throw new UsageError("A command after -- is required, or --type and --plan.");
    if (flags.type === undefined) throw new UsageError("--plan needs --type.");
    return flags.plan === undefined ? "" : await readPlan(flags.plan);
  }
  if (!isAction) throw new UsageError("A command cannot be used together with --type or --plan.");
  if (timeoutNs !== undefined && timeoutNs > longestNs)
    throw new UsageError("--timeout must be at most 30d.");
  const step = {
    ...(await stepOf(command)),
    interpolated_env_vars: readPairs("--env", flags.env),
    secret_env_vars: secretsOf(flags["hidden-env"], config),
    ...(timeoutNs !== undefined && { timeout: timeoutNs }),
  };
  return JSON.stringify({ steps: [step], ...(timeoutNs !== undefined && { timeout: timeoutNs }) });
}

/** A file of this place is sent along; anything else is a program of the host's. */
async function stepOf([program = "", ...args]: readonly string[]): Promise<object> {
  const isFile = await stat(program).then(
    (found) => found.isFile(),
    () => false,
  );
  const name = path.basename(program);
  if (!isFile) {
    if (/^\.{0,2}\//.test(program)) throw new UsageError(`No such file: ${program}`);
    return { name, argv: [program, ...args] };
  }
  const bytes = await readFile(program);
  if (bytes.includes(0))
    throw new UsageError(`${program} is not a text file: only scripts can be sent.`);
  if (!isUtf8(bytes)) throw new UsageError(`${program} cannot be sent as it is: it is not UTF-8.`);
  return { name, interpolated_inline_contents: bytes.toString("utf8"), args };
}

function secretsOf(names: readonly string[], { env }: CliConfig): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = env[name];
      if (value === undefined)
        throw new UsageError(`The variable ${name} is not set in your environment.`);
      return [name, value];
    }),
  );
}
