import { parseArgs } from "node:util";
import type { BenchOptions } from "./bench.ts";

export type BenchArguments =
  | {
      readonly kind: "run";
      readonly names: readonly string[];
      readonly isJson: boolean;
      readonly options: BenchOptions;
    }
  | { readonly kind: "help" }
  /** One line that says what is wrong. */
  | { readonly kind: "wrong"; readonly line: string };

const defaults = { seconds: 15, "warm-up": 10, scale: 1 };
const seeHelp = '"node bench/main.ts --help" lists benches and options.';

/** Reads the command line; `all` stands for every bench, and each bench runs once, in the order of `known`. */
export function readBenchArguments(
  args: readonly string[],
  known: readonly string[],
): BenchArguments {
  const parsed = parse(args);
  if (typeof parsed === "string") return wrong(parsed);
  const { values, positionals } = parsed;
  if (values.help) return { kind: "help" };
  const asked = positionals.includes("all") ? known : positionals;
  const unknown = positionals.find((name) => name !== "all" && !known.includes(name));
  if (unknown !== undefined) return wrong(`There is no bench "${unknown}".`);
  if (asked.length === 0) return wrong("Name one or more benches, or all.");
  const numbers = Object.entries(defaults).map(([name, standard]) => {
    const given = values[name as keyof typeof defaults];
    return [name, given === undefined ? standard : Number(given)] as const;
  });
  const unfit = numbers.find(([, value]) => !(value > 0 && value < Infinity));
  if (unfit !== undefined) return wrong(`--${unfit[0]} takes a number above 0.`);
  const { seconds, "warm-up": warmUpS, scale } = Object.fromEntries(numbers) as typeof defaults;
  return {
    kind: "run",
    names: known.filter((name) => asked.includes(name)),
    isJson: values.json,
    options: { seconds, warmUpS, scale, profileDir: values.profile },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h", default: false },
        json: { type: "boolean", default: false },
        seconds: { type: "string" },
        "warm-up": { type: "string" },
        scale: { type: "string" },
        profile: { type: "string" },
      },
    });
  } catch (error) {
    // Node says more in the sentences after the first, and none of it is of use here.
    return `${(error as Error).message.split(/[.\n]/, 1)[0]}.`;
  }
}

function wrong(what: string): BenchArguments {
  return { kind: "wrong", line: `${what} ${seeHelp}` };
}
