import type { Path } from "../config-fault.ts";
import type { ConfigTemplate } from "../read-references.ts";
import { isTable } from "../rules/rule.ts";
import type { Warn } from "../warn-of-config.ts";
import { findUnquotedValues } from "./unquoted-values.ts";

/** Warns of values in a command or script that somebody else decides and that are not quoted, each once. */
export function warnOfCommand(
  tree: unknown,
  { path, text, nodes, brands, line }: ConfigTemplate,
  warn: Warn,
): void {
  if (!isScript(path) && !isArgumentOfShell(tree, path)) return;
  const member = path.findLast((key) => typeof key === "string") ?? "";
  const told = new Set<string>();
  for (const { at, detail } of findUnquotedValues(text, nodes, brands)) {
    if (told.has(detail)) continue;
    told.add(detail);
    warn(path, "unquoted_in_command", `${member}${line(at)}: ${detail}`);
  }
}

/** The command or script of a step. */
function isScript([section, , list, , member, ...below]: Path): boolean {
  const isOfStep = (section === "actions" || section === "runbooks") && list === "steps";
  return isOfStep && (member === "command" || member === "inline_contents") && below.length === 0;
}

/** What follows `sh -c` among the arguments of a job. */
function isArgumentOfShell(tree: unknown, [section, at, member, place]: Path): boolean {
  if (section !== "components" || (member !== "cmd" && member !== "args")) return false;
  const component = listOf(isTable(tree) ? tree["components"] : undefined)[Number(at)];
  if (!isTable(component)) return false;
  const { cmd, args } = component;
  const before = listOf(cmd);
  const all = [...before, ...listOf(args)];
  const own = Number(place) + (member === "args" ? before.length : 0);
  const isShell = /(?:^|\/)(?:ba|da|a|k|z|mk)?sh$/.test(String(all[0]));
  return isShell && /^-[a-z]*c$/.test(String(all[own - 1]));
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
