import { readFile } from "node:fs/promises";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readPairs } from "../flags/read-pairs.ts";

/** NAME=VALUE pairs whose values may be secret: `NAME=@FILE` reads the value from a file, so that it is in no list of processes. */
export async function readValues(
  flag: string,
  given: readonly string[],
): Promise<Record<string, string>> {
  const entries = Object.entries(readPairs(flag, given)).map(async ([name, value]) =>
    value.startsWith("@") ? [name, await readText(flag, value.slice(1))] : [name, value],
  );
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>; // pairs of texts
}

async function readText(flag: string, file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).replace(/\n$/, "");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${flag} cannot read ${file}: ${why}`);
  }
}
