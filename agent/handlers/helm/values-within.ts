import { readdirSync } from "node:fs";
import path from "node:path";

/** The values of a chart, and of the charts within it that are not packed, by their paths in it. */
export function valuesWithin(folder: string, depth = 0): string[] {
  const within = depth < mostDepth ? chartsIn(path.join(folder, "charts")) : [];
  return [
    "values.yaml",
    ...within.flatMap((name) =>
      valuesWithin(path.join(folder, "charts", name), depth + 1).map(
        (file) => `charts/${name}/${file}`,
      ),
    ),
  ];
}

const mostDepth = 8;

function chartsIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((one) => one.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}
