import path from "node:path";
import { readJobText } from "../../job-users/job-files.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import type { MakeRenderer } from "../../logs/line-renderer.ts";
import { type EngineEvents, readEvents } from "./engine-events.ts";
import type { PulumiContext } from "./pulumi-context.ts";

/** One command of pulumi. */
export type PulumiCommand = {
  /** Names it within the job; the same name is the same run. */
  readonly key: string;
  /** Its name in messages and in the log: "preview". */
  readonly step: string;
  readonly args: readonly string[];
  /** It may run again after a power failure: the job fails then anyway. */
  readonly isRepeatable?: true;
};

/** How it ended, what its engine told, and the last lines that it printed, without secrets. */
export type Ran = EngineEvents & {
  readonly end: CommandEnd;
  readonly words: readonly string[];
  /** It told more than is read: what it would do is known in part. */
  readonly isCut: boolean;
};

const quiet = ["--non-interactive", "--color", "never", "--suppress-permalink=true"];
const mostEventBytes = 96 * 2 ** 20;

/**
 * Runs pulumi on the job's stack to its end, as a child that outlives the agent. Its engine writes what it does to a file in
 * memory: what it prints is for people.
 */
export async function runPulumi(context: PulumiContext, command: PulumiCommand): Promise<Ran> {
  const { job, run, program, cwd, env, stop, files, progress } = context;
  const { key, step, args, isRepeatable } = command;
  const events = path.join(files.memory, `${key.replaceAll("/", "-")}.events`);
  const where = ["--stack", run.stackName, "--config-file", files.config, "--event-log", events];
  progress.phase(step, "in-progress");
  const end = await job.run({
    key,
    step,
    argv: [program, ...args, ...where, ...quiet],
    cwd,
    env,
    stop,
    render: keepWords,
    ...(isRepeatable !== undefined && { isRepeatable }),
  });
  progress.phase(step, statusOf(end), end.words);
  const text = await readJobText(events, job.directories.owner, mostEventBytes);
  const isCut = Buffer.byteLength(text) >= mostEventBytes;
  const words = JSON.parse(end.kept ?? "[]") as string[]; // `keepWords` wrote it
  return { end, words, isCut, ...readEvents(text, job.redact) };
}

/** Whether it exited by itself, without an error. */
export function isWell({ end }: Pick<Ran, "end">): boolean {
  return end.why === "exited" && end.code === 0;
}

const mostWords = 15;
const mostWord = 300;

/** Passes on what pulumi prints, and keeps the last lines: what it says before its engine runs is nowhere else. */
const keepWords: MakeRenderer = (kept) => {
  const words = kept === undefined || kept === "" ? [] : (JSON.parse(kept) as string[]); // written below
  return {
    line: (line) => {
      if (line.trim() !== "") words.push(line.trim().slice(0, mostWord).toWellFormed());
      if (words.length > mostWords) words.shift();
      return [{ text: line }];
    },
    tooLong: () => [{ text: "(a line that was too long was omitted)" }],
    kept: () => JSON.stringify(words),
  };
};

function statusOf({ why, code }: CommandEnd): "finished" | "timed-out" | "error" {
  if (why === "timed-out") return "timed-out";
  return why === "exited" && code === 0 ? "finished" : "error";
}
