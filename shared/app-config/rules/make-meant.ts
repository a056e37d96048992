import { nearestWord } from "../../nearest-word.ts";

/** Says which word may be meant, as the end of a sentence; nothing where none is near. */
export type Meant = (given: string, known: readonly string[]) => string;

const mostHints = 100;
/** Of all words that are compared. */
const mostLetters = 20_000_000;
const mostKnown = 1000;

/**
 * Makes the hints of one check: only the first hundred, and only so many words are compared, as a config may have a
 * hundred thousand faults and as many names.
 */
export function makeMeant(): Meant {
  let hints = 0;
  let letters = 0;
  return (given, known) => {
    const first = known.length > mostKnown ? known.slice(0, mostKnown) : known;
    letters += first.length * lettersOfWord * given.length;
    hints++;
    const isSpent = hints > mostHints || letters > mostLetters;
    const word = isSpent ? undefined : nearestWord(given, first);
    return word === undefined ? "" : `; did you mean ${word}?`;
  };
}

/** Of a name that is known, as a rule. */
const lettersOfWord = 32;
