import type { CommandSpec } from "./command.ts";
import { helpText, helpWidth } from "./help-text.ts";
import { parseLine } from "./parse-line.ts";
import type { Explained, Program } from "./program.ts";
import { harmless } from "./terminal-text.ts";
import { UsageError } from "./usage-error.ts";

/** Runs one command line and answers its exit code. What goes wrong is said on standard error, in words. */
export async function runProgram<C extends CommandSpec>(
  argv: readonly string[],
  program: Program<C>,
): Promise<number> {
  try {
    const parsed = parseLine(argv, program);
    if (parsed.kind === "run") return (await program.run(parsed.command, parsed.given)) ?? 0;
    process.stdout.write(`${helpText(parsed.words, program, helpWidth(process.stdout))}\n`);
    return 0;
  } catch (error) {
    const { code, words } = explain(error, program);
    const said = program.asTyped?.(words.join("\n")) ?? words.join("\n");
    process.stderr.write(`${harmless(said)}\n`); // a broker repeats what others wrote
    return code;
  }
}

function explain(error: unknown, program: Program): Explained {
  if (!(error instanceof UsageError)) return program.explain(error);
  const { message, hint } = error;
  return { code: program.usageCode, words: hint === "" ? [message] : [message, hint] };
}
