/** An argument or a flag as a page explains it. */
export type Entry = {
  /** As it is named: `--limit`, `APP`. */
  readonly name: string;
  /** With its short form and its value. */
  readonly typed: string;
  readonly text: string;
};

/** The entries of one command, and the noun in whose section it stands. */
type Used = { readonly noun: string; readonly entries: readonly Entry[] };

/** Where entries are explained: on the page for all, before a noun's commands, or at the command. */
export type SaidOnce = {
  readonly common: readonly Entry[];
  readonly ofNoun: (noun: string) => readonly Entry[];
  /** Whether a command of the noun leaves it to one of the lists. */
  readonly isElsewhere: (noun: string, entry: Entry) => boolean;
};

const leastNouns = 3;
const leastInNoun = 2;

/**
 * What several commands explain alike, to be said once: for all where three nouns or more have it, else before the commands of its noun.
 * In one list a name has one meaning, the most frequent one.
 */
export function sayOnce(commands: readonly Used[]): SaidOnce {
  const nouns = Map.groupBy(commands, ({ noun }) => noun);
  const common = mostUsed([...nouns.values()].map(distinct), leastNouns);
  const lists = new Map(
    [...nouns].map(([noun, of]) => {
      const others = of.map(({ entries }) => entries.filter((one) => !has(common, one)));
      return [noun, mostUsed(others, leastInNoun)] as const;
    }),
  );
  const ofNoun = (noun: string): readonly Entry[] => lists.get(noun) ?? [];
  return {
    common,
    ofNoun,
    isElsewhere(noun, entry) {
      const known = ofNoun(noun).find(({ name }) => name === entry.name);
      return known === undefined ? has(common, entry) : isSame(known, entry);
    },
  };
}

/** The entries that so many of the lists have, by name. */
function mostUsed(lists: readonly (readonly Entry[])[], least: number): Entry[] {
  const counts = [...Map.groupBy(lists.flat(), keyOf).values()]
    .filter(({ length }) => length >= least)
    .toSorted((a, b) => b.length - a.length);
  const byName = new Map<string, Entry>();
  for (const [entry] of counts)
    if (entry !== undefined && !byName.has(entry.name)) byName.set(entry.name, entry);
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Each entry of a noun's commands once. */
const distinct = (commands: readonly Used[]): Entry[] => [
  ...new Map(commands.flatMap(({ entries }) => entries).map((one) => [keyOf(one), one])).values(),
];

const keyOf = ({ typed, text }: Entry): string => `${typed}\n${text}`;
const isSame = (a: Entry, b: Entry): boolean => keyOf(a) === keyOf(b);
const has = (list: readonly Entry[], entry: Entry): boolean =>
  list.some((one) => isSame(one, entry));
