import { parsePipeline, TemplateFault } from "./parse-pipeline.ts";
import type { Action } from "./template-actions.ts";

/** Words at the begin of an action, and how many pieces are before its pipeline. */
const begins: ReadonlyMap<string, number> = new Map([
  ["if", 1],
  ["with", 1],
  ["range", 1],
  ["else", 2],
  ["template", 2],
  ["block", 2],
]);

/** Where the pipeline of an action begins. */
export const pipelineAt = (word: string): number => begins.get(word) ?? 0;

/** Whether an action could be one of ours, as far as its form goes. */
export function isReadable(word: string, { tokens, from }: Action): boolean {
  const begin = pipelineAt(word);
  if (begin === 2 && tokens.length <= begin) return true;
  try {
    const { names, changes } = parsePipeline(tokens.slice(begin), from, () => 0);
    return names.length < (word === "range" ? 3 : 2) && (begin === 0 || changes === undefined);
  } catch (error) {
    if (error instanceof TemplateFault) return false;
    throw error;
  }
}
