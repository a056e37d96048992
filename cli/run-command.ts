import { callRoute } from "../shared/api/call-route.ts";
import { version } from "../shared/version.ts";
import type { Caller, Command } from "./command.ts";
import { type CliConfig, readCliConfig } from "./config.ts";
import { findConnection } from "./connection.ts";
import { exitCodes } from "./exit-codes.ts";
import { explainError } from "./explain-error.ts";
import { harmless } from "./harmless.ts";
import { helpText } from "./help-text.ts";
import { type Parsed, parseCommand } from "./parse-command.ts";
import { openScreen } from "./screen.ts";

/** Runs one command line and answers its exit code. What goes wrong is said on standard error, never as a stack. */
export async function runCommand(
  argv: readonly string[],
  commands: readonly Command[],
): Promise<number> {
  try {
    const parsed = parseCommand(argv, commands);
    if (parsed.kind === "run") return await run(parsed, readCliConfig());
    process.stdout.write(`${helpText(parsed.words, commands)}\n`);
    return exitCodes.ok.code;
  } catch (error) {
    const { code, words } = explainError(error);
    process.stderr.write(`${harmless(words.join("\n"))}\n`); // a broker repeats what others wrote
    return code;
  }
}

async function run(parsed: Parsed & { kind: "run" }, config: CliConfig): Promise<number> {
  const { command, args, flags, globals } = parsed;
  const screen = openScreen({
    format: globals.output,
    hasColor: config.hasColor && !globals["no-color"],
    outlivesReader: command.outlivesReader === true,
  });
  const connect = async () => await findConnection(config, globals);
  const call: Caller = async (route, input) => {
    const { url, token, orgId } = await connect();
    return await callRoute({ url, token, orgId, userAgent: `svc-cli/${version}` }, route, input);
  };
  if (command.isLocal !== true && command.ownsInterrupt !== true) {
    process.once("SIGINT", () => process.exit(exitCodes.interrupted.code));
  }
  return (await command.run({ args, flags, screen, config, connect, call })) ?? exitCodes.ok.code;
}
