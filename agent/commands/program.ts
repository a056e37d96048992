import type { Given } from "../../shared/command-line/command.ts";
import { suggest } from "../../shared/command-line/completion.ts";
import { type Explained, helpFlag, type Program } from "../../shared/command-line/program.ts";
import { runProgram } from "../../shared/command-line/run-program.ts";
import { OperatorError } from "../../shared/operator-error.ts";
import type { Environment } from "../config/environment.ts";
import { type GivenFlags, readConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { exitCodes } from "../shutdown/exit-codes.ts";
import { type AgentCommand, settingFlags } from "./agent-command.ts";
import { commandGroups } from "./commands.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The svc-agent command line: runs it, shows its help, completes and documents it. */
export function agentProgram(env: Environment): Program<AgentCommand> {
  const program: Program<AgentCommand> = {
    name: "svc-agent",
    summary: "svc-agent takes jobs of a runner from a broker and runs them on this host.",
    groups: commandGroups,
    footer: "Check this host first: svc-agent doctor",
    exitCodes: Object.values(exitCodes),
    usageCode: exitCodes.usage.code,
    sharedFlags: (command) => [
      settingGroup(command),
      { title: "Flags of every command", flags: helpFlag },
    ],
    run: async (command, given) =>
      await command.run({
        ...given,
        readConfig: () => readConfig(givenSettings(command, given), env),
        env,
        say,
        suggest: (words) => suggest(words, program),
      }),
    explain,
  };
  return program;
}

/** Runs one command line; returns the exit code. */
export async function runLine(argv: readonly string[], env: Environment): Promise<number> {
  return await runProgram(argv, agentProgram(env));
}

/** The settings that were given as flags. */
export function givenSettings(command: AgentCommand, { flags }: Given): GivenFlags {
  const given = Object.keys(settingFlags(command)).map((name) => [name, flags[name]] as const);
  return Object.fromEntries(
    given.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function settingGroup(command: AgentCommand) {
  const settings = "[the agent](agent-reference.md#settings)";
  const named = command.settings === "all" ? `all settings of ${settings}` : `\`--data-dir DIR\``;
  return {
    title:
      "Settings (also SVC_AGENT_… in the environment, or a line in the --config file; flags come first)",
    flags: settingFlags(command),
    ...(command.settings !== undefined && {
      reference: `Flags besides: ${named}, and \`--config FILE\`.`,
    }),
  };
}

function explain(error: unknown): Explained {
  if (error instanceof ExitError)
    return { code: exitCodes[error.exit].code, words: [error.message] };
  if (error instanceof OperatorError)
    return { code: exitCodes.config.code, words: [error.message] };
  const words = error instanceof Error ? String(error.stack) : String(error);
  return { code: exitCodes.failed.code, words: [words] };
}
