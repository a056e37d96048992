import { openRunDir, runDirWish } from "../processes/open-run-dir.ts";
import { type DoctorContext, failed, type Found, ok, warning } from "./finding.ts";

/** Whether the output of running jobs stays in memory until it is redacted. */
export async function checkRunDir({ config }: DoctorContext): Promise<Found> {
  try {
    const runDir = await openRunDir(runDirWish(config));
    if (runDir.isMemory) return ok(`${runDir.path} is in memory.`);
    return warning(
      `${runDir.path} is on disk${runDir.words === undefined ? "" : `: ${runDir.words}`}.`,
      "Output of jobs that is not redacted yet would be written there: give a tmpfs with run-dir.",
    );
  } catch (error) {
    return failed((error as Error).message, "Set run-dir to another directory.");
  }
}
