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
  // Components of one directory share its entries.
  const folders = new Set(
    sources.filter(({ component }) => names.has(component)).map(({ entries }) => entries),
  );
  const read = new Set<string>();
  for (const entries of folders)
    for (const { bytes } of entries)
      addInputsIn(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1"),
        read,
      );
  return [...read];
}

const readOf = /\.inputs((?:\.[\w-]+)*)/g;

function addInputsIn(text: string, read: Set<string>): void {
  if (!text.includes("{{")) return;
  for (const [, path = ""] of text.matchAll(readOf)) {
    const [name] = path.split(".").filter((part) => part !== "" && part !== "inputs");
    read.add(name === undefined ? "*" : nameKey(name));
  }
}
