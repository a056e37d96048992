import { leastNeedleBytes } from "./encodings-of.ts";

const commonWords = new Set(
  (
    "true false null none nil undefined enabled disabled default auto always never latest " +
    "localhost 0.0.0.0 127.0.0.1"
  ).split(" "),
);
const smallNumber = /^-?\d{1,5}(?:\.\d{1,3})?$/;
const onlyStars = /^\*+$/;
const region =
  /^(?:[a-z]{2,12}-(?:gov-|iso[a-z]?-)?(?:(?:north|south|east|west|central)+)-?\d{1,2}(?:-?[a-f])?|(?:north|south|east|west|central)+(?:us|europe|asia|india)\d?)$/;

/**
 * Whether a secret is redacted at all. Texts under four bytes, words like `true`, numbers up to five digits and names
 * of cloud regions are not: redacting each of them would make logs unreadable, and the gaps would reveal them.
 */
export function isWorthHiding(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length < leastNeedleBytes || onlyStars.test(trimmed)) return false;
  if (commonWords.has(trimmed.toLowerCase()) || smallNumber.test(trimmed)) return false;
  return !region.test(trimmed);
}
