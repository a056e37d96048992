import { stepsBetween } from "./steps-between.ts";

/** The known word that a misspelt one most likely means; undefined when none is near. */
export function nearestWord(given: string, known: readonly string[]): string | undefined {
  if (given.length > mostLetters) return undefined;
  const near = known
    .filter((word) => Math.abs(word.length - given.length) <= mostSteps(word))
    .map((word) => ({ word, steps: stepsBetween(given, word) }))
    .filter(({ word, steps }) => steps <= mostSteps(word))
    .sort((a, b) => a.steps - b.steps);
  return near[0]?.word ?? known.find((word) => given.length > 1 && word.startsWith(given));
}

/** What is longer is no word. */
const mostLetters = 100;

const mostSteps = (word: string): number => Math.max(1, Math.floor(word.length / 3));
