import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** A line of a configuration. */
export type ConfigurationLine = {
  readonly file: string;
  readonly line: number;
  readonly text: string;
};

const mostFileBytes = 4 * 2 ** 20;

/** The lines of the configuration files right in a folder, comments left out. */
export function* configurationLines(folder: string): Generator<ConfigurationLine> {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((one) => one.isFile() && /\.(?:tf|tofu)$/.test(one.name))
    .map(({ name }) => name)
    .toSorted();
  for (const file of files) {
    const text = readFileSync(path.join(folder, file)).subarray(0, mostFileBytes).toString("utf8");
    for (const [at, line] of text.split("\n").entries()) {
      if (!/^\s*(?:#|\/\/)/.test(line)) yield { file, line: at + 1, text: line };
    }
  }
}

/** Where the configuration in a folder names a source: its path, a colon, and the line. */
export function findUse(folder: string, source: string): string | undefined {
  for (const { file, line, text } of configurationLines(folder)) {
    if (text.includes(`"${source}"`)) return `${path.join(folder, file)}:${line}`;
  }
  return undefined;
}
