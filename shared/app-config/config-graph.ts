import type { Brands } from "../brands.ts";
import type { Path } from "./config-fault.ts";
import { findCircles } from "./find-circles.ts";
import { type ConfigReference, readReferences } from "./read-references.ts";
import { type Found, nameKey, tablesAt, type Tell, textIn, textsOf } from "./rules/rule.ts";

/** Which component needs which, and why. */
export type ConfigEdge = {
  readonly from: { readonly type: "component" | "action"; readonly name: string };
  /** The component that it needs. */
  readonly to: string;
  /** Whether it is listed, and not only referred to. */
  readonly declared: boolean;
};

/** What of a config needs what: of components and actions. */
export type ConfigGraph = {
  /** Components, each after those that it needs; else by name. */
  readonly order: readonly string[];
  readonly edges: readonly ConfigEdge[];
};

/** The graph of a config; tells what needs itself. Components in a circle have no place in the order. */
export function graphOf(
  tree: unknown,
  references: readonly ConfigReference[],
  tell: Tell,
): ConfigGraph {
  const edges = edgesOf(tree, references, tell);
  const names = tablesAt(tree, "components").flatMap((one) => textIn(one, "name") ?? []);
  const needs = new Map(names.map((name) => [name, new Set<string>()]));
  for (const { from, to } of edges) if (from.type === "component") needs.get(from.name)?.add(to);
  const order = inOrder(needs);
  if (order.length < needs.size) tellCircles(tree, needs, tell);
  return { order, edges };
}

function edgesOf(tree: unknown, references: readonly ConfigReference[], tell: Tell): ConfigEdge[] {
  const edges = new Map<string, ConfigEdge>();
  const byThing = Map.groupBy(references, ({ at }) => `${String(at[0])} ${String(at[1])}`);
  const components = componentsByKey(tree);
  const clusters = new Map(
    tablesAt(tree, "kubernetes_contexts", "context").map((one) => [
      nameKey(textIn(one, "name") ?? ""),
      components.get(nameKey(textIn(one, "source_component_name") ?? "")),
    ]),
  );
  for (const section of ["components", "actions"] as const)
    for (const one of tablesAt(tree, section)) {
      const own = byThing.get(`${section} ${String(one.path[1])}`) ?? [];
      addEdges({ components, clusters, tell, edges, section, one }, own);
    }
  return [...edges.values()].sort((a, b) => compare(keyOf(a), keyOf(b)));
}

type Adding = {
  /** Their names by those that templates use. */
  readonly components: ReadonlyMap<string, string | undefined>;
  /** What makes a cluster, by the names of contexts. */
  readonly clusters: ReadonlyMap<string, string | undefined>;
  readonly tell: Tell;
  readonly edges: Map<string, ConfigEdge>;
  readonly section: "components" | "actions";
  readonly one: Found;
};

function componentsByKey(tree: unknown): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const one of tablesAt(tree, "components"))
    for (const member of ["name", "var_name"]) {
      const name = textIn(one, member);
      const key = name && nameKey(name);
      if (key !== undefined && !found.has(key)) found.set(key, textIn(one, "name"));
    }
  return found;
}

function addEdges(adding: Adding, references: readonly ConfigReference[]): void {
  const componentOf = (key: string) => adding.components.get(nameKey(key));
  for (const { path, text } of textsOf(adding.one, "dependencies"))
    addEdge(adding, { to: componentOf(text), declared: true, path });
  const context = textIn(adding.one, "kubernetes_context");
  if (context !== undefined && adding.section === "components")
    addEdge(adding, {
      to: adding.clusters.get(nameKey(context)),
      declared: true,
      path: [...adding.one.path, "kubernetes_context"],
    });
  for (const { at, path } of references) {
    if (path[0] !== "components" || path[1] === undefined) continue;
    addEdge(adding, { to: componentOf(path[1]), declared: false, path: at });
  }
}

type Given = { readonly to: string | undefined; readonly declared: boolean; readonly path: Path };

function addEdge({ tell, edges, section, one }: Adding, { to, declared, path }: Given): void {
  const name = textIn(one, "name");
  if (name === undefined || to === undefined) return;
  const type = section === "components" ? "component" : "action";
  const key = `${type} ${name} ${to}`;
  if (type === "component" && nameKey(to) === nameKey(name))
    tell(path, "self_dependency", `${name} ${declared ? "depends on" : "refers to"} itself`);
  else if (!edges.has(key)) edges.set(key, { from: { type, name }, to, declared });
}

const keyOf = ({ from, to }: ConfigEdge): string => `${from.type} ${from.name} ${to}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Topological, the first by name of those that may be next. */
function inOrder(needs: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const order: string[] = [];
  const missing = new Map([...needs].map(([name, all]) => [name, all.size]));
  const neededBy = new Map([...needs.keys()].map((name): [string, string[]] => [name, []]));
  for (const [name, all] of needs) for (const one of all) neededBy.get(one)?.push(name);
  const next = [...needs.keys()].filter((name) => missing.get(name) === 0).sort(compare);
  for (let name = next.shift(); name !== undefined; name = next.shift()) {
    order.push(name);
    for (const one of neededBy.get(name) ?? []) {
      const left = (missing.get(one) ?? 0) - 1;
      missing.set(one, left);
      if (left === 0) insert(next, one);
    }
  }
  return order;
}

function insert(sorted: string[], name: string): void {
  const at = sorted.findIndex((one) => compare(name, one) < 0);
  sorted.splice(at === -1 ? sorted.length : at, 0, name);
}

/** One fault for each circle, at the first of its components by name. */
function tellCircles(
  tree: unknown,
  needs: ReadonlyMap<string, ReadonlySet<string>>,
  tell: Tell,
): void {
  const components = tablesAt(tree, "components");
  for (const circle of findCircles(needs)) {
    const [name = ""] = circle;
    const at = components.find((one) => textIn(one, "name") === name);
    const words = [...circle, name].join(" needs ");
    tell(at?.path ?? ["components"], "dependency_cycle", `components need each other: ${words}`);
  }
}

/** The graph of a config that was checked before. */
export function graphOfDocument(document: { readonly brands?: Brands | undefined }): ConfigGraph {
  const { brands = [] } = document;
  const ignore: Tell = Object.assign(() => {}, { meant: () => "", brands });
  return graphOf(document, readReferences(document, ignore), ignore);
}
