import { readFileSync } from "node:fs";
import { findReferences } from "../../shared/app-config/templates/find-references.ts";
import type { Brands } from "../../shared/brands.ts";
import type { PackedEntry } from "./gather-entries.ts";
import type { PackRequest } from "./pack-request.ts";

const mostBytes = 9 * 2 ** 20;
const mostReferences = 2_000;
/** What is longer names nothing that there is. */
const mostPathLength = 400;

type Asked = Pick<PackRequest, "templates" | "planTexts" | "brands">;

/** The paths below `.svc` that the templates of an artifact read, sorted: `inputs.inputs.region`. */
export function referencesIn(
  entries: readonly PackedEntry[],
  { templates, planTexts, brands }: Asked,
): string[] {
  const files = entries.filter(
    ({ name, kind, size }) => kind === "file" && size <= mostBytes && isNamed(templates, name),
  );
  const texts = files.map(({ text, place }) => (text ?? readFileSync(place)).toString("utf8"));
  const found = new Set<string>();
  for (const text of [...texts, ...planTexts]) {
    for (const reference of pathsIn(text, brands)) found.add(reference);
  }
  return [...found].toSorted().slice(0, mostReferences);
}

function pathsIn(text: string, brands: Brands): string[] {
  if (!text.includes("{{")) return [];
  const paths = findReferences(text, brands).references.map(({ path }) => path.join("."));
  return paths.filter((path) => path.length <= mostPathLength);
}

const isNamed = (patterns: readonly string[], name: string): boolean =>
  patterns.some((one) => (one.startsWith("*") ? name.endsWith(one.slice(1)) : name === one));
