/** A template of a text, as far as it shows who uses it. */
export type UsedDefinition = {
  readonly name: string;
  readonly group: number;
  isDefined: boolean;
  isCalled: boolean;
  /** By a function that we do not have, or with what is another program's: so that is all of it. */
  isIncluded: boolean;
  /** Something in it is another program's. */
  isOther: boolean;
  isWhole: boolean;
  /** Those that it calls with its own dot. */
  readonly passesTo: UsedDefinition[];
  /** Those that it calls with what it is given itself. */
  readonly gives: UsedDefinition[];
  /** Groups of what is in it and of what calls it: they are as it is. */
  readonly joined: number[];
};

/** A template of which nothing is known yet. */
export const newDefinition = (name: string, group: number): UsedDefinition => ({
  name,
  group,
  isDefined: false,
  isCalled: false,
  isIncluded: false,
  isOther: false,
  isWhole: true,
  passesTo: [],
  gives: [],
  joined: [],
});

/** Those that are defined and called in the text, and by no other program; whether each is called with the whole alone is settled, too. */
export function usableDefinitions(all: readonly UsedDefinition[]): readonly UsedDefinition[] {
  const isUsable = (one: UsedDefinition): boolean =>
    one.isDefined && one.isCalled && !one.isIncluded;
  const others = all.filter((one) => !isUsable(one));
  for (let one = others.pop(); one !== undefined; one = others.pop())
    for (const given of one.gives)
      if (!given.isIncluded) {
        given.isIncluded = true;
        others.push(given);
      }
  const parts = all.filter(({ isWhole }) => !isWhole);
  for (let one = parts.pop(); one !== undefined; one = parts.pop())
    for (const given of one.passesTo)
      if (given.isWhole) {
        given.isWhole = false;
        parts.push(given);
      }
  return all.filter(isUsable);
}
