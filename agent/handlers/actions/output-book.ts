import { readFile } from "node:fs/promises";
import path from "node:path";
import { writeWhole } from "../../workspace/write-whole.ts";
import { makeStepOutputs, type StepOutput, type StepOutputs } from "./step-outputs.ts";

/** The outputs of a run, in files in memory: there are secrets among them. */
export type OutputBook = {
  readonly outputs: StepOutputs;
  /** What was set so far survives the agent when this resolves. */
  readonly keep: () => Promise<void>;
  /** What was set so far is in `file`. */
  readonly handOn: () => Promise<void>;
  /** JSON, for later steps. */
  readonly file: string;
};

/** Opens the book of a job in its folder, with what a former process of the agent has kept there. */
export async function openOutputBook(folder: string): Promise<OutputBook> {
  const kept = path.join(folder, "outputs-kept.json");
  const file = path.join(folder, "outputs.json");
  const outputs = await readOutputs(kept);
  const keep = writerOf(kept, () => JSON.stringify(outputs.list()));
  return { outputs, keep, handOn: writerOf(file, () => JSON.stringify(outputs.all())), file };
}

/** One after another, and nothing that is there already. */
function writerOf(file: string, text: () => string): () => Promise<void> {
  let written = "";
  let last: Promise<void> = Promise.resolve();
  const write = async (): Promise<void> => {
    const next = text();
    if (next === written) return;
    await writeWhole(file, { text: next });
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
