import { columns } from "../../shared/command-line/terminal-text.ts";

const options = [
  ["--seconds 15", "how long each part is measured"],
  [
    "--warm-up 10",
    "seconds before that; with fewer than 10 figures are only for trying a bench out",
  ],
  ["--scale 1", "the size of what is measured, where a bench has one"],
  ["--json", "one line of JSON instead of a table"],
  ["--profile folder", "leaves CPU profiles, and what statements cost in Postgres"],
  ["--help", "this text"],
] as const;

/** How benches are run, and what each measures, in lines of 80 places. */
export function benchUsage(benches: Readonly<Record<string, { readonly what: string }>>): string {
  const rows = Object.entries(benches).map(([name, { what }]) => [name, what] as const);
  return `Usage: npm run bench -- <bench>… | all [options]

${columns(options, 80)}

Benches:

${columns(rows, 80)}
`;
}
