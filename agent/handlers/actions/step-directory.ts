import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { JobFailure } from "../../jobs/job-failure.ts";
import { type ActionStep, stepTitle } from "./action-steps.ts";

/** The folder in which a step runs; it is within its source or the workspace, links and all. */
export async function stepDirectory(step: ActionStep, root: string): Promise<string> {
  const { directory } = step;
  const wanted = path.resolve(root, directory);
  const found = await realpath(wanted).catch(() => undefined);
  const isFolder = found !== undefined && (await stat(found)).isDirectory();
  if (!isFolder) {
    throw new JobFailure(`${stepTitle(step)}: there is no folder ${directory || "."} to run in.`, {
      reason: "source_unavailable",
    });
  }
  const base = await realpath(root);
  if (found !== base && !found.startsWith(`${base}${path.sep}`)) {
    throw new JobFailure(
      `${stepTitle(step)}: ${directory} lies outside of where the step may run.`,
      {
        reason: "plan_invalid",
      },
    );
  }
  return found;
}
