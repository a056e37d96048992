import { ExitError } from "../exit-error.ts";
import type { CommandCall } from "./agent-command.ts";
import { askJob, readValue, surroundingJob } from "./ask-job.ts";

/** Hides a secret in the log of the job that this runs in, from the next byte on. */
export async function addSecret({ words, env }: CommandCall): Promise<number> {
  const job = surroundingJob(env);
  const secret = await readValue(words[0] ?? "-");
  if (secret === "") throw new ExitError("usage", "There is nothing to hide: the secret is empty.");
  await askJob(job, "/secrets", { secret });
  return 0;
}
