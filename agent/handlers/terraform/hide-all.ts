import type { Job } from "../../jobs/handler.ts";

const mostSecrets = 2_000;
const mostBytes = 2 * 2 ** 20;

/** From here on these are nowhere in the job's log, outputs and result; of very many, the longest ones. */
export function hideAll(job: Job, secrets: readonly string[]): void {
  let bytes = 0;
  let left = 0;
  for (const [at, secret] of secrets.toSorted((a, b) => b.length - a.length).entries()) {
    bytes += secret.length;
    if (at >= mostSecrets || bytes > mostBytes) left += 1;
    else job.addSecret(secret);
  }
  if (left === 0) return;
  const words = `${left} sensitive values are too many to be looked for everywhere; where terraform marks them, they are hidden.`;
  job.log(words, "warn", "", "too many secrets");
}
