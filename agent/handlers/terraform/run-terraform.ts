import type { JobCommand } from "../../jobs/handler.ts";
import type { ResourceStep } from "../../jobs/open-progress.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { renderStream } from "./render-stream.ts";
import { renderText, saidInText } from "./render-text.ts";
import { openSaid, type Said } from "./said.ts";
import type { TerraformContext } from "./terraform-context.ts";

/** One terraform command. */
export type TerraformCommand = {
  /** Names it within the job; the same name is the same run. */
  readonly key: string;
  /** Its name in messages and in the log: "plan". */
  readonly step: string;
  readonly args: readonly string[];
  /**
   * `stream`: records of `-json`, rendered for people. `text`: text for people. A file: the output goes there, for the
   * agent only.
   */
  readonly output: "stream" | "text" | { readonly file: string };
  readonly onStep?: (step: ResourceStep) => void;
  /** Added to the environment of all commands. */
  readonly env?: Readonly<Record<string, string>>;
  readonly isCleanup?: boolean;
  /** It may run again after a power failure: the job fails then anyway, as what is in memory is lost. */
  readonly isRepeatable?: true;
  /** The command that probably follows; it is prestarted meanwhile. */
  readonly next?: TerraformCommand;
};

/** What a terraform command needs. */
export type TerraformCaller = Pick<
  TerraformContext,
  "job" | "progress" | "program" | "cwd" | "env" | "stop"
>;

/** How a terraform command ended, and its errors and counts. */
export type Ran = { readonly end: CommandEnd; readonly said: Said };

/**
 * Runs terraform to its end, as a child that outlives the agent. A stop is one SIGINT to terraform only: its providers
 * would die of a signal that it survives.
 */
export async function runTerraform(
  context: TerraformCaller,
  command: TerraformCommand,
): Promise<Ran> {
  const { job, progress } = context;
  const { step, output } = command;
  progress.phase(step, "in-progress");
  const end = await job.run(jobCommand(context, command));
  progress.phase(step, statusOf(end), end.words);
  return { end, said: output === "stream" ? openSaid(end.kept) : saidInText(end.kept) };
}

/** Prestarts a command that will run soon. */
export function makeTerraformReady(context: TerraformCaller, command: TerraformCommand): void {
  context.job.makeReady(jobCommand(context, command));
}

function jobCommand(context: TerraformCaller, command: TerraformCommand): JobCommand {
  const { program, cwd, env, stop } = context;
  const { key, step, args, output, onStep = () => {}, isCleanup, isRepeatable, next } = command;
  const isFile = typeof output === "object";
  const argv = [program, ...args];
  return {
    key,
    step,
    // The shell is replaced by terraform, so that signals reach terraform.
    argv: isFile ? ["sh", "-c", 'umask 077; exec "$@" >"$SVC_OUT"', "svc", ...argv] : argv,
    cwd,
    env: { ...env, ...command.env, ...(isFile && { SVC_OUT: output.file }) },
    stop,
    render: output === "stream" ? renderStream(onStep) : renderText,
    ...(isCleanup !== undefined && { isCleanup }),
    ...(isRepeatable !== undefined && { isRepeatable }),
    ...(next !== undefined && { next: jobCommand(context, next) }),
  };
}

function statusOf({ why, code }: CommandEnd): "finished" | "timed-out" | "error" {
  if (why === "timed-out") return "timed-out";
  // `plan -detailed-exitcode` exits with 2 when there are changes.
  return why === "exited" && (code === 0 || code === 2) ? "finished" : "error";
}

/** Whether it exited by itself with one of these codes. */
export function isWell({ end }: Ran, codes: readonly number[] = [0]): boolean {
  return end.why === "exited" && end.code !== null && codes.includes(end.code);
}
