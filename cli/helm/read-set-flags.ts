import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readInput } from "../connection/connection.ts";

/** A value as a plan sets it. */
type SetValue = { readonly name: string; readonly value: string; readonly type?: "string" };

type Flags = {
  readonly set: readonly string[];
  readonly "set-string": readonly string[];
  readonly "set-file": readonly string[];
};

/** What helm's own flags set, in the order in which helm takes them. A UsageError, which repeats no value, for what sets nothing. */
export async function readSetFlags(flags: Flags): Promise<SetValue[]> {
  const files = flags["set-file"].flatMap((given) => pairsIn("--set-file", given));
  return [
    ...flags.set.flatMap((given) => pairsIn("--set", given)),
    ...flags["set-string"]
      .flatMap((given) => pairsIn("--set-string", given))
      .map((pair) => ({ ...pair, type: "string" as const })),
    ...(await Promise.all(
      files.map(async ({ name, value: file }) => {
        return { name, value: await readInput(file), type: "string" as const };
      }),
    )),
  ];
}

type Pair = { readonly name: string; readonly value: string };

/** `a=1,b.c=2`, `list={x,y}`; a comma or a brace by itself is written `\,`. */
function pairsIn(flag: string, given: string): Pair[] {
  return splitAt(given).flatMap((part) => {
    const at = part.indexOf("=");
    if (at < 1) throw new UsageError(`${flag} takes NAME=VALUE, and more of them after a comma.`);
    const [name, value] = [part.slice(0, at), part.slice(at + 1)];
    if (!/^\{[^]*\}$/.test(value)) return [{ name, value: plain(value) }];
    const items = value.slice(1, -1);
    if (items === "") {
      throw new UsageError(`${flag} ${name}: an empty list is given by a file of values (-f).`);
    }
    return splitAt(items).map((item, index) => ({ name: `${name}[${index}]`, value: plain(item) }));
  });
}

/** At commas that are neither escaped nor within braces. */
function splitAt(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [piece] of text.matchAll(/\\[^]|[^]/g)) {
    if (piece === "{") depth += 1;
    if (piece === "}") depth -= 1;
    if (piece === "," && depth <= 0) parts.push("");
    else parts.push((parts.pop() ?? "") + piece);
  }
  return parts;
}

const plain = (value: string): string => value.replaceAll(/\\([^])/g, "$1");
