import { createHash } from "node:crypto";

const longestName = 200;

/** What the emitter of a schedule is called: another schedule is another emitter. */
export function emitterName(what: string, schedule: string): string {
  const whole = `${what}: ${schedule}`;
  if (whole.length <= longestName) return whole;
  return `${what}: ${createHash("sha256").update(schedule).digest("hex")}`;
}
