import { OperatorError } from "../../shared/operator-error.ts";
import type { Environment } from "../config/environment.ts";
import { readConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { exitCodes } from "../shutdown/exit-codes.ts";
import { commandHelp, helpText } from "./help-text.ts";
import { parseLine } from "./parse-line.ts";
import { agentCommands } from "./table.ts";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** Runs one command line; answers the exit code. What the operator can put right is told in one sentence. */
export async function runLine(argv: readonly string[], env: Environment): Promise<number> {
  try {
    const parsed = parseLine(argv, agentCommands);
    if (parsed.kind === "help") {
      const { command } = parsed;
      say(command === undefined ? helpText(agentCommands) : commandHelp(command));
      return 0;
    }
    const { command, words, flags, settings } = parsed;
    return await command.run({
      words,
      flags,
      readConfig: () => readConfig(settings, env),
      env,
      say,
    });
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): number {
  if (error instanceof ExitError) {
    complain(error.message);
    return exitCodes[error.exit].code;
  }
  if (error instanceof OperatorError) {
    complain(error.message);
    return exitCodes.config.code;
  }
  complain(error instanceof Error ? String(error.stack) : String(error));
  return exitCodes.failed.code;
}
