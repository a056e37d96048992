import path from "node:path";
import { makeJobFolders, touchJobFile, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { JobDirectories } from "../../jobs/handler.ts";
import type { ActionStep } from "./action-steps.ts";

/** What a step is run by; its files are in memory, for there may be secrets in them. */
export type StepFiles = { readonly argv: readonly string[]; readonly outputFile: string };

/** Makes the files of a step in a folder of its own; those of a step that runs already stay as they are. */
export async function makeStepFiles(
  step: ActionStep,
  { secrets, owner }: Pick<JobDirectories, "secrets" | "owner">,
): Promise<StepFiles> {
  const folder = path.join(secrets, "steps", `${step.index + 1}`);
  await makeJobFolders([folder], owner);
  const outputFile = path.join(folder, "outputs");
  await touchJobFile(outputFile, owner);
  const write = async (file: string, text: string): Promise<void> =>
    await writeJobFileOnce(file, text, owner);
  return { argv: await argvOf(step, path.join(folder, "script"), write), outputFile };
}

/** The script is a file of its own, so that its text is in nobody's list of processes. */
async function argvOf(
  { run }: ActionStep,
  script: string,
  write: (file: string, text: string) => Promise<void>,
): Promise<string[]> {
  if (run.kind === "argv") return [...run.argv];
  const text = run.text.endsWith("\n") ? run.text : `${run.text}\n`;
  await write(script, text);
  return [...(run.shell ?? interpreterOf(text) ?? usualShell), script, ...run.args];
}

const usualShell = ["bash", "--noprofile", "--norc", "-eo", "pipefail"];

/**
 * As the kernel reads a script's first line: where the script lies, nothing may be executed on many hosts. A carriage
 * return of other systems' line ends is not taken for a part of it.
 */
function interpreterOf(text: string): string[] | undefined {
  const [, program, argument = ""] = /^#![ \t]*([^ \t\r\n]+)[ \t]*([^\n]*)/.exec(text) ?? [];
  if (program === undefined) return undefined;
  return argument.trim() === "" ? [program] : [program, argument.trim()];
}
