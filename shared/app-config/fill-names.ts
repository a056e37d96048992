import type { Path } from "./config-fault.ts";
import { nameFrom } from "./name-from.ts";
import type { Origins } from "./origins.ts";
import { isTable, nameKey, tablesAt, textIn } from "./rules/rule.ts";

/** Gives a name to an app, and to policies, that have none: the app's the given one, a policy's by its file or that of its text. */
export function fillNames(tree: object, origins: Origins, appName: string | undefined): void {
  const metadata = (tree as Record<string, unknown>)["metadata"];
  if (appName !== undefined && isTable(metadata)) setName(metadata, appName);
  const policies = tablesAt(tree, "policies", "policy");
  const taken = new Set(policies.map((one) => nameKey(textIn(one, "name") ?? "")));
  const counts = new Map<string, number>();
  for (const one of policies) {
    if (one.value["name"] !== undefined) continue;
    const wanted = policyName(one.path, textIn(one, "contents") ?? "", origins);
    let name = wanted;
    const begin = nameKey(wanted).slice(0, 56);
    while (taken.has(nameKey(name))) {
      const count = (counts.get(begin) ?? 1) + 1;
      counts.set(begin, count);
      name = `${wanted.slice(0, 56)}-${count}`;
    }
    taken.add(nameKey(name));
    setName(one.value, name);
  }
}

/** `policies/no-latest.toml` and `./policies/no-latest.rego` are both no-latest. */
function policyName(path: Path, contents: string, origins: Origins): string {
  const { file = "" } = origins.find(path) ?? {};
  const isFile = /^\.{1,2}\/[^\n]*$/.test(contents);
  const from = file.includes("/") ? file : isFile ? contents : "";
  const last = from.slice(from.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  return nameFrom(last, `policy-${Number(path.at(-1)) + 1}`);
}

function setName(table: object, name: string): void {
  const named = table as Record<string, unknown>; // a table of a tree that is ours
  named["name"] ??= name;
}
