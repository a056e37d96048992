import { UsageError } from "../../shared/command-line/usage-error.ts";

/** NAME=VALUE pairs of a flag. */
export function readPairs(flag: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new UsageError(`${flag} must be NAME=VALUE, not ${pair}.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
