import { readFile } from "node:fs/promises";
import path from "node:path";
import { writeAtomically } from "../../files/atomic-file.ts";
import { writeJobFile } from "../../job-users/job-files.ts";
import type { JobDirectories } from "../../jobs/handler.ts";
import { makeStepOutputs, type StepOutput, type StepOutputs } from "./step-outputs.ts";

/** The outputs of a run, in files in memory, as they may contain secrets. */
export type OutputStore = {
  readonly outputs: StepOutputs;
  /** Stores what was set so far; when it resolves, a restart of the agent does not lose it. */
  readonly keep: () => Promise<void>;
  /** Writes what was set so far to `file`. */
  readonly handOn: () => Promise<void>;
  /** The outputs as JSON, for later steps. */
  readonly file: string;
};

/** Opens the outputs of a job, with those that an earlier process of the agent stored. */
export async function openOutputStore({
  agentOnly: folder,
  secrets,
  owner,
}: Pick<JobDirectories, "agentOnly" | "secrets" | "owner">): Promise<OutputStore> {
  const kept = path.join(folder, "outputs-kept.json");
  const file = path.join(secrets, "outputs.json");
  const outputs = await readOutputs(kept);
  return {
    outputs,
    keep: writerOf(
      () => JSON.stringify(outputs.list()),
      async (text) => await writeAtomically(kept, { text }),
    ),
    handOn: writerOf(
      () => JSON.stringify(outputs.all()),
      async (text) => await writeJobFile(file, text, owner),
    ),
    file,
  };
}

/** Writes one after another, and only when the text has changed. */
function writerOf(text: () => string, put: (text: string) => Promise<void>): () => Promise<void> {
  let written = "";
  let last: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const next = text();
    if (next === written) return;
    await put(next);
    written = next;
  };
  return async () => {
    last = last.catch(() => {}).then(write); // its own caller got that error
    await last;
  };
}

/** Unreadable outputs are lost; those of finished steps that are not secret are also stored with the steps' results. */
async function readOutputs(file: string): Promise<StepOutputs> {
  const outputs = makeStepOutputs();
  const text = await readFile(file, "utf8").catch(() => "[]");
  for (const { step, name, value, isSecret } of parsed(text)) {
    outputs.set(step, name, value, isSecret);
  }
  return outputs;
}

function parsed(text: string): readonly StepOutput[] {
  try {
    return JSON.parse(text) as StepOutput[]; // written by `keep`
  } catch {
    return [];
  }
}
