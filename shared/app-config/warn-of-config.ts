import type { ConfigWarningCode, Path } from "./config-fault.ts";
import type { ConfigReference } from "./read-references.ts";
import { isTable, nameKey, tablesAt, textIn } from "./rules/rule.ts";

/** Notes what may be meant so. */
export type Warn = (path: Path, code: ConfigWarningCode, detail: string) => void;

type Reads = {
  /** What its texts read. */
  readonly references: readonly ConfigReference[];
  /** Inputs that what is built reads. */
  readonly besides: readonly string[];
};

/** Warns of inputs that nothing reads, and of what looks like a secret that everybody can read. */
export function warnOfConfig(tree: unknown, { references, besides }: Reads, warn: Warn): void {
  const read = new Set([...references.flatMap(({ path }) => inputsIn(path)), ...besides]);
  for (const input of tablesAt(tree, "inputs", "input")) {
    const name = textIn(input, "name");
    if (name === undefined) continue;
    if (!read.has(nameKey(name)) && !read.has("*"))
      warn(
        input.path,
        "unused_input",
        `nothing reads the input ${name}: .svc.inputs.inputs.${name}`,
      );
    const value = textIn(input, "default") ?? "";
    if (input.value["sensitive"] === true && value !== "")
      warn(
        [...input.path, "default"],
        "secret_in_plain",
        `default of ${name}, which is sensitive, can be read by all who read this config`,
      );
  }
  for (const { path, value } of namedValues(tree, [])) {
    const name = String(path.at(-1));
    if (!/(?:password|passwd|secret|token|api_?key|private_?key)$/i.test(name)) continue;
    if (value === "" || value.includes("{{")) continue;
    warn(
      path,
      "secret_in_plain",
      `${name} looks like a secret: make it a sensitive input or a secret, and refer to it`,
    );
  }
}

/** The inputs that a path reads; `*` for all of them. */
function inputsIn([first, second, third]: readonly string[]): string[] {
  if (second !== "inputs" || (first !== "inputs" && first !== "install")) return [];
  return [third === undefined ? "*" : nameKey(third)];
}

const maps = new Set(["env_vars", "vars", "values", "config", "pulumi_config", "build_args"]);

/** The texts in maps of variables. */
function* namedValues(value: unknown, path: Path): Generator<{ path: Path; value: string }> {
  const isMap = maps.has(String(path.at(-1)));
  const inner = Array.isArray(value)
    ? [...value.entries()]
    : isTable(value)
      ? Object.entries(value)
      : [];
  for (const [key, one] of inner as Iterable<[string | number, unknown]>) {
    if (isMap && typeof one === "string") yield { path: [...path, key], value: one };
    else if (typeof one === "object") yield* namedValues(one, [...path, key]);
  }
}
