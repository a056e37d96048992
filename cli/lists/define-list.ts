import type {
  ArgSpecs,
  ArgValues,
  Example,
  FlagSpecs,
  FlagValues,
  Given,
  NoSpecs,
} from "../../shared/command-line/command.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { Command, CommandCall } from "../command.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { type Page, printPage, type View } from "../output/print.ts";
import { watchList } from "./watch-list.ts";

type PageFlags = { readonly limit?: string | undefined; readonly cursor?: string | undefined };

type ListDefinition<Item, A extends ArgSpecs, F extends FlagSpecs> = {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly isLocal?: true;
  /** It is read whole, not in pages. */
  readonly isWhole?: true;
  readonly args?: A;
  readonly flags?: F;
  readonly examples: readonly Example[];
  readonly view: View<Item>;
  /** What to say of an empty list. */
  readonly empty: string;
  /** What makes another line of a thing that is watched; without what time alone changes. The whole, unless told. */
  readonly factsOf?: (item: Item) => unknown;
  readonly read: (
    call: CommandCall &
      Given<ArgValues<A>, FlagValues<F>> & {
        readonly page: PageFlags;
        readonly isWatched: boolean;
      },
  ) => Promise<Page<Item>>;
};

const pageFlags = {
  limit: { value: "N", summary: "How many to show, at most 100 (default 50)." },
  cursor: { value: "CURSOR", summary: "Continue where the previous page ended." },
} as const satisfies FlagSpecs;

const watchFlags = {
  watch: {
    short: "w",
    summary:
      "Show the list again whenever it changes, until Ctrl-C: in place on a terminal, else only what is new or changed.",
  },
  interval: { value: "DURATION", summary: "How often --watch looks (default 2s)." },
} as const satisfies FlagSpecs;

const usualIntervalMs = 2_000;
const leastIntervalMs = 500;

/** A command that lists things: it has pages, every output format and --watch besides its own filters. */
export function defineList<
  Item,
  const A extends ArgSpecs = NoSpecs,
  const F extends FlagSpecs = NoSpecs,
>(definition: ListDefinition<Item, A, F>): Command {
  const { name, summary, details, isLocal, isWhole, view, empty, factsOf } = definition;
  const sameFlags =
    Object.keys(definition.flags ?? {}).length === 0 ? "" : " (with the same flags)";
  return {
    name,
    summary,
    ...(details !== undefined && { details }),
    ...(isLocal !== undefined && { isLocal }),
    args: definition.args ?? {},
    flags: { ...definition.flags, ...(isWhole !== true && pageFlags), ...watchFlags },
    examples: definition.examples,
    run: async (call) => {
      const { limit, cursor, watch, interval } = call.flags as WatchValues; // by the specs above
      const intervalMs = readInterval(interval, watch);
      if (watch && cursor !== undefined)
        throw new UsageError("--watch shows the first page: it cannot be used with --cursor.");
      const given = call as CommandCall & Given<ArgValues<A>, FlagValues<F>>; // by the same specs
      const read = async (): Promise<Page<Item>> =>
        await definition.read({ ...given, page: { limit, cursor }, isWatched: watch });
      if (!watch) {
        const typed = ["svc", name, ...Object.values(call.args)].join(" ");
        printPage(call.screen, await read(), { ...view, empty, more: typed + sameFlags });
        return undefined;
      }
      return await watchList({
        screen: call.screen,
        read,
        view,
        empty,
        factsOf: factsOf ?? ((item) => item),
        intervalMs,
      });
    },
  };
}

type WatchValues = PageFlags & {
  readonly watch: boolean;
  readonly interval: string | undefined;
};

function readInterval(given: string | undefined, isWatched: boolean): number {
  if (given === undefined) return usualIntervalMs;
  if (!isWatched) throw new UsageError("--interval goes with --watch.");
  const ms = (readDurationNs("--interval", given) ?? 0) / 1e6;
  if (ms >= leastIntervalMs && ms <= 3_600_000) return ms;
  throw new UsageError("--interval must be from 500ms to 1h.");
}
