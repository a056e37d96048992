import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { type DoctorContext, failed, type Found, leftOut, ok, warning } from "./finding.ts";

const othersMayWrite = 0o022;

/** Whether the approver of `require-approval` can be asked, and only the operator controls it. */
export async function checkApproval({ config }: DoctorContext): Promise<Found> {
  const place = config.requireApproval;
  if (place === undefined) return leftOut("No approval is needed: require-approval is not set.");
  const found = await stat(place).catch(() => undefined);
  if (found === undefined)
    return failed(`${place} does not exist: every job that changes something is refused.`);
  const right = found.isDirectory() ? constants.W_OK | constants.X_OK : constants.X_OK;
  const isUsable = await access(place, right).then(
    () => true,
    () => false,
  );
  const what = found.isDirectory() ? "a folder for requests" : "a program";
  if (!isUsable) {
    const words = found.isDirectory() ? "written to" : "run";
    return failed(
      `${place}, ${what}, cannot be ${words} by this user: every job that changes something is refused.`,
    );
  }
  if ((found.mode & othersMayWrite) === 0) return ok(`${place}, ${what}, approves jobs.`);
  const words = `${place}, ${what}, can be changed by users other than its owner, who could then approve jobs.`;
  return warning(words, `chmod go-w ${place}, unless its group consists of those who may approve.`);
}
