import { nearestWord } from "../../nearest-word.ts";

/** Says which word may be meant, as the end of a sentence; nothing where none is near. */
export type Meant = (given: string, known: readonly string[]) => string;

const mostHints = 100;

/** Makes the hints of one check: only the first hundred, as a config may have a hundred thousand faults. */
export function makeMeant(): Meant {
  let hints = 0;
  return (given, known) => {
    hints++;
    const word = hints > mostHints ? undefined : nearestWord(given, known);
    return word === undefined ? "" : `; did you mean ${word}?`;
  };
}
