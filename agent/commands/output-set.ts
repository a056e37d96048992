import { ExitError } from "../exit-error.ts";
import type { CommandCall } from "./agent-command.ts";
import { askJob, readValue, surroundingJob } from "./ask-job.ts";

/** Sets an output of the job that this runs in. The value never is an argument: every user of the host reads those. */
export async function setOutput({ words, flags, env }: CommandCall): Promise<number> {
  const job = surroundingJob(env);
  const [name] = words;
  if (name === undefined)
    throw new ExitError("usage", "Name the output: svc-agent output set NAME");
  const text = await readValue(flags["value-file"] ?? "-");
  const value = flags["json"] === undefined ? text : parseJson(text);
  await askJob(job, "/outputs", { name, value, secret: flags["secret"] !== undefined });
  return 0;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ExitError("usage", "The value is no JSON."); // it may be a secret: it is not repeated
  }
}
