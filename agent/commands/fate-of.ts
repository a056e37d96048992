/** What the exit code says of how a job ended; the same as that of `svc job run --exit-code fate`. */
const fates: Readonly<Record<string, number>> = { finished: 0, "timed-out": 124, cancelled: 130 };
const otherFate = 1;

/** The exit code for the status in which a job ended. */
export function fateOf(status: string): number {
  return fates[status] ?? otherFate;
}
