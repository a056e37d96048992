/**
 * Writes the commands that words name as they have to be typed here: `npx svc job list` for who started svc by npx, whose
 * shell finds no svc. `nouns` are the first words of commands: "svc needs Node 24" names none.
 */
export function makeAsTyped(isNpx: boolean, nouns: readonly string[]): (words: string) => string {
  if (!isNpx) return (words) => words;
  const named = new RegExp(`(?<![\\w./-]|npx )svc (?=(?:${nouns.join("|")})(?![\\w-]))`, "g");
  return (words) => words.replaceAll(named, "npx svc ");
}
