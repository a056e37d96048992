import path from "node:path";
import { makeJobFolders, touchJobFile, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { JobDirectories } from "../../jobs/handler.ts";
import type { ActionStep } from "./action-steps.ts";

/** The command and files of a step; the files are in memory, as they may contain secrets. */
export type StepFiles = { readonly argv: readonly string[]; readonly outputFile: string };

/** Writes the files of a step to a directory of its own; those of a step that already runs are not changed. */
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

/** The script is a file, so that its text does not appear in the list of processes. */
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
 * Reads the script's first line as the kernel would: many hosts do not allow executing files in this directory. A
 * carriage return at the end of that line is not part of it.
 */
function interpreterOf(text: string): string[] | undefined {
  const [, program, argument = ""] = /^#![ \t]*([^ \t\r\n]+)[ \t]*([^\n]*)/.exec(text) ?? [];
  if (program === undefined) return undefined;
  return argument.trim() === "" ? [program] : [program, argument.trim()];
}
