import type { JobCommand } from "../../jobs/handler.ts";
import type { ResourceStep } from "../../jobs/open-progress.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { renderStream } from "./render-stream.ts";
import { renderText, saidInText } from "./render-text.ts";
import { openSaid, type Said } from "./said.ts";
import type { TerraformContext } from "./terraform-context.ts";

/** One run of terraform. */
export type TerraformCommand = {
  /** Names it within the job; the same name is the same run. */
  readonly key: string;
  /** What it is called in sentences and in the log: "plan". */
  readonly step: string;
  readonly args: readonly string[];
  /**
   * `stream`: records of `-json`, told to people as sentences. `text`: what people read. A file: what is printed goes
   * there, for the agent alone.
   */
  readonly output: "stream" | "text" | { readonly file: string };
  readonly onStep?: (step: ResourceStep) => void;
  /** Added to the environment of all commands. */
  readonly env?: Readonly<Record<string, string>>;
  readonly isCleanup?: boolean;
  /** It may be run again after a power cut, which ends the job: what is in memory is gone. */
  readonly isRepeatable?: true;
  /** What is run after it, as far as is known; it is made ready meanwhile. */
  readonly next?: TerraformCommand;
};

/** How a run of terraform ended, and what it said. */
export type Ran = { readonly end: CommandEnd; readonly said: Said };

/**
 * Runs terraform to its end: a child that outlives the agent, and that is stopped by one SIGINT to itself alone, for
 * its providers die of a signal that it survives.
 */
export async function runTerraform(
  context: TerraformContext,
  command: TerraformCommand,
): Promise<Ran> {
  const { job, progress } = context;
  const { step, output } = command;
  progress.phase(step, "in-progress");
  const end = await job.run(jobCommand(context, command));
  progress.phase(step, statusOf(end), end.words);
  return { end, said: output === "stream" ? openSaid(end.kept) : saidInText(end.kept) };
}

/** Makes a run ready that is to come soon. */
export function makeTerraformReady(context: TerraformContext, command: TerraformCommand): void {
  context.job.makeReady(jobCommand(context, command));
}

function jobCommand(context: TerraformContext, command: TerraformCommand): JobCommand {
  const { program, cwd, env, stop } = context;
  const { key, step, args, output, onStep = () => {}, isCleanup, isRepeatable, next } = command;
  const isFile = typeof output === "object";
  const argv = [program, ...args];
  return {
    key,
    step,
    // The shell becomes terraform: a signal reaches that.
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
  // `plan -detailed-exitcode` says by 2 that there is something to do.
  return why === "exited" && (code === 0 || code === 2) ? "finished" : "error";
}

/** Whether it ended as it was to: by itself, with one of these codes. */
export function isWell({ end }: Ran, codes: readonly number[] = [0]): boolean {
  return end.why === "exited" && end.code !== null && codes.includes(end.code);
}
