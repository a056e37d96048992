import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { Environment } from "../config/environment.ts";
import { askJob, readValue, surroundingJob } from "./ask-job.ts";

type OutputCall = {
  readonly args: { readonly name: string };
  readonly flags: {
    readonly "value-file": string | undefined;
    readonly json: boolean;
    readonly secret: boolean;
  };
  readonly env: Environment;
};

type SecretCall = {
  readonly args: { readonly file: string | undefined };
  readonly env: Environment;
};

/**
 * Sets an output of the job that this runs in. The value is never an argument, which every user of the host can read.
 */
export async function setOutput({ args, flags, env }: OutputCall): Promise<void> {
  const job = surroundingJob(env);
  const text = await readValue(flags["value-file"] ?? "-");
  const value = flags.json ? parseJson(text) : text;
  await askJob(job, "/outputs", { name: args.name, value, secret: flags.secret });
}

/** Redacts a secret from the log of the job that this runs in, from the next byte on. */
export async function addSecret({ args, env }: SecretCall): Promise<void> {
  const job = surroundingJob(env);
  const secret = await readValue(args.file ?? "-");
  if (secret === "") throw new UsageError("The secret is empty: there is nothing to redact.");
  await askJob(job, "/secrets", { secret });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError("The value is not valid JSON."); // the value may be a secret, so it is not quoted
  }
}
