import { OperatorError } from "../../shared/operator-error.ts";

/** Reads lines of `name = value`; empty lines and those that begin with # say nothing. */
export function parseConfigFile(file: string, text: string): Readonly<Record<string, string>> {
  // Without a prototype: a setting may have the name of an inherited member.
  const values = Object.create(null) as Record<string, string>;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const [, name, value] = /^([\w-]+)\s*=\s*(.*)$/.exec(trimmed) ?? [];
    if (name === undefined || value === undefined) {
      throw new OperatorError(`${file}, line ${at + 1}: write "name = value".`);
    }
    if (Object.hasOwn(values, name)) {
      throw new OperatorError(`${file}, line ${at + 1}: duplicate setting "${name}".`);
    }
    values[name] = value.replace(/^"(.*)"$/, "$1");
  }
  return values;
}
