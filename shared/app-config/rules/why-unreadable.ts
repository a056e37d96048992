import type { Meant } from "./make-meant.ts";
import { nameKey, type Names } from "./rule.ts";
import {
  actionState,
  componentState,
  secretState,
  type StatePath,
  statePaths,
} from "./state-paths.ts";

/** The names of what a config has. */
export type ConfigNames = {
  readonly input: Names;
  /** By the names that templates use. */
  readonly component: Names;
  readonly action: Names;
  readonly secret: Names;
  /** Of the runbook that a text is in; undefined outside of runbooks. */
  readonly "runbook-input": Names | undefined;
  readonly hasSandbox: boolean;
  readonly meant: Meant;
};

type Named = "input" | "component" | "action" | "secret" | "runbook-input";

const inside: Readonly<Record<Named, StatePath>> = {
  input: "any",
  component: componentState,
  action: actionState,
  secret: secretState,
  "runbook-input": "any",
};

/** Why templates cannot read this path below `.svc`; undefined where they can. */
export function whyUnreadable(path: readonly string[], names: ConfigNames): string | undefined {
  const [first] = path;
  if (first === "sandbox" && !names.hasSandbox) return "this config has no sandbox";
  if (first === "runbook" && names["runbook-input"] === undefined)
    return "only texts of runbooks can read .svc.runbook";
  let known: StatePath = statePaths;
  for (const [at, key] of path.entries()) {
    if (known === "any") return undefined;
    if (typeof known === "string") {
      if (known === "action" && key === "workflows" && at === 1) continue; // also by that name
      if (known === "action" && key === "populated" && at === 1 && path.length === 2)
        return undefined;
      const why = whyNamed(known, key, names);
      if (why !== undefined) return why;
      known = inside[known];
      continue;
    }
    const keys = Object.keys(known);
    const next: StatePath | undefined = Object.hasOwn(known, key) ? known[key] : undefined;
    if (next === undefined)
      return unknownWords(path.slice(0, at), key, names.meant(key, keys) || hasWords(keys));
    known = next;
  }
  return undefined;
}

function whyNamed(kind: Named, key: string, names: ConfigNames): string | undefined {
  const there = names[kind];
  if (there?.keys.has(nameKey(key)) === true) return undefined;
  const words = kind === "runbook-input" ? "input of this runbook" : kind;
  return `there is no ${words} ${key}${names.meant(key, there?.all ?? [])}`;
}

const hasWords = (keys: readonly string[]): string =>
  keys.length === 0 ? ": it is a value, and nothing is below it" : `; it has ${keys.join(", ")}`;

const unknownWords = (before: readonly string[], key: string, hint: string): string =>
  `${[".svc", ...before].join(".")} has no ${key}${hint}`;
