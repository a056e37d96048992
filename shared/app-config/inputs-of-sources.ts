import type { PackedSource } from "./pack-sources.ts";
import { nameKey, tablesAt, textIn } from "./rules/rule.ts";

/** Artifacts of these have templates, which agents render. */
const rendered: ReadonlySet<string | undefined> = new Set(["helm_chart", "kubernetes_manifest"]);
const repositories = ["public_repo", "connected_repo"];

/**
 * The inputs that what components are built from may read in templates of its own; `*` for all of them, as also where it is in a
 * repository, which nobody looks into here.
 */
export function inputsOfSources(tree: unknown, sources: readonly PackedSource[]): string[] {
  const components = tablesAt(tree, "components").filter((one) =>
    rendered.has(textIn(one, "type")),
  );
  if (components.some(({ value }) => repositories.some((name) => value[name] !== undefined)))
    return ["*"];
  const names = new Set(components.map((one) => textIn(one, "name")));
  const entries = sources
    .filter(({ component }) => names.has(component))
    .flatMap((one) => one.entries);
  return entries.flatMap(({ bytes }) => inputsIn(Buffer.from(bytes).toString("latin1")));
}

const readOf = /\.inputs((?:\.[\w-]+)*)/g;

function inputsIn(text: string): string[] {
  if (!text.includes("{{")) return [];
  return [...text.matchAll(readOf)].map(([, path = ""]) => {
    const [name] = path.split(".").filter((part) => part !== "" && part !== "inputs");
    return name === undefined ? "*" : nameKey(name);
  });
}
