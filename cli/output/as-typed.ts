/**
 * Writes the commands that words name as they have to be typed here: `./svc job list` for who started `./svc`, whose shell finds
 * no svc. `nouns` are the words that can come first: "svc needs Node 24" names none. One that there is not was typed so, too.
 */
export function makeAsTyped(
  launchedAs: string,
  nouns: readonly string[],
): (words: string) => string {
  const known = `(?<![\\w./-])svc (?=(?:${nouns.join("|")})(?![\\w-]))`;
  const named = new RegExp(`${known}|(?<=^Unknown command: )svc `, "g");
  return (words) => words.replaceAll(named, () => `${launchedAs} `);
}
