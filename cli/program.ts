import { callRoute } from "../shared/api/call-route.ts";
import type { Given } from "../shared/command-line/command.ts";
import { suggest, type Suggestion } from "../shared/command-line/completion.ts";
import { commandAtStart } from "../shared/command-line/find-command.ts";
import { readWords } from "../shared/command-line/parse-line.ts";
import type { Program } from "../shared/command-line/program.ts";
import { UsageError } from "../shared/command-line/usage-error.ts";
import { version } from "../shared/version.ts";
import type { Caller, Command } from "./command.ts";
import { type CliConfig, readCliConfig } from "./config.ts";
import type { Connection } from "./connection/connection.ts";
import { exitCodes } from "./errors/exit-codes.ts";
import { explainError } from "./errors/explain-error.ts";
import { brokerFlags, everyFlags, type GlobalValues } from "./flags/global-flags.ts";
import { loadNouns, nouns } from "./load-nouns.ts";
import { makeAsTyped } from "./output/as-typed.ts";
import { openScreen } from "./output/screen.ts";

/**
 * The svc command line with what a line needs of it: the commands of the noun that is typed. Of the others it has the names and
 * summaries, which help and hints need. A line with a flag that the noun's commands lack, or before the noun, is read with all.
 */
export async function programFor(argv: readonly string[]): Promise<Program<Command>> {
  const typed = nounIn(readWords(argv, programOf(await loadNouns([]))).words);
  const program = programOf(await loadNouns([typed]));
  const { words, areFlagsKnown } = readWords(argv, program);
  return areFlagsKnown && nounIn(words) === typed ? program : await wholeProgram();
}

/** The svc command line with all of its commands: what documents it. */
export async function wholeProgram(): Promise<Program<Command>> {
  return programOf(await loadNouns(nouns));
}

const nounIn = (words: readonly string[]): string =>
  (words[0] === "help" ? words[1] : words[0]) ?? "";

const programOf = (groups: Program<Command>["groups"]): Program<Command> => ({
  name: "svc",
  summary:
    "svc runs a job broker, and manages its runners, jobs, logs and deployments from the command line.",
  groups,
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
});

/** How commands are named to who started this one. */
function typedBy({ launchedAs }: Pick<CliConfig, "launchedAs">): (words: string) => string {
  return makeAsTyped(launchedAs, [...nouns, "COMMAND", "--help"]);
}

/** A pause that somebody notices. */
const toldPauseMs = 1500;

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
  const onAgain = ({ message }: Error, ms: number): void => {
    if (ms >= toldPauseMs) screen.say(`${message} Trying again in ${Math.round(ms / 1000)} s.`);
  };
  let found: Promise<Connection> | undefined;
  // Once: a token of standard input cannot be read again.
  const connect = async () => await (found ??= connectionOf(config, globals));
  const call: Caller = async (route, input) => {
    const { url, token, orgId } = await connect();
    const endpoint = { url, token, orgId, userAgent: `svc-cli/${version}`, onAgain };
    const answer = callRoute(endpoint, route, input);
    // Of what is asked to wait, its command tells.
    if ("wait" in (input.query ?? {})) return await answer;
    return await screen.during(`Waiting for ${url}: ${route.summary ?? route.path}`, answer);
  };
  if (command.isLocal !== true && command.ownsInterrupt !== true) process.once("SIGINT", leave);
  const runnerOf = async (named: string | undefined): Promise<string> => {
    const runnerId = named ?? (await connect()).runnerId;
    if (runnerId !== undefined) return runnerId;
    const hint = "See: svc runner list. A profile can name one: svc profile update --help";
    throw new UsageError("The flag --runner is required: nothing else names a runner.", hint);
  };
  const shared = { screen, config, connect, call, runnerOf, globals, suggest: suggestNext };
  try {
    return await command.run({ ...given, ...shared });
  } finally {
    process.off("SIGINT", leave);
  }
}

function leave(): void {
  process.exit(exitCodes.interrupted.code);
}

/** Loaded by who asks a broker. */
async function connectionOf(config: CliConfig, globals: GlobalValues): Promise<Connection> {
  const { findConnection } = await import("./connection/connection.ts");
  return await findConnection(config, globals);
}

/** Until a command is typed, names are enough. */
async function suggestNext(words: readonly string[]): Promise<Suggestion> {
  const names = programOf(await loadNouns([]));
  const before = words.slice(0, -1).filter((word) => !word.startsWith("-"));
  const isTyped = commandAtStart(before, names) !== undefined;
  return suggest(words, isTyped ? programOf(await loadNouns(before.slice(0, 1))) : names);
}
