import type { Job } from "../../jobs/handler.ts";

const mostSecrets = 2_000;
const mostBytes = 2 * 2 ** 20;

/**
 * From now on these values are redacted in the job's log, outputs and result; if there are very many, only the longest
 * ones.
 */
export function hideAll(job: Job, secrets: readonly string[]): void {
  let bytes = 0;
  let left = 0;
  for (const [at, secret] of secrets.toSorted((a, b) => b.length - a.length).entries()) {
    bytes += secret.length;
    if (at >= mostSecrets || bytes > mostBytes) left += 1;
    else job.addSecret(secret);
  }
  if (left === 0) return;
  const words = `There are too many sensitive values: ${left} of them are hidden only where terraform marks them.`;
  job.log(words, "warn", "", "too many secrets");
}
