/** What is another one each time, and how a page is read without it. */
const chances: readonly (readonly [what: RegExp, instead: string])[] = [
  [/\b([a-z]{2,4})_[0-9a-z]{26}\b/g, "$1_"], // an id
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "uuid"],
  [/\b(?:[0-9a-f]{64}|sha256:[0-9a-f]+)\b/g, "digest"],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "instant"],
  [/\b127\.0\.0\.1:\d+/g, "127.0.0.1:port"],
  [/ *(?<![\w.])\d+(?:\.\d+)?(?:ms|s|m|h)\b/g, ""], // how long, or how long ago; what takes no time says nothing
  [/(?<=\S) {2,}/g, "  "], // a table is as wide as what is in it
  [/ +$/g, ""],
];

const leftOut = "…";

/** Whether a page shows what was printed: each line of it, in order, but where it says by a line of … that it leaves some out. */
export function isShownBy(shown: readonly string[], printed: readonly string[]): boolean {
  return isSame(shown.map(steady), printed.map(steady));
}

function isSame(shown: readonly string[], printed: readonly string[]): boolean {
  const [first, ...rest] = shown;
  if (first === undefined) return printed.length === 0;
  if (first !== leftOut) return first === printed[0] && isSame(rest, printed.slice(1));
  return printed.some((_, at) => isSame(rest, printed.slice(at + 1)));
}

const steady = (line: string): string =>
  chances.reduce((text, [what, instead]) => text.replaceAll(what, instead), line);
