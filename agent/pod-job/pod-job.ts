import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ExitError } from "../exit-error.ts";
import { claimedJobSchema } from "../running-job.ts";

const schema = z.object({
  version: z.literal(1),
  broker_url: z.url(),
  runner_id: z.string(),
  /** Without its plan, which the broker gives to the job's token. */
  ...claimedJobSchema.omit({ plan: true }).shape,
  /** The runner's settings that jobs use. */
  settings: z.looseObject({ sandbox_mode: z.boolean() }),
});

/** A job that another process claimed, and all that is needed to run it elsewhere. */
export type PodJob = z.infer<typeof schema>;

/** The text of the job file; it contains the job's token. */
export function podJobText(job: Omit<PodJob, "version">): string {
  return JSON.stringify({ version: 1, ...job });
}

/** Reads a job file. Throws an ExitError that says what is wrong without quoting the file. */
export async function readPodJob(file: string): Promise<PodJob> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new ExitError("config", `The job in ${file} cannot be read (${code}).`);
  });
  const { data, error } = schema.safeParse(parsed(text));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const where = issue?.path.join(".") || "its text";
  const words = `${file} is not a job file written by svc-agent start (${where} is invalid)`;
  throw new ExitError("config", `${words}. The agent and its pods must have the same version.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
