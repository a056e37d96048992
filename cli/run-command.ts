import { BrokerUnreachable, callRoute, RequestRefused } from "../shared/api/call-route.ts";
import { OperatorError } from "../shared/operator-error.ts";
import { Problem } from "../shared/problem.ts";
import { version } from "../shared/version.ts";
import type { Caller, Command } from "./command.ts";
import { type CliConfig, readCliConfig } from "./config.ts";
import { findConnection } from "./connection.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { helpText } from "./help-text.ts";
import { type Parsed, parseCommand } from "./parse-command.ts";
import { openScreen } from "./screen.ts";
import { UsageError } from "./usage-error.ts";

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
    const { code, words } = explain(error);
    process.stderr.write(`${words.join("\n")}\n`);
    return code;
  }
}

async function run(parsed: Parsed & { kind: "run" }, config: CliConfig): Promise<number> {
  const { command, args, flags, globals } = parsed;
  const screen = openScreen(globals.output, config.hasColor && !globals["no-color"]);
  const connect = async () => await findConnection(config, globals);
  const call: Caller = async (route, input) => {
    const { url, token, orgId } = await connect();
    return await callRoute({ url, token, orgId, userAgent: `svc-cli/${version}` }, route, input);
  };
  if (command.isLocal !== true) {
    process.once("SIGINT", () => process.exit(exitCodes.interrupted.code));
  }
  return (await command.run({ args, flags, screen, config, connect, call })) ?? exitCodes.ok.code;
}

function explain(error: unknown): { code: number; words: string[] } {
  if (error instanceof UsageError) {
    const words = error.hint === "" ? [error.message] : [error.message, error.hint];
    return { code: exitCodes.usage.code, words };
  }
  if (error instanceof RequestRefused) {
    return { code: exitCodeOf(error.status), words: refusalWords(error) };
  }
  if (error instanceof BrokerUnreachable) {
    return { code: exitCodes.unavailable.code, words: [error.message, "Start one with: svc dev"] };
  }
  if (error instanceof Problem) {
    return {
      code: exitCodeOf(error.status),
      words: problemWords(error),
    };
  }
  if (error instanceof OperatorError)
    return { code: exitCodes.failed.code, words: [error.message] };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: exitCodes.failed.code, words: [`svc has a fault. ${message}`] };
}

function refusalWords(error: RequestRefused): string[] {
  const hint = error.status === 401 ? ["Set SVC_TOKEN, or save a token with: svc auth login"] : [];
  const request = error.requestId === "" ? [] : [`Request ${error.requestId}`];
  return [...problemWords(error), ...hint, ...request];
}

/** What is wrong, and where; a single place is in the message already. */
function problemWords({ message, errors }: Pick<Problem, "message" | "errors">): string[] {
  const pointed = errors.map(({ pointer, detail }) => `  ${pointer}  ${detail}`);
  const [only] = errors;
  const isSaid = errors.length === 1 && message.includes(only?.pointer ?? "");
  return isSaid ? [message] : [message, ...pointed];
}
