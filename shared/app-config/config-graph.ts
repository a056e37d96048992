import type { Path } from "./config-fault.ts";
import { componentOf, type ConfigReference, readReferences } from "./config-references.ts";
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
  tellCircles(tree, needs, tell);
  return { order, edges };
}

function edgesOf(tree: unknown, references: readonly ConfigReference[], tell: Tell): ConfigEdge[] {
  const edges = new Map<string, ConfigEdge>();
  for (const section of ["components", "actions"] as const)
    for (const one of tablesAt(tree, section))
      addEdges({ tree, tell, edges, section, one }, references);
  return [...edges.values()].sort((a, b) => compare(keyOf(a), keyOf(b)));
}

type Adding = {
  readonly tree: unknown;
  readonly tell: Tell;
  readonly edges: Map<string, ConfigEdge>;
  readonly section: "components" | "actions";
  readonly one: Found;
};

function addEdges(adding: Adding, references: readonly ConfigReference[]): void {
  const { tree, section, one } = adding;
  for (const { path, text } of textsOf(one, "dependencies"))
    addEdge(adding, { to: componentOf(tree, text), declared: true, path });
  for (const { at, path } of references) {
    const isOwn = at[0] === section && at[1] === one.path[1];
    if (!isOwn || path[0] !== "components" || path[1] === undefined) continue;
    addEdge(adding, { to: componentOf(tree, path[1]), declared: false, path: at });
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
  const done = new Set<string>();
  const open = [...needs.keys()].sort(compare);
  for (;;) {
    const at = open.findIndex((name) => [...(needs.get(name) ?? [])].every((one) => done.has(one)));
    const [next] = at === -1 ? [] : open.splice(at, 1);
    if (next === undefined) return order;
    order.push(next);
    done.add(next);
  }
}

/** One fault for each circle, at the first of its components by name. */
function tellCircles(
  tree: unknown,
  needs: ReadonlyMap<string, ReadonlySet<string>>,
  tell: Tell,
): void {
  const told = new Set<string>();
  for (const name of [...needs.keys()].sort(compare)) {
    if (told.has(name)) continue;
    const circle = circleFrom(name, needs);
    if (circle === undefined) continue;
    for (const one of circle) told.add(one);
    const at = tablesAt(tree, "components").find((one) => textIn(one, "name") === name);
    const words = [...circle, name].join(" needs ");
    tell(at?.path ?? ["components"], "dependency_cycle", `components need each other: ${words}`);
  }
}

/** The shortest way from a component back to it. */
function circleFrom(
  start: string,
  needs: ReadonlyMap<string, ReadonlySet<string>>,
): string[] | undefined {
  const before = new Map<string, string>();
  const open = [start];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const next of [...(needs.get(at) ?? [])].sort(compare)) {
      if (next === start) return wayTo(at, before, start);
      if (before.has(next)) continue;
      before.set(next, at);
      open.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, before: ReadonlyMap<string, string>, start: string): string[] {
  const way = [end];
  for (let at = end; at !== start;) {
    at = before.get(at) ?? start;
    way.unshift(at);
  }
  return way;
}

const ignore: Tell = Object.assign(() => {}, { meant: () => "" });

/** The graph of a config that was checked before. */
export const graphOfDocument = (document: object): ConfigGraph =>
  graphOf(document, readReferences(document, ignore), ignore);
