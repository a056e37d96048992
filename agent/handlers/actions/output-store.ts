import { readFile } from "node:fs/promises";
import path from "node:path";
import { writeAtomically } from "../../files/atomic-file.ts";
import { writeJobFile } from "../../job-users/job-files.ts";
import type { JobDirectories } from "../../jobs/handler.ts";
import { makeStepOutputs, type StepOutput, type StepOutputs } from "./step-outputs.ts";

/** The outputs of a run, in files in memory: there are secrets among them. */
export type OutputStore = {
  readonly outputs: StepOutputs;
  /** What was set so far survives the agent when this resolves. */
  readonly keep: () => Promise<void>;
  /** What was set so far is in `file`. */
  readonly handOn: () => Promise<void>;
  /** JSON, for later steps. */
  readonly file: string;
};

/** Opens the book of a job in its folders, with what a former process of the agent has kept there. */
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

/** One after another, and nothing that is there already. */
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
    last = last.catch(() => {}).then(write); // whoever asked for the last one was told
    await last;
  };
}

/** What cannot be read is lost; what was shown of it, the ends of the steps tell. */
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
