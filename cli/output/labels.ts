import type { Screen } from "./screen.ts";

/** Shows the labels of one thing, a pair a line. */
export function printLabels(screen: Screen, labels: Readonly<Record<string, string>>): void {
  if (screen.format === "json" || screen.format === "ndjson") screen.out(JSON.stringify(labels));
  else if (screen.format === "name") for (const key of Object.keys(labels)) screen.out(key);
  else for (const [key, value] of Object.entries(labels)) screen.out(`${key}=${value}`);
}
