/** Of a longer part the engine looks at each place of a text anew: the product of both lengths, where they are made for it. */
const mostOfEngine = 250;

/** Looks for a part in texts from a place on, -1 where it is not: in the time of both lengths together, whatever is in them. */
export function finderOf(part: string): (text: string, from: number) => number {
  if (part.length <= mostOfEngine) return (text, from) => text.indexOf(part, from);
  const begin = part.slice(0, mostOfEngine);
  let borders: Uint32Array | undefined; // they are four times as large as the part
  return (text, from) => {
    const first = text.indexOf(begin, from);
    if (first === -1) return -1;
    borders ??= bordersOf(part);
    let matched = 0;
    for (let at = first; at < text.length; at++) {
      matched = nextMatched(part, borders, matched, text.charCodeAt(at));
      if (matched === part.length) return at - matched + 1;
    }
    return -1;
  };
}

/** Whether a part is in a text. */
export const includesText = (text: string, part: string): boolean => finderOf(part)(text, 0) !== -1;

/** The parts of a text between separators, which are not empty. */
export function splitAt(text: string, separator: string): string[] {
  if (separator.length <= mostOfEngine) return text.split(separator);
  const find = finderOf(separator);
  const parts: string[] = [];
  let from = 0;
  for (let at = find(text, 0); at !== -1; at = find(text, from)) {
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  return [...parts, text.slice(from)];
}

/** A text with another one wherever the first, which is not empty, stands in it. */
export const replaceEach = (text: string, old: string, by: string): string =>
  old.length <= mostOfEngine ? text.replaceAll(old, () => by) : splitAt(text, old).join(by);

/** How much of the part a text ends with, one letter later. */
function nextMatched(part: string, borders: Uint32Array, before: number, letter: number): number {
  let matched = before;
  while (matched > 0 && part.charCodeAt(matched) !== letter) matched = borders[matched - 1] ?? 0;
  return part.charCodeAt(matched) === letter ? matched + 1 : matched;
}

/** Of each begin of a part, how long its own longest begin is with which it ends. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  for (let at = 1; at < part.length; at++)
    borders[at] = nextMatched(part, borders, borders[at - 1] ?? 0, part.charCodeAt(at));
  return borders;
}
