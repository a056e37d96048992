import {
  actionState,
  componentState,
  secretState,
  type StatePath,
  statePaths,
} from "../rules/state-paths.ts";
import { isDot } from "./root-tokens.ts";
import type { Token } from "./template-actions.ts";

/** A path that an action reads of another program, as it seems, though its members are those of `.svc`. */
export type StrayRoot = {
  readonly root: string;
  readonly path: readonly string[];
  readonly at: number;
};

/** Roots of other programs' templates, in small letters. */
export const otherRoots: ReadonlySet<string> = new Set([
  "values",
  "release",
  "chart",
  "files",
  "capabilities",
  "template",
  "subcharts",
]);

/** Members that have members of their own, by which `.svc` is known. */
const members = Object.entries<StatePath>(statePaths).filter(([, below]) =>
  typeof below === "string" ? below !== "any" : Object.keys(below).length > 0,
);
const below: ReadonlyMap<string, StatePath> = new Map(members);
const named: Readonly<Record<string, object>> = {
  component: componentState,
  action: actionState,
  secret: secretState,
};
const shape = new RegExp(
  String.raw`\.[A-Za-z_][\w-]*\.(?:${[...below.keys()].join("|")})\.[A-Za-z_]`,
);

/** Whether a text may have one in it; a look at each letter, no more. */
export const mayHaveStrayRoot = (text: string): boolean => shape.test(text);

/** The first such path of an action. */
export function strayRootIn(tokens: readonly Token[]): StrayRoot | undefined {
  for (const [at, { kind, value: root, at: place }] of tokens.entries()) {
    const isRoot = kind === "field" && (isDot(tokens, at) || tokens[at - 1]?.value === "$");
    if (!isRoot || otherRoots.has(root.toLowerCase())) continue;
    const path: string[] = [];
    for (let next = at + 1; tokens[next]?.kind === "field" && path.length < 3; next++) {
      if (tokens[next]?.isJoined !== true) break;
      path.push(tokens[next]?.value ?? "");
    }
    if (isOfState(path)) return { root, path, at: place };
  }
  return undefined;
}

/** Whether members are those of `.svc`, and hardly another program's. */
function isOfState([first = "", second, third]: readonly string[]): boolean {
  const known = below.get(first);
  if (known === undefined || second === undefined) return false;
  if (typeof known !== "string") return Object.hasOwn(known, second);
  if (known === "action" && second === "workflows") return third !== undefined;
  return third !== undefined && Object.hasOwn(named[known] ?? {}, third);
}
