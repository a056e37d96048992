import type { AppConfigDocument } from "./config-files.ts";
import { graphOf } from "./config-graph.ts";
import { readReferences } from "./read-references.ts";
import type { Tell } from "./rules/rule.ts";

/** What of a config decides in which order things are deployed, and which a changed input is about. */
export type ConfigReads = {
  /** Components, each after those that it needs. */
  readonly order: readonly string[];
  /** Which components each one needs itself, by its name. */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  /** Which inputs each component reads, by its name; the sandbox by an empty one. `*`: all. */
  readonly inputs: Readonly<Record<string, readonly string[]>>;
};

/** The same of a config that was checked before. */
export function configReadsOf(document: AppConfigDocument): ConfigReads {
  const { brands = [], components = [] } = document;
  const ignore: Tell = Object.assign(() => {}, { meant: () => "", brands });
  const references = readReferences(document, ignore);
  const { order, edges } = graphOf(document, references, ignore);
  const needs = Object.groupBy(
    edges.filter(({ from }) => from.type === "component"),
    ({ from }) => from.name,
  );
  const inputs = new Map<string, Set<string>>();
  for (const { at, path } of references) {
    const [section, nth] = at;
    if (path[1] !== "inputs" || (section !== "components" && section !== "sandbox")) continue;
    const name = section === "sandbox" ? "" : (components[Number(nth)]?.name ?? "");
    const read = inputs.get(name) ?? new Set();
    inputs.set(name, read.add(path[2] ?? "*"));
  }
  return {
    order,
    needs: Object.fromEntries(
      Object.entries(needs).map(([name, all = []]) => [name, all.map(({ to }) => to)]),
    ),
    inputs: Object.fromEntries([...inputs].map(([name, read]) => [name, [...read]])),
  };
}
