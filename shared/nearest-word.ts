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

/** Letters to add, drop, change or swap with the next one to get from one word to the other. */
function stepsBetween(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    rows.push(next);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
