import { callRoute } from "../shared/api/call-route.ts";
import type { Given } from "../shared/command-line/command.ts";
import { suggest, type Suggestion } from "../shared/command-line/completion.ts";
import { commandsOf, type Program } from "../shared/command-line/program.ts";
import { UsageError } from "../shared/command-line/usage-error.ts";
import { version } from "../shared/version.ts";
import type { Caller, Command } from "./command.ts";
import { commandGroups } from "./commands.ts";
import { type CliConfig, readCliConfig } from "./config.ts";
import { findConnection } from "./connection/connection.ts";
import { exitCodes } from "./errors/exit-codes.ts";
import { explainError } from "./errors/explain-error.ts";
import { brokerFlags, everyFlags, type GlobalValues } from "./flags/global-flags.ts";
import { makeAsTyped } from "./output/as-typed.ts";
import { openScreen } from "./output/screen.ts";

/** The svc command line: runs it, shows its help, completes it and documents it. */
export const svc: Program<Command> = {
  name: "svc",
  summary:
    "svc runs a job broker, and manages its runners, jobs, logs and deployments from the command line.",
  groups: commandGroups,
  hints: {
    schedule: "Schedules: svc emitter list",
    plan: "A job's plan: svc job get JOB --only-plan",
    state: "Terraform states: svc workspace list",
    chart: "Helm releases: svc release list",
    event: "Events of all jobs: svc api GET /v1/job-events",
    setting: "A group's settings: svc group settings GROUP",
    context: "Brokers and tokens: svc profile list",
  },
  footer: "Start here: svc dev",
  exitCodes: Object.values(exitCodes),
  usageCode: exitCodes.usage.code,
  sharedFlags: ({ isLocal }) => {
    const flags = isLocal === true ? everyFlags : { ...brokerFlags, ...everyFlags };
    return [{ title: "Flags of every command", flags }];
  },
  run: runCommand,
  explain: explainError,
  asTyped: (words) => typedBy(readCliConfig())(words),
};

/** How commands are named to who started this one. */
function typedBy({ launchedAs }: Pick<CliConfig, "launchedAs">): (words: string) => string {
  const names = commandsOf(svc).map(({ name }) => name.split(" ")[0] ?? name);
  return makeAsTyped(launchedAs, [...new Set(names), "COMMAND", "--help"]);
}

async function runCommand(command: Command, given: Given): Promise<number | void> {
  // every value comes from its spec: strings where it has `value`, checked against its `choices`
  const globals = { output: "table", ...given.flags } as unknown as GlobalValues;
  const config = readCliConfig();
  const screen = openScreen({
    format: globals.output,
    asTyped: typedBy(config),
    hasColor: config.hasColor && !globals["no-color"],
    outlivesReader: command.outlivesReader === true,
    canRedraw: config.canRedraw,
  });
  let found: ReturnType<typeof findConnection> | undefined;
  // Once: a token of standard input cannot be read again.
  const connect = async () => await (found ??= findConnection(config, globals));
  const call: Caller = async (route, input) => {
    const { url, token, orgId } = await connect();
    const endpoint = { url, token, orgId, userAgent: `svc-cli/${version}` };
    const answer = callRoute(endpoint, route, input);
    // Of what is asked to wait, its command tells.
    if ("wait" in (input.query ?? {})) return await answer;
    return await screen.during(`Waiting for ${url}: ${route.summary ?? route.path}`, answer);
  };
  if (command.isLocal !== true && command.ownsInterrupt !== true) {
    process.once("SIGINT", () => process.exit(exitCodes.interrupted.code));
  }
  const runnerOf = async (named: string | undefined): Promise<string> => {
    const runnerId = named ?? (await connect()).runnerId;
    if (runnerId !== undefined) return runnerId;
    const hint = "See: svc runner list. A profile can name one: svc profile update --help";
    throw new UsageError("The flag --runner is required: nothing else names a runner.", hint);
  };
  const shared = { screen, config, connect, call, runnerOf, globals, suggest: suggestNext };
  return await command.run({ ...given, ...shared });
}

function suggestNext(words: readonly string[]): Suggestion {
  return suggest(words, svc);
}
